"""libmscale.so by ctypes: mscale.h call for call."""
import ctypes
import enum
import functools
import os

from .errors import RecoveryError


class Status(enum.IntEnum):
    OK = 0
    DEGRADED = 1
    BUSY = 2
    NO_RESTART = 3
    REFUSED = 4
    INVALID = 5
    OUTSIDE = 6
    SYSTEM = 7
    END = 8


class Kind(enum.IntEnum):
    OPAQUE = 0
    TENSOR = 1
    CURSOR = 2
    SHARED = 3


# mscale_type of mscale.h, by the names that torch and numpy share
TYPES = {name: number for number, name in enumerate(
    ["bytes", "float16", "bfloat16", "float32", "float64", "int8", "uint8", "int16", "int32", "int64", "bool",
     "complex64", "complex128"])}


class Options(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("rank", ctypes.c_int32), ("ranks", ctypes.c_int32),
                ("state_bytes", ctypes.c_uint64), ("flags", ctypes.c_uint64)]


ELASTIC = 1


class Cursor(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint64) for name in ("step", "epoch", "seed", "samples", "consumed", "batches")] + [
        (name, ctypes.c_uint32) for name in ("rank", "ranks", "batch", "reserved")]


class Tensor(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int), ("axes", ctypes.c_uint32)] + [
        (name, ctypes.POINTER(ctypes.c_uint64)) for name in ("whole", "offset", "shape")]


_SIGNATURES = {  # name: result, arguments
    "last_error": (ctypes.c_char_p, []),
    "init": (Status, [ctypes.POINTER(Options)]),
    "finalize": (Status, []),
    "rank": (ctypes.c_int32, []),
    "ranks": (ctypes.c_int32, []),
    "start_save": (Status, [ctypes.c_uint64]),
    "put": (Status, [ctypes.c_char_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.POINTER(Tensor)]),
    "complete_save": (Status, [ctypes.c_int]),
    "need_save": (ctypes.c_int, [ctypes.c_uint64]),
    "committed": (Status, [ctypes.POINTER(ctypes.c_uint64)]),
    "have_restart": (Status, [ctypes.POINTER(ctypes.c_uint64)]),
    "start_restart": (Status, []),
    "count": (ctypes.c_size_t, []),
    "describe": (Status, [ctypes.c_size_t, ctypes.POINTER(ctypes.c_char_p), ctypes.POINTER(ctypes.c_size_t),
                          ctypes.POINTER(ctypes.c_int)]),
    "get": (Status, [ctypes.c_char_p, ctypes.c_void_p, ctypes.c_size_t]),
    "complete_restart": (Status, [ctypes.c_int]),
    "writers": (ctypes.c_int32, []),
    "put_cursor": (Status, [ctypes.c_char_p, ctypes.POINTER(Cursor)]),
    "get_cursor": (Status, [ctypes.c_char_p, ctypes.c_uint32, ctypes.POINTER(Cursor)]),
    "progress": (Status, [ctypes.c_uint64]),
    "should_exit": (ctypes.c_int, []),
    "role_enter": (Status, [ctypes.c_char_p]),
    "role_leave": (Status, []),
    "io_open": (Status, [ctypes.c_char_p, ctypes.c_void_p, ctypes.POINTER(ctypes.c_void_p)]),
    "io_start": (Status, [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t]),
    "io_next": (Status, [ctypes.c_void_p, ctypes.c_void_p]),
    "io_size": (ctypes.c_uint64, [ctypes.c_void_p]),
    "io_describe": (ctypes.c_char_p, [ctypes.c_void_p]),
    "io_close": (None, [ctypes.c_void_p]),
}


@functools.lru_cache(maxsize=None)
def load():
    """The library, or None where it isn't installed."""
    try:
        library = ctypes.CDLL("libmscale.so.0")
    except OSError:
        return None
    for name, (result, arguments) in _SIGNATURES.items():
        function = getattr(library, "mscale_" + name, None)
        if function is None:
            continue  # of a later version than the library that is installed: told by who calls it
        function.restype, function.argtypes = result, arguments
    return library


class Snapshots:
    """The calls of the library with Python's values; every one is harmless outside of a job."""

    def __init__(self):
        self._library = load()
        self.joined = False

    def _call(self, name, *arguments):
        return getattr(self._library, "mscale_" + name)(*arguments)

    def last_error(self):
        return self._call("last_error").decode(errors="replace") if self._library else ""

    def _expect(self, status, *accepted):
        if status not in accepted:
            raise RecoveryError(self.last_error())
        return status

    def init(self, state_bytes, elastic=False):
        """Joins the keeper; raises RecoveryError where the program must not start."""
        if self._library is None:
            if "MSCALE_KEEPER" in os.environ: # the contract of the job has [ft]
                raise RecoveryError("the contract promises snapshots, and libmscale.so.0 isn't found on this node: install "
                                    "libmscale0, or name its directory in LD_LIBRARY_PATH")
            return
        options = Options(ctypes.sizeof(Options), -1, -1, state_bytes, ELASTIC if elastic else 0)
        status = self._call("init", ctypes.byref(options))
        self._expect(status, Status.OK, Status.OUTSIDE)
        self.joined = status == Status.OK

    def finalize(self):
        if self.joined:
            self._call("finalize")
        self.joined = False

    def rank(self):
        return max(self._call("rank"), 0) if self._library else 0

    def ranks(self):
        return max(self._call("ranks"), 1) if self._library else 1

    def need_save(self, step):
        return self.joined and self._call("need_save", step) == 1

    def should_exit(self):
        return self.joined and self._call("should_exit") == 1

    def progress(self, step):
        if self.joined:
            self._call("progress", step)

    def committed(self):
        """The newest committed step, or None."""
        return self._step_of("committed") if self.joined else None

    def have_restart(self):
        """The step to go on after, or None."""
        return self._step_of("have_restart") if self.joined else None

    def _step_of(self, name):
        step = ctypes.c_uint64()
        status = self._expect(self._call(name, ctypes.byref(step)), Status.OK, Status.NO_RESTART, Status.OUTSIDE)
        return step.value if status == Status.OK else None

    def start_save(self, step):
        return self._call("start_save", step)

    def put(self, extent):
        tensor = None
        if extent.kind == Kind.TENSOR:
            axes = len(extent.shape)
            shape = (ctypes.c_uint64 * axes)(*extent.shape)
            offset = (ctypes.c_uint64 * axes)()
            tensor = ctypes.byref(Tensor(TYPES[extent.type], axes, shape, offset, shape))
        return self._call("put", extent.name.encode(), extent.address, extent.bytes, extent.kind, tensor)

    def put_cursor(self, name, numbers):
        return self._call("put_cursor", name.encode(), ctypes.byref(Cursor(**numbers)))

    def get_cursor(self, name, batch):
        cursor = Cursor()
        self._expect(self._call("get_cursor", name.encode(), batch, ctypes.byref(cursor)), Status.OK)
        return {name: getattr(cursor, name) for name, _ in Cursor._fields_}

    def writers(self):
        """How many ranks wrote the snapshot to go on from, 0 for none."""
        return self._call("writers") if self._library else 0

    def complete_save(self, valid):
        return self._call("complete_save", int(valid))

    def start_restart(self):
        return self._call("start_restart") == Status.OK

    def sizes(self):
        """The size of each extent of the snapshot by its name."""
        name, size, kind = ctypes.c_char_p(), ctypes.c_size_t(), ctypes.c_int()
        sizes = {}
        for index in range(self._call("count")):
            self._call("describe", index, ctypes.byref(name), ctypes.byref(size), ctypes.byref(kind))
            sizes[name.value.decode()] = size.value
        return sizes

    def get(self, name, address, size):
        self._expect(self._call("get", name.encode(), address, size), Status.OK)

    def complete_restart(self, valid):
        """True when the job goes on from this snapshot; False when find_restart gives an older one."""
        status = self._expect(self._call("complete_restart", int(valid)), Status.OK, Status.BUSY)
        return bool(valid) and status == Status.OK
