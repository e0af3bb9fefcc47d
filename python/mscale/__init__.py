"""Contracts and snapshots for a training that a node's death must not end.

    import mscale

    @mscale.mscale_contract(every=100, copies=1, state="8GiB")
    def train(ctx):
        loader = mscale.Loader(dataset, batch_size=32, shuffle=True, seed=1, num_workers=2)
        ctx.register(model=model, optimizer=optimizer, schedule=schedule, loader=loader)
        batches = ctx.batches(loader)
        for step in ctx.steps(10_000):      # the first is the committed step + 1
            train_one(next(batches))
            ctx.step_done(step)             # says that the step is done, and saves when it is time

In a pause of more than a minute, as for an evaluation, ctx.progress() says now and then that the training lives.

Parts of the program run where the contract places them:

    with mscale.role("image_loader"): ...
    DataLoader(dataset, num_workers=4, worker_init_fn=mscale.worker_init_fn("image_loader"))

What is saved is data: tensors, arrays, numbers, texts and containers of them; nothing is pickled and nothing is run
when it is read back.  Works without torch, and without a job: then the function just runs.
"""
from .context import Context, current
from .decorator import mscale_contract
from .encoding import StateError
from .errors import ContractError, MscaleError, ReadError, RecoveryError
from .loader import Loader
from .reader import Reader
from .role import enter_role, leave_role, role, worker_init_fn

__all__ = ["Context", "ContractError", "Loader", "MscaleError", "ReadError", "Reader", "RecoveryError", "StateError",
           "current", "enter_role", "leave_role", "mscale_contract", "role", "worker_init_fn"]
