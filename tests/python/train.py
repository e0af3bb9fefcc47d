"""A training for the tests: train.py WHAT STEPS [KILL_AFTER].  Prints each step's loss exactly and its samples; ends
itself by SIGKILL in the middle of the step after KILL_AFTER."""
import json
import os
import random
import signal
import sys

import numpy
import torch

import mscale

SAMPLES, BATCH = 50, 8  # seven batches an epoch, the last one short


class Noisy(torch.utils.data.Dataset):
    """Samples that draw random numbers of all kinds when they are made."""

    def __len__(self):
        return SAMPLES

    def __getitem__(self, index):
        noise = random.random() + float(numpy.random.rand()) + float(torch.rand(()))
        return index, torch.full((4,), index / SAMPLES) + 0.01 * noise


class Stateful:
    """As torchdata's StatefulDataLoader: draws from the global generator when its iterator is made, and knows its place."""

    def __init__(self, dataset):
        self.dataset, self._seed, self._yielded, self._resume = dataset, None, 0, None

    def __len__(self):
        return -(-len(self.dataset) // BATCH)

    def __iter__(self):
        if self._resume is not None and self._resume["yielded"] < len(self):
            self._seed, self._yielded = self._resume["seed"], self._resume["yielded"]
            int(torch.empty((), dtype=torch.int64).random_())
        else:
            self._seed, self._yielded = int(torch.empty((), dtype=torch.int64).random_()), 0
        self._resume = None
        return self._go_on()

    def _go_on(self):
        generator = torch.Generator()
        generator.manual_seed(self._seed)
        order = torch.randperm(len(self.dataset), generator=generator).tolist()
        while self._yielded < len(self):
            part = order[self._yielded * BATCH:(self._yielded + 1) * BATCH]
            self._yielded += 1
            yield torch.tensor(part), torch.stack([torch.full((4,), index / SAMPLES) for index in part])

    def state_dict(self):
        return {"seed": self._seed, "yielded": self._yielded}

    def load_state_dict(self, state):
        self._resume = state


def make_optimizer(what, model):
    if what == "adamw":
        return torch.optim.AdamW(model.parameters(), lr=1e-2)
    return torch.optim.SGD(model.parameters(), lr=1e-2, momentum=0.9)


def make_schedule(what, optimizer, steps):
    if what == "onecycle":
        return torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=0.1, total_steps=steps + 1)
    return torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=steps)


def make_scaler():
    """GradScaler works on CUDA only, but its state is the same: scale and growth are set by hand."""
    available, torch.cuda.is_available = torch.cuda.is_available, lambda: True
    scaler = torch.cuda.amp.GradScaler(init_scale=2.0 ** 10)
    torch.cuda.is_available = available
    scaler._lazy_init_scale_growth_tracker(torch.device("cpu"))
    return scaler


@mscale.mscale_contract
def train(ctx, what, steps, kill_after):
    torch.manual_seed(1)
    random.seed(2)
    numpy.random.seed(3)
    torch.set_num_threads(1)
    model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.BatchNorm1d(8), torch.nn.Dropout(0.25), torch.nn.Linear(8, 1))
    optimizer = make_optimizer(what, model)
    schedule = make_schedule(what, optimizer, steps)
    scaler = make_scaler()
    history = {"losses": 0, "mean": 0.0}
    data = Noisy()
    if what == "stateful":
        loader = Stateful(data)
    else:
        loader = mscale.Loader.of(torch.utils.data.DataLoader(data, BATCH, shuffle=True, num_workers=2, prefetch_factor=3), seed=5)
    ctx.register(loader=loader, schedule=schedule, scaler=scaler, optimizer=optimizer, history=history, model=model)
    batches = ctx.batches(loader)
    for step in ctx.steps(steps):
        indices, inputs = next(batches)
        if kill_after is not None and step == kill_after + 1:
            os.kill(os.getpid(), signal.SIGKILL)
        loss = ((model(inputs) - inputs.sum(1, keepdim=True)) ** 2).mean() * (1 + 0.1 * random.random() + 0.1 * numpy.random.rand())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
        scaler.update(scaler.get_scale() * 1.5)
        history["losses"] += 1
        history["mean"] += (loss.item() - history["mean"]) / history["losses"]
        print(json.dumps({"step": step, "loss": loss.item().hex(), "samples": indices.tolist(), "scale": scaler.get_scale(),
                          "rate": float(optimizer.param_groups[0]["lr"]).hex(),
                          "mean": history["mean"].hex()}), flush=True)
        ctx.step_done(step)


if __name__ == "__main__":
    train(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else None)
