"""Files read ahead by io_uring, as deep as the contract says (mscale_io)."""
import collections
import ctypes
import os
import weakref

from .errors import ReadError
from .library import Status, load

BUFFERED, ANY_ORDER = 1, 2


class _Options(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("role", ctypes.c_char_p), ("depth", ctypes.c_uint32), ("block", ctypes.c_uint32),
                ("flags", ctypes.c_uint64)]


class _Extent(ctypes.Structure):
    _fields_ = [("offset", ctypes.c_uint64), ("length", ctypes.c_uint64)]


class _Piece(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("bytes", ctypes.c_size_t), ("offset", ctypes.c_uint64), ("index", ctypes.c_uint64)]


Piece = collections.namedtuple("Piece", "index offset data")


class _Handle:
    """The C reader; lives as long as anything looks at its buffers."""

    def __init__(self, library, path, options):
        self.library, self.pointer = library, ctypes.c_void_p()
        status = library.mscale_io_open(os.fsencode(path), ctypes.byref(options), ctypes.byref(self.pointer))
        if status != Status.OK:
            raise ReadError(self.last_error())

    def last_error(self):
        return self.library.mscale_last_error().decode(errors="replace")

    def __del__(self):
        if self.pointer:
            self.library.mscale_io_close(self.pointer)


class Reader:
    """A file, read ahead.  `role` says whose io_depth counts and near whose cores the kernel works; outside of a job it says
    nothing.

        with mscale.Reader("shard-17.bin", role="image_loader", block=1 << 20) as reader:
            for view in reader.read():                    # the whole file, in blocks
                ...
            for view in reader.read([(0, 100), (4096, 512)]): # (offset, length), each one view
                ...

    A view is valid until the next one is asked for, and is released then; what is to stay is copied: bytes(view),
    torch.frombuffer(view, dtype=…).clone().  ReadError says what went wrong and where in the file."""

    def __init__(self, path, role=None, depth=0, block=0, buffered=False, any_order=False):
        library = load()
        if library is None:
            raise ReadError("libmscale.so.0 isn't found on this node: install libmscale0, or name its directory in LD_LIBRARY_PATH")
        flags = BUFFERED * bool(buffered) | ANY_ORDER * bool(any_order)
        for name, value in (("depth", depth), ("block", block)):
            if not 0 <= value < 2**32:
                raise ReadError(f"{name}={value}: give a number from 0 to 2**32 - 1")
        options = _Options(ctypes.sizeof(_Options), role.encode() if role else None, depth, block, flags)
        self._handle, self._begun = _Handle(library, path, options), 0
        self._view, self._memory = None, None

    def _open(self):
        if self._handle is None:
            raise ReadError("the reader is closed")
        return self._handle

    @property
    def size(self):
        """Of the file when it was opened."""
        handle = self._open()
        return handle.library.mscale_io_size(handle.pointer)

    def describe(self):
        """How the file is read, in one line: also whether by io_uring, and if not, why."""
        handle = self._open()
        return handle.library.mscale_io_describe(handle.pointer).decode(errors="replace")

    def _take_back(self):
        """Ends the last view, before the kernel writes to its memory again."""
        view, self._view = self._view, None
        try:
            if view is not None:
                view.release()
        except BufferError:
            self._view = view
            raise ReadError("the last piece is still in use, by an array that was made of it: copy what is to stay") from None
        del view
        if self._memory is not None and self._memory() is not None:
            raise ReadError("the last piece is still in use, by a part of its view: copy what is to stay")

    def _start(self, extents):
        self._take_back()
        handle = self._open()
        if extents is None:
            given, count = None, 0
        else:
            given = (_Extent * len(extents))(*(_checked(*extent) for extent in extents))
            count = len(extents)
        if handle.library.mscale_io_start(handle.pointer, given, count) != Status.OK:
            raise ReadError(handle.last_error())
        self._begun += 1

    def _next(self):
        self._take_back()
        handle, piece = self._open(), _Piece()
        status = handle.library.mscale_io_next(handle.pointer, ctypes.byref(piece))
        if status == Status.END:
            return None
        if status != Status.OK:
            raise ReadError(handle.last_error())
        memory = (ctypes.c_ubyte * piece.bytes).from_address(piece.data)
        memory.handle = handle
        self._memory, self._view = weakref.ref(memory), memoryview(memory).toreadonly().cast("B")
        return Piece(piece.index, piece.offset, self._view)

    def pieces(self, extents=None):
        """As `read`, with the place of each: (index, offset, data)."""
        self._start(extents)
        begun = self._begun
        while True:
            if self._begun != begun:
                raise ReadError("another read was begun with this reader")
            piece = self._next()
            if piece is None:
                return
            yield piece
            del piece

    def read(self, extents=None):
        """A memoryview of each extent, a pair of offset and length, or of each block of the whole file; in their order, unless
        the reader was opened with any_order."""
        for piece in self.pieces(extents):
            yield piece.data
            del piece

    def __iter__(self):
        return self.read()

    def close(self):
        """Frees the buffers, at the latest when nothing looks at them any more."""
        self._begun += 1
        view, self._view, self._handle = self._view, None, None
        if view is not None:
            try:
                view.release()
            except BufferError:
                pass  # the array that was made of it keeps them

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def _checked(offset, length):
    for number in (offset, length):
        if not 0 <= number < 2**64:
            raise ReadError(f"extent ({offset}, {length}): give numbers from 0 to 2**64 - 1")
    return _Extent(offset, length)
