"""A data-parallel training for the tests, one process of torchrun: train_ranks.py STEPS [RANK KILL_AFTER]."""
import json
import os
import signal
import sys

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

import mscale


@mscale.mscale_contract
def train(ctx, steps, victim, kill_after):
    torch.manual_seed(1)
    torch.set_num_threads(1)
    dist.init_process_group("gloo")
    rank, ranks = dist.get_rank(), dist.get_world_size()
    model = DistributedDataParallel(torch.nn.Sequential(torch.nn.Linear(1, 4), torch.nn.Dropout(0.25), torch.nn.Linear(4, 1)))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    data = torch.arange(40.0).reshape(40, 1)
    loader = mscale.Loader(data, batch_size=4, seed=9, rank=rank, ranks=ranks)
    ctx.register(model=model, optimizer=optimizer, loader=loader)
    batches = ctx.batches(loader)
    for step in ctx.steps(steps):
        batch = next(batches)
        if rank == victim and step == kill_after + 1:
            os.kill(os.getpid(), signal.SIGKILL)
        loss = ((model(batch / 40) - batch / 20) ** 2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        line = {"rank": rank, "ranks": [ctx.rank, ctx.ranks], "step": step, "loss": loss.item().hex(),
                "samples": batch.flatten().tolist()}
        sys.stdout.write(json.dumps(line) + "\n")
        sys.stdout.flush()
        ctx.step_done(step)


if __name__ == "__main__":
    train(int(sys.argv[1]), *(map(int, sys.argv[2:4]) if len(sys.argv) > 2 else (-1, -1)))
