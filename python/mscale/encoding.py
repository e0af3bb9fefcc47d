"""State as data: a tree of tagged JSON, and extents for what is large.  Nothing is pickled, nothing is run.

A node is null, true, false, an integer, a text, or a list whose first member is a tag:
    ["f", "0x1.8p+1"]            a float, exactly                ["c", re, im]      a complex number
    ["l", [...]]  ["t", [...]]   a list, a tuple                 ["s", [...]]  ["fs", [...]]  a set, a frozenset
    ["d", [[key, value], ...]]   a dict, in its order            ["od", [...]]      an OrderedDict
    ["b", NAME, SIZE]            bytes, in an extent             ["y", "base64"]    short bytes
    ["T", NAME, type, shape, device]   a torch tensor            ["A", NAME, dtype, shape]   a numpy array
    ["n", dtype, node]           a numpy scalar                  ["g", kind, text]  a torch.Size, dtype or device
    ["code"]                     a function: stays what it is in the object that the state is loaded into
"""
import base64
import ctypes
import hashlib
import json
import sys
import types
from collections import OrderedDict, defaultdict, deque

from .errors import StateError
from .library import TYPES, Kind

VERSION = 1
LONGEST_NAME = 512
SHORT_BYTES = 256
_CODE = (types.FunctionType, types.BuiltinFunctionType, types.MethodType)


def find_module(name):
    """The module when the program has imported it; mscale imports neither torch nor numpy by itself."""
    return sys.modules.get(name)


class Extent:
    """Bytes to put: kept alive by `owner` while they are copied."""

    def __init__(self, name, address, size, owner, kind=Kind.OPAQUE, type_name="bytes", shape=()):
        self.name, self.address, self.bytes, self.owner = name, address, size, owner
        self.kind, self.type, self.shape = kind, type_name, shape


def bytes_extent(name, data, kind=Kind.OPAQUE):
    data = bytes(data)
    return Extent(name, ctypes.cast(ctypes.c_char_p(data), ctypes.c_void_p), len(data), data, kind)


class Encoder:
    """Turns state into nodes and collects the extents that they name."""

    def __init__(self, kind=None, known=None):
        """`kind` is that of all extents, else each gets its own.  `known` are the places where the objects that the state goes
        back to have functions: one at another place could never be given back, and is refused."""
        self.kind = kind
        self.extents = []
        self.functions = set()  # the places of all that were met
        self._known = known
        self._tensors = {}  # what shares memory is saved once
        self._names = set()

    def encode(self, value, path):
        if value is None or value is True or value is False or type(value) is str:
            return value
        for accepts, encode in _ENCODERS:
            if accepts(value):
                return encode(self, value, path)
        raise StateError(f"{path}: {type(value).__module__}.{type(value).__qualname__} is no data that can be saved;"
                         " register it by itself with state_dict and load_state_dict")

    def _name(self, path):
        name = path
        if len(path.encode()) > LONGEST_NAME - 12:
            name = path[:80] + "#" + hashlib.blake2b(path.encode(), digest_size=16).hexdigest()
        base, count = name, 1
        while name in self._names:
            count += 1
            name = f"{base}#{count}"
        self._names.add(name)
        return name

    def _kind_of(self, kind):
        return kind if self.kind is None else self.kind

    def _all(self, values, path):
        return [self.encode(value, f"{path}/{index}") for index, value in enumerate(values)]

    def _loose(self, values, path):
        """Members whose place in the object that the state goes back to can't be told."""
        before, self._known = self._known, ()
        try:
            return self._all(values, path)
        finally:
            self._known = before

    def _items(self, mapping, path):
        keys = self._loose(mapping, path)
        return [[key, self.encode(value, f"{path}/{name}")] for key, (name, value) in zip(keys, mapping.items())]

    def _code(self, value, path):
        if self._known is not None and path not in self._known:
            raise StateError(f"{path}: {value!r} is a function, and what was registered had none there when the training began, so"
                             " that no later run could give it back; keep it out of the state, or put it there before ctx.steps")
        self.functions.add(path)
        return ["code"]

    def _scalar(self, value, path):
        plain = value.item()
        if value.dtype.kind not in "biufcSU" or isinstance(plain, find_module("numpy").generic):
            raise StateError(f"{path}: a number of numpy's type {value.dtype} can't be saved; make it an array or a plain number")
        return ["n", value.dtype.str, self.encode(plain, path)]

    def _bytes(self, value, path):
        if len(value) <= SHORT_BYTES:
            return ["y", base64.b64encode(value).decode()]
        extent = bytes_extent(self._name(path), value, self._kind_of(Kind.OPAQUE))
        self.extents.append(extent)
        return ["b", extent.name, extent.bytes]

    def _tensor(self, value, path):
        torch = find_module("torch")
        if value.layout != torch.strided or value.is_quantized:
            raise StateError(f"{path}: a tensor of layout {value.layout} can't be saved; make it dense")
        type_name = str(value.dtype).removeprefix("torch.")
        if type_name not in TYPES:
            raise StateError(f"{path}: a tensor of type {value.dtype} can't be saved")
        # which of a node's devices it is differs from rank to rank
        device = value.device.type if self.kind == Kind.SHARED else str(value.device)
        node = ["T", None, type_name, list(value.shape), device]
        data = value.detach().resolve_conj().resolve_neg().cpu().contiguous()
        size = data.numel() * data.element_size()
        key = (value.data_ptr(), size, type_name, tuple(value.shape), tuple(value.stride()), node[4])
        if size == 0 or key not in self._tensors:
            self._tensors[key] = Extent(self._name(path), data.data_ptr(), size, (value, data), self._kind_of(Kind.TENSOR), type_name,
                                        tuple(value.shape))
            self.extents.append(self._tensors[key])
        node[1] = self._tensors[key].name
        return node

    def _array(self, value, path):
        if value.dtype.hasobject:
            raise StateError(f"{path}: an array of objects can't be saved")
        if value.dtype.kind == "V":
            raise StateError(f"{path}: an array of records can't be saved; save each field by itself")
        data = find_module("numpy").ascontiguousarray(value)
        type_name = value.dtype.name if value.dtype.isnative else "bytes"
        known = type_name in TYPES and type_name != "bytes"
        extent = Extent(self._name(path), data.ctypes.data, data.nbytes, data, self._kind_of(Kind.TENSOR if known else Kind.OPAQUE),
                        type_name if known else "bytes", value.shape)
        self.extents.append(extent)
        return ["A", extent.name, value.dtype.str, list(value.shape)]


def _is_torch(name):
    def accepts(value):
        torch = find_module("torch")
        return torch is not None and isinstance(value, getattr(torch, name))
    return accepts


def _is_numpy(name):
    def accepts(value):
        numpy = find_module("numpy")
        return numpy is not None and isinstance(value, getattr(numpy, name))
    return accepts


def _is(*kinds):
    return lambda value: type(value) in kinds


_ENCODERS = [
    (_is(int), lambda encoder, value, path: value),
    (_is(float), lambda encoder, value, path: ["f", value.hex()]),
    (_is(list), lambda encoder, value, path: ["l", encoder._all(value, path)]),
    (_is(dict), lambda encoder, value, path: ["d", encoder._items(value, path)]),
    (_is_torch("Tensor"), Encoder._tensor),
    (_is_torch("Size"), lambda encoder, value, path: ["g", "size", ",".join(map(str, value))]),
    (_is(tuple), lambda encoder, value, path: ["t", encoder._all(value, path)]),
    (_is(OrderedDict), lambda encoder, value, path: ["od", encoder._items(value, path)]),
    (_is(defaultdict), lambda encoder, value, path: ["d", encoder._items(value, path)]),
    (_is(set), lambda encoder, value, path: ["s", encoder._loose(sorted(value, key=repr), path)]),
    (_is(frozenset), lambda encoder, value, path: ["fs", encoder._loose(sorted(value, key=repr), path)]),
    (_is(deque), lambda encoder, value, path: ["dq", encoder._loose(value, path), value.maxlen]),
    (_is(bytes, bytearray), Encoder._bytes),
    (_is(complex), lambda encoder, value, path: ["c", value.real.hex(), value.imag.hex()]),
    (_is_numpy("ndarray"), Encoder._array),
    (_is_numpy("generic"), Encoder._scalar),
    (_is_torch("dtype"), lambda encoder, value, path: ["g", "dtype", str(value).removeprefix("torch.")]),
    (_is_torch("device"), lambda encoder, value, path: ["g", "device", str(value)]),
    (lambda value: isinstance(value, _CODE), Encoder._code),
]


def to_bytes(node):
    return json.dumps({"mscale_state": VERSION, "state": node}, separators=(",", ":")).encode()


def from_bytes(data):
    document = json.loads(data)
    if document.get("mscale_state") != VERSION:
        raise StateError(f"the snapshot's state is of version {document.get('mscale_state')}, this mscale reads {VERSION}")
    return document["state"]


class Decoder:
    """Turns nodes into state; `read(name, address, size)` fills memory with an extent."""

    def __init__(self, read):
        self._read = read

    def decode(self, node, current=None, path=""):
        """`current` is the same place of the object that the state will be loaded into."""
        if not isinstance(node, list):
            return node
        decode = getattr(self, "_decode_" + node[0], None) if node and isinstance(node[0], str) else None
        if decode is None:
            raise StateError(f"{path}: unknown kind of state in the snapshot: {str(node)[:60]}")
        return decode(node, current, path)

    def _all(self, nodes, current, path):
        known = list(current) if isinstance(current, (list, tuple)) else []
        if len(known) != len(nodes):  # of a list that has grown only what can't be saved is taken from where it was
            known = [value if isinstance(value, _CODE) else None for value in known[:len(nodes)]]
            known += [None] * (len(nodes) - len(known))
        return [self.decode(node, known[index], f"{path}/{index}") for index, node in enumerate(nodes)]

    def _items(self, node, current, path):
        known = current if isinstance(current, dict) else {}
        for key_node, value_node in node[1]:
            key = self.decode(key_node, None, path)
            yield key, self.decode(value_node, known.get(key), f"{path}/{key}")

    def _decode_f(self, node, current, path):
        return float.fromhex(node[1])

    def _decode_c(self, node, current, path):
        return complex(float.fromhex(node[1]), float.fromhex(node[2]))

    def _decode_l(self, node, current, path):
        return self._all(node[1], current, path)

    def _decode_t(self, node, current, path):
        return tuple(self._all(node[1], current, path))

    def _decode_s(self, node, current, path):
        return set(self._all(node[1], None, path))

    def _decode_fs(self, node, current, path):
        return frozenset(self._all(node[1], None, path))

    def _decode_dq(self, node, current, path):
        return deque(self._all(node[1], None, path), node[2])

    def _decode_d(self, node, current, path):
        return dict(self._items(node, current, path))

    def _decode_od(self, node, current, path):
        state = OrderedDict(self._items(node, current, path))
        if hasattr(current, "_metadata"):  # versions of torch's modules
            state._metadata = current._metadata
        return state

    def _decode_y(self, node, current, path):
        return base64.b64decode(node[1])

    def _decode_b(self, node, current, path):
        buffer = ctypes.create_string_buffer(node[2])
        self._read(node[1], ctypes.addressof(buffer), node[2])
        return buffer.raw

    def _decode_T(self, node, current, path):
        torch = self._module("torch", path)
        _, name, type_name, shape, device = node
        if type_name not in TYPES:
            raise StateError(f"{path}: unknown type of tensor '{type_name}'")
        tensor = torch.empty(shape, dtype=getattr(torch, type_name))
        self._read(name, tensor.data_ptr(), tensor.numel() * tensor.element_size())
        if device == "cpu" or current is not None:  # load_state_dict moves it to where the object has its own
            return tensor
        try:
            return tensor.to(device)
        except RuntimeError:  # the device that it was on is gone
            return tensor

    def _decode_A(self, node, current, path):
        numpy = self._module("numpy", path)
        array = numpy.empty(node[3], dtype=numpy.dtype(node[2]))
        if array.dtype.hasobject:
            raise StateError(f"{path}: an array of objects")
        self._read(node[1], array.ctypes.data, array.nbytes)
        return array

    def _decode_n(self, node, current, path):
        numpy = self._module("numpy", path)
        return numpy.dtype(node[1]).type(self.decode(node[2], None, path))

    def _decode_g(self, node, current, path):
        torch = self._module("torch", path)
        if node[1] == "size":
            return torch.Size(int(number) for number in node[2].split(",") if number)
        if node[1] == "device":
            return torch.device(node[2])
        if node[1] == "dtype" and isinstance(getattr(torch, node[2], None), torch.dtype):
            return getattr(torch, node[2])
        raise StateError(f"{path}: unknown kind of state in the snapshot: {str(node)[:60]}")

    def _decode_code(self, node, current, path):
        if not isinstance(current, _CODE):
            raise StateError(f"{path}: the snapshot has a function here, and what is registered hasn't: functions aren't saved;"
                             " put one there before ctx.steps, as the run that saved it had")
        return current

    @staticmethod
    def _module(name, path):
        module = find_module(name)
        if module is None:
            raise StateError(f"{path}: the snapshot holds state of {name}, which the program hasn't imported")
        return module
