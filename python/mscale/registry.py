"""What the program has registered: where state comes from and goes back to, in an order that is always the same."""
from .encoding import find_module
from .errors import StateError
from .loader import Loader


class _Stateful:
    """Anything with state_dict and load_state_dict."""

    def __init__(self, thing):
        self.thing = thing

    def save(self):
        return self.thing.state_dict()

    def load(self, state):
        self.thing.load_state_dict(state)


class _Dict:
    """A dict, restored in place."""

    def __init__(self, thing):
        self.thing = thing

    def save(self):
        return self.thing

    def load(self, state):
        self.thing.clear()
        self.thing.update(state)


class _Function:
    """A function that gives the state without an argument, and takes it as its argument."""

    def __init__(self, thing):
        self.thing = thing

    def save(self):
        return self.thing()

    def load(self, state):
        self.thing(state)


def _has(thing, *names):
    return all(hasattr(thing, name) for name in names)


# Models first, so that an optimizer finds their tensors; loaders late, generators of random numbers after all of this.
MODEL, OPTIMIZER, SCALER, SCHEDULE, OTHER, LOADER = range(6)


def kind_of(thing):
    if _has(thing, "parameters", "named_buffers"):
        return MODEL
    if _has(thing, "param_groups", "zero_grad"):
        return OPTIMIZER
    if _has(thing, "get_scale", "update"):
        return SCALER
    if _has(thing, "last_epoch", "optimizer") or _has(thing, "get_last_lr", "step"):
        return SCHEDULE
    if isinstance(thing, Loader) or _has(thing, "dataset", "__iter__"):
        return LOADER
    return OTHER


class Registry:
    def __init__(self):
        self._entries = {}
        self._kinds = {}
        self._things = {}

    def add(self, name, thing):
        if name in self._entries:
            raise StateError(f"'{name}' is registered twice")
        if not name or "/" in name:
            raise StateError(f"'{name}' is no name: it must not be empty or hold '/'")
        self._entries[name] = self._wrap(name, thing)
        self._kinds[name] = kind_of(thing)
        self._things[name] = thing

    @staticmethod
    def _wrap(name, thing):
        if _has(thing, "state_dict", "load_state_dict"):
            return _Stateful(thing)
        if isinstance(thing, dict):
            return _Dict(thing)
        if callable(thing):
            return _Function(thing)
        hint = "wrap it by mscale.Loader.of(loader)" if _has(thing, "dataset") else "give it state_dict and load_state_dict"
        raise StateError(f"'{name}' is a {type(thing).__name__}, whose state can't be had; {hint}")

    def __bool__(self):
        return bool(self._entries)

    def names(self):
        """In the order in which they are restored."""
        return sorted(self._entries, key=lambda name: self._kinds[name])

    def has(self, kind):
        return kind in self._kinds.values()

    def things(self, kind):
        return [self._things[name] for name in self.names() if self._kinds[name] == kind]

    def get(self, name):
        return self._things[name]

    def name_of(self, thing):
        for name, known in self._things.items():
            if known is thing:
                return name
        raise StateError("the loader isn't registered: its samples would be lost or seen twice after a restart")

    def save(self, name):
        return self._entries[name].save()

    def load(self, name, state):
        self._entries[name].load(state)


def estimate_bytes(registry, extents):
    """How much one save may come to hold: what there is now, and what optimizers will add at their first step."""
    now = sum(extent.bytes for extent in extents)
    to_come = 0
    for optimizer in registry.things(OPTIMIZER):
        tensors = [tensor for group in optimizer.param_groups for tensor in group["params"]]
        if find_module("torch") is not None and not getattr(optimizer, "state", None):
            to_come += 3 * sum(tensor.numel() * max(tensor.element_size(), 4) + 4096 for tensor in tensors)
    return now + now // 16 + to_come + (4 << 20)
