#!/usr/bin/env python3
"""Trains the model data-parallel over gloo, one process per Slurm task; see README.md."""
import argparse
import hashlib
import os
import subprocess
import time

import mscale
import torch
import torch.distributed as dist

from data import ROLE, SIDE, StagedBatches, class_captions, enlarge, load_from, split_digits
from model import ImageText, loss_of
from staging import StagingPool


def read_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--epochs", type=int, default=12)
    parser.add_argument("--batch", type=int, default=50, help="images of each process in a step")
    parser.add_argument("--workers", type=int, default=1, help="loader processes of each process")
    parser.add_argument("--samples", metavar="DIR", help="write there which images each step was trained with")
    return parser.parse_args()


def find_master():
    """The first node of this step and a port of its own: a step that takes the place of another one may lie elsewhere."""
    nodes, step = os.environ.get("SLURM_STEP_NODELIST"), int(os.environ.get("SLURM_STEP_ID", 0))
    if nodes is None:
        return "127.0.0.1", 29500
    first = subprocess.run(["scontrol", "show", "hostnames", nodes], check=True, capture_output=True, text=True).stdout.split()[0]
    return first, 20000 + (int(os.environ["SLURM_JOB_ID"]) * 16 + step) % 10000


def join_ranks():
    rank, ranks = int(os.environ.get("SLURM_PROCID", 0)), int(os.environ.get("SLURM_NTASKS", 1))
    address, port = find_master()
    os.environ.setdefault("MASTER_ADDR", address)
    os.environ.setdefault("MASTER_PORT", str(port))
    dist.init_process_group("gloo", rank=rank, world_size=ranks)
    return rank, ranks


class SampleLog:
    """Lines "step rank images": a step that was lost and trained again stands there twice, with the same images."""

    def __init__(self, directory, rank: int):
        self.rank = rank
        self.file = None
        if directory:
            name = f"{rank}.{os.environ.get('SLURM_STEP_ID', 0)}"
            self.file = open(os.path.join(directory, name), "a", buffering=1)

    def note(self, step: int, images) -> None:
        if self.file:
            self.file.write(f"{step} {self.rank} {','.join(map(str, images.tolist()))}\n")


def train_step(model, optimizer, batch, pool, classes):
    slot, captions, labels, _ = batch
    images = pool.slot(slot).view(-1, 1, SIDE, SIDE)
    loss = loss_of(*model(images, captions, classes), labels)
    optimizer.zero_grad()
    loss.backward()
    average_gradients(model)
    optimizer.step()
    return loss.item()


def average_gradients(model) -> None:
    """As DistributedDataParallel does, but always in the same order: that one orders its buckets anew after the first step of
    a process, and three ranks that add in another order differ in the last bit after a restart."""
    gradients = [parameter.grad for parameter in model.parameters()]
    together = torch.cat([gradient.flatten() for gradient in gradients])
    dist.all_reduce(together)
    together /= dist.get_world_size()
    for gradient, part in zip(gradients, together.split([gradient.numel() for gradient in gradients])):
        gradient.copy_(part.view_as(gradient))


def mean_over_ranks(value: float) -> float:
    shared = torch.tensor(value)
    dist.all_reduce(shared)
    return (shared / dist.get_world_size()).item()


@torch.no_grad()
def measure_accuracy(model, images, labels, classes):
    _, to_class = model(enlarge(images), classes, classes)
    return (to_class.argmax(1) == labels).float().mean().item()


def digest_of(model) -> str:
    """Equal for two trainings only when every weight is equal to the last bit."""
    digest = hashlib.sha256()
    for tensor in model.state_dict().values():
        digest.update(tensor.numpy().tobytes())
    return digest.hexdigest()[:16]


@mscale.mscale_contract
def train(ctx, arguments):
    torch.manual_seed(1)
    torch.set_num_threads(1)
    rank, ranks = join_ranks()
    (images, labels), test = split_digits()
    pool = StagingPool(ROLE, arguments.batch * SIDE * SIDE)
    batches = StagedBatches(images, labels, arguments.batch, rank, ranks, pool, arguments.workers)
    model = ImageText()  # the same in each rank: the seed is
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    classes, epoch_steps, seen = class_captions(), batches.steps(), {"loss": 0.0, "mean": 0.0}
    ctx.register(model=model, optimizer=optimizer, seen=seen)  # the batches follow from the step alone
    if rank == 0:
        print(f"{ranks} ranks, {epoch_steps} steps an epoch; staging: {pool.where}", flush=True)
    begin, loader, samples = time.monotonic(), None, SampleLog(arguments.samples, rank)
    for step in ctx.steps(arguments.epochs * epoch_steps):
        if loader is None:
            loader = load_from(batches, step)
            if rank == 0 and step > 1:
                print(f"goes on with step {step}", flush=True)
        batch = next(loader)
        seen["loss"] += train_step(model, optimizer, batch, pool, classes)
        samples.note(step, batch[3])
        if step % epoch_steps == 0:
            seen["mean"], seen["loss"] = mean_over_ranks(seen["loss"] / epoch_steps), 0.0
            accuracy = measure_accuracy(model, *test, classes)
            if rank == 0:
                seconds, epoch = time.monotonic() - begin, step // epoch_steps
                print(f"epoch {epoch:3} step {step:5} loss {seen['mean']:.4f} accuracy {accuracy:.4f} at {seconds:.1f} s",
                      flush=True)
        ctx.step_done(step)
    if rank == 0:
        accuracy = measure_accuracy(model, *test, classes)
        print(f"trained: loss {seen['mean']:.4f} accuracy {accuracy:.4f} weights {digest_of(model)}", flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    train(read_arguments())
