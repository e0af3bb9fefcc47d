"""Real handwritten digits (the UCI set that scikit-learn ships) with captions, and the loader that prepares batches."""
import itertools
import os
import random
import subprocess

import torch
from sklearn.datasets import load_digits
from torch.utils.data import DataLoader, Dataset, Sampler

ROLE = "image_loader"
SIDE = 16  # pixels of a prepared image
NAMES = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
TEMPLATES = ["a {}", "the digit {}", "a handwritten {}", "a photo of the number {}", "{} written by hand"]
WORDS = ["<pad>"] + sorted({word for text in TEMPLATES for word in text.split()} - {"{}"}) + NAMES
CAPTION_LENGTH = max(len(text.split()) for text in TEMPLATES)


def tokens_of(caption: str) -> list:
    ids = [WORDS.index(word) for word in caption.split()]
    return ids + [0] * (CAPTION_LENGTH - len(ids))


def class_captions() -> torch.Tensor:
    """One neutral caption of each digit: classifying is finding the nearest of them."""
    return torch.tensor([tokens_of(f"the digit {name}") for name in NAMES])


def split_digits():
    """1500 images to train on and 297 to test with, always the same ones."""
    digits = load_digits()
    order = torch.randperm(len(digits.target), generator=torch.Generator().manual_seed(1))
    images = torch.tensor(digits.images, dtype=torch.float32)[order] / 16.0
    labels = torch.tensor(digits.target)[order]
    return (images[:1500], labels[:1500]), (images[1500:], labels[1500:])


def enlarge(images: torch.Tensor) -> torch.Tensor:
    return torch.nn.functional.interpolate(images.unsqueeze(1), size=(SIDE, SIDE), mode="bilinear", align_corners=False)


def distort(images: torch.Tensor) -> torch.Tensor:
    """Small turns, stretches and shifts: every epoch sees new images."""
    count = len(images)
    angle = (torch.rand(count) - 0.5) * 0.5
    scale = 0.9 + torch.rand(count) * 0.25
    turn = torch.stack([scale * angle.cos(), -scale * angle.sin(), scale * angle.sin(), scale * angle.cos()], dim=1)
    shift = (torch.rand(count, 2, 1) - 0.5) * 0.3
    place = torch.cat([turn.view(count, 2, 2), shift], dim=2)
    grid = torch.nn.functional.affine_grid(place, [count, 1, SIDE, SIDE], align_corners=False)
    return torch.nn.functional.grid_sample(enlarge(images), grid, align_corners=False)


class StagedBatches(Dataset):
    """Each item is a whole batch: its images are written into a slot of the pool, only the slot's number travels."""

    def __init__(self, images, labels, batch: int, rank: int, ranks: int, pool, workers: int):
        self.images, self.labels, self.batch, self.pool = images, labels, batch, pool
        self.rank, self.ranks, self.workers = rank, ranks, workers
        self.next_slot = 0

    def steps(self) -> int:
        """Steps of an epoch: together the ranks see each image once, less what does not fill a step."""
        return len(self.labels) // (self.batch * self.ranks)

    def __getitem__(self, step: int):
        """The batch of a training step, counted from 1: always the same, whichever process makes it and when."""
        torch.manual_seed(step * self.ranks + self.rank)
        random.seed(step * self.ranks + self.rank)
        epoch, index = divmod(step - 1, self.steps())
        order = torch.randperm(len(self.labels), generator=torch.Generator().manual_seed(epoch))
        begin = (index * self.ranks + self.rank) * self.batch
        chosen = order[begin : begin + self.batch]
        labels = self.labels[chosen]
        captions = [tokens_of(random.choice(TEMPLATES).format(NAMES[label])) for label in labels]
        slot = self._take_slot()
        self.pool.slot(slot).copy_(distort(self.images[chosen]).flatten())
        return slot, torch.tensor(captions), labels, chosen

    def _take_slot(self) -> int:
        # Each loader process goes round in its own part of the pool, which holds more batches than can be under way.
        worker = torch.utils.data.get_worker_info()
        own = self.pool.slots // self.workers
        self.next_slot = (self.next_slot + 1) % own
        return (worker.id if worker else 0) * own + self.next_slot


def take_place(worker: int) -> None:
    """Runs in each loader process: bind it to the cores of its role and tell mscaled about it."""
    torch.set_num_threads(1)
    torch.utils.data.get_worker_info().dataset.pool.touch()
    if ROLE in os.environ.get("MSCALE_ROLES", "").split(","):
        subprocess.run(["mscale", "exec", "--role", ROLE, "--pid", str(os.getpid())], check=True)


class StepsFrom(Sampler):
    """All training steps from one on, so that the loader processes can stay as they are from epoch to epoch."""

    def __init__(self, first: int):
        self.first = first

    def __iter__(self):
        return itertools.count(self.first)


def load_from(batches: StagedBatches, first: int):
    """The batches of step `first` and those after it, prepared ahead; draws no random numbers of this process."""
    return iter(DataLoader(batches, batch_size=None, sampler=StepsFrom(first), num_workers=batches.workers, prefetch_factor=2,
                           worker_init_fn=take_place, generator=torch.Generator()))
