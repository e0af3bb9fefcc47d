#!/usr/bin/env python3
"""Trains the model data-parallel over gloo, one process per Slurm task; see README.md."""
import argparse
import os
import time

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

from data import ROLE, SIDE, StagedBatches, class_captions, enlarge, make_loader, split_digits
from model import ImageText, loss_of
from staging import StagingPool


def read_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--epochs", type=int, default=12)
    parser.add_argument("--batch", type=int, default=50, help="images of each process in a step")
    parser.add_argument("--workers", type=int, default=1, help="loader processes of each process")
    return parser.parse_args()


def join_ranks():
    rank, ranks = int(os.environ.get("SLURM_PROCID", 0)), int(os.environ.get("SLURM_NTASKS", 1))
    os.environ.setdefault("MASTER_ADDR", "127.0.0.1")
    os.environ.setdefault("MASTER_PORT", "29500")
    dist.init_process_group("gloo", rank=rank, world_size=ranks)
    return rank, ranks


def train_epoch(model, optimizer, loader, pool, classes):
    total = 0.0
    for slot, captions, labels in loader:
        images = pool.slot(slot).view(-1, 1, SIDE, SIDE)
        loss = loss_of(*model(images, captions, classes), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item()
    return mean_over_ranks(total / len(loader))


def mean_over_ranks(value: float) -> float:
    shared = torch.tensor(value)
    dist.all_reduce(shared)
    return (shared / dist.get_world_size()).item()


@torch.no_grad()
def measure_accuracy(model, images, labels, classes):
    _, to_class = model.module(enlarge(images), classes, classes)
    return (to_class.argmax(1) == labels).float().mean().item()


def main():
    arguments = read_arguments()
    torch.manual_seed(1)
    torch.set_num_threads(1)
    rank, ranks = join_ranks()
    (images, labels), test = split_digits()
    pool = StagingPool(ROLE, arguments.batch * SIDE * SIDE)
    batches = StagedBatches(images, labels, arguments.batch, rank, ranks, pool, arguments.workers)
    loader = make_loader(batches)
    model = DistributedDataParallel(ImageText())
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    classes = class_captions()
    if rank == 0:
        print(f"{ranks} ranks, {len(loader)} steps an epoch; staging: {pool.where}", flush=True)
    begin = time.monotonic()
    for epoch in range(1, arguments.epochs + 1):
        loss = train_epoch(model, optimizer, loader, pool, classes)
        accuracy = measure_accuracy(model, *test, classes)
        if rank == 0:
            seconds, step = time.monotonic() - begin, epoch * len(loader)
            print(f"epoch {epoch:3} step {step:5} loss {loss:.4f} accuracy {accuracy:.4f} at {seconds:.1f} s", flush=True)
    if rank == 0:
        print(f"trained: loss {loss:.4f} accuracy {accuracy:.4f}", flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
