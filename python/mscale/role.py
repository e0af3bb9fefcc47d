"""Roles of the contract: where a thread runs and takes its memory."""
import os

from .errors import ContractError
from .library import Status, load


def _call(name, *arguments):
    library = load()
    if library is None:
        if os.environ.get("MSCALE_ROLES"):
            raise ContractError("the contract gives roles their cores, and libmscale.so.0 isn't found on this node: install "
                                "libmscale0, or name its directory in LD_LIBRARY_PATH")
        return False
    status = getattr(library, "mscale_role_" + name)(*arguments)
    if status not in (Status.OK, Status.OUTSIDE):
        raise ContractError(library.mscale_last_error().decode(errors="replace"))
    return status == Status.OK


def enter_role(name):
    """Binds the calling thread to the role's cores and memory, and what it starts from now on.  False outside of a job whose
    contract has roles, where nothing is done; ContractError for a role that the contract doesn't have."""
    return _call("enter", name.encode())


def leave_role():
    """Takes the calling thread back to where it was before its last enter_role."""
    _call("leave")


class role:
    """The calling thread is in the role's place while the block runs:

        with mscale.role("image_loader"):
            ...

    `as` gives False outside of a job whose contract has roles, where the block just runs."""

    def __init__(self, name):
        self.name, self._entered = name, []

    def __enter__(self):
        self._entered.append(enter_role(self.name))
        return self._entered[-1]

    def __exit__(self, *_):
        if self._entered.pop():
            leave_role()


class worker_init_fn:
    """For torch.utils.data.DataLoader: each worker process enters the role for good, then calls `then(worker)`, if given.

        DataLoader(dataset, num_workers=4, worker_init_fn=mscale.worker_init_fn("image_loader"))

    An object and no closure, so that it reaches workers that are spawned."""

    def __init__(self, name, then=None):
        self.name, self.then = name, then

    def __call__(self, worker):
        enter_role(self.name)
        if self.then is not None:
            self.then(worker)
