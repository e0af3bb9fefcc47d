"""A data-parallel training that another number of ranks goes on with: train_elastic.py WHAT STEPS [PAUSE].
Prints each step's samples, and the state of the model exactly, before the first step and after each."""
import hashlib
import json
import sys
import time

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

import mscale

SAMPLES, GLOBAL_BATCH = 60, 12


def sum_of(model):
    digest = hashlib.sha256()
    for name, tensor in sorted(model.state_dict().items()):
        digest.update(name.encode() + tensor.numpy().tobytes())
    return digest.hexdigest()[:16]


def tell(**line):
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()


@mscale.mscale_contract
def train(ctx, what, steps, pause):
    torch.manual_seed(1)
    torch.set_num_threads(1)
    dist.init_process_group("gloo")
    rank, ranks = dist.get_rank(), dist.get_world_size()
    model = DistributedDataParallel(torch.nn.Sequential(torch.nn.Linear(1, 4), torch.nn.Dropout(0.25), torch.nn.Linear(4, 1)))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    loader = mscale.Loader(torch.arange(float(SAMPLES)).reshape(SAMPLES, 1), batch_size=GLOBAL_BATCH // ranks, seed=9)
    ctx.register(model=model, optimizer=optimizer, loader=loader)
    if what == "own":
        ctx.register(diary={"rank": rank})
    if what == "unequal":
        ctx.register(diary={"rank": rank})
        ctx.elastic("model", "optimizer", "diary", reseed=5)
    elif what != "plain":
        ctx.elastic("model", "optimizer", reseed=5)
    batches = ctx.batches(loader)
    begun = False
    for step in ctx.steps(steps):
        if not begun:
            begun, generator = True, torch.get_rng_state()
            tell(rank=rank, begins=step, model=sum_of(model), drawn=torch.rand(()).item())
            torch.set_rng_state(generator)
        batch = next(batches)
        loss = ((model(batch / SAMPLES) - batch / 20) ** 2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        tell(rank=rank, step=step, samples=batch.flatten().tolist(), model=sum_of(model))
        time.sleep(pause)
        ctx.step_done(step)


if __name__ == "__main__":
    train(sys.argv[1], int(sys.argv[2]), float(sys.argv[3]) if len(sys.argv) > 3 else 0)
