"""mscale_contract: the contract beside the function that relies on it."""
import functools
import inspect

from . import contract
from . import registry as kinds
from .context import Context, run


def mscale_contract(text=None, *, compute_profile=None, io_topology=None, fault_tolerance=None, **ft):
    """States what the function needs, in the one grammar of contracts (man 7 mscale-contract).

    `text` is a contract as on the command line.  The other arguments are translated into it: `compute_profile` is a
    profile, `io_topology` the roles, `fault_tolerance` and further arguments the clauses of [ft].

    In a job everything that is stated must be held by the job's own contract: what isn't is a ContractError with the
    #SBATCH line to add.  Outside of a job it is judged against this machine, and the function runs anyway.
    A function whose first parameter is `ctx` gets its Context; any other finds it by mscale.current().
    """
    if callable(text):
        return mscale_contract()(text)
    stated = contract.translate(text, compute_profile, io_topology, fault_tolerance, ft)

    def decorate(function):
        names = list(inspect.signature(function).parameters)
        takes_context = names[:1] == ["ctx"]

        @functools.wraps(function)
        def call(*arguments, **options):
            held = contract.hold(stated)
            needs = [(name, {"stateful_io": kinds.LOADER, "lr_scheduler": kinds.SCHEDULE}[name]) for name in stated.needs]
            return run(function, Context(needs, "ft.state" in held), takes_context, arguments, options)

        return call

    return decorate
