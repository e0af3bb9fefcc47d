"""The state of every generator of random numbers that the program has: python, numpy, torch on the CPU and each device."""
import contextlib
import random

from .encoding import find_module


def _devices(torch):
    """The modules of torch's accelerators that are in use, by name."""
    found = {}
    for name in ("cuda", "xpu"):
        module = getattr(torch, name, None)
        if module is not None and module.is_available() and getattr(module, "is_initialized", lambda: True)():
            found[name] = module
    return found


def capture():
    state = {"python": random.getstate()}
    numpy, torch = find_module("numpy"), find_module("torch")
    if numpy is not None:
        state["numpy"] = numpy.random.get_state()
    if torch is not None:
        state["torch"] = torch.get_rng_state()
        for name, module in _devices(torch).items():
            state[name] = [module.get_rng_state(index) for index in range(module.device_count())]
    return state


def restore(state):
    """The last thing of a restore: everything before it may have drawn numbers."""
    random.setstate(state["python"])
    numpy, torch = find_module("numpy"), find_module("torch")
    if "numpy" in state and numpy is not None:
        numpy.random.set_state(state["numpy"])
    if torch is None or "torch" not in state:
        return
    torch.set_rng_state(state["torch"])
    for name, module in _devices(torch).items():
        for index, device_state in enumerate(state.get(name, [])[:module.device_count()]):
            module.set_rng_state(device_state, index)


def seed(number):
    random.seed(number)
    numpy, torch = find_module("numpy"), find_module("torch")
    if numpy is not None:
        numpy.random.seed(number % 2**32)
    if torch is not None:
        torch.manual_seed(number)


@contextlib.contextmanager
def isolated(number):
    """What runs inside draws from generators of its own: the program's are afterwards as they were."""
    state = capture()
    seed(number)
    try:
        yield
    finally:
        restore(state)
