"""A shuffled loader that knows which samples were trained, not only which were fetched."""
import hashlib

from . import rng
from .errors import StateError


def mix(*numbers):
    """A number of 63 bits that depends on all of them and on nothing else."""
    text = ",".join(map(str, numbers)).encode()
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "little") >> 1


class _Seeded:
    """A dataset whose samples are made with random numbers that depend on seed, epoch and index alone, so that they are
    the same whichever worker makes them and whenever."""

    def __init__(self, dataset, seed):
        self.dataset, self.seed = dataset, seed

    def __getitem__(self, place):
        epoch, index = place
        from torch.utils.data import get_worker_info
        if get_worker_info() is None:
            with rng.isolated(mix(self.seed, epoch, index)):
                return self.dataset[index]
        rng.seed(mix(self.seed, epoch, index))
        return self.dataset[index]

    def __len__(self):
        return len(self.dataset)


class _Batches:
    """The batches of one epoch that are left, as places for _Seeded."""

    def __init__(self, loader):
        self.loader = loader

    def __iter__(self):
        loader = self.loader
        for batch in loader.batches_of(loader.epoch)[loader.trained:]:
            yield [(loader.epoch, index) for index in batch]

    def __len__(self):
        return len(self.loader) - self.loader.trained


class Loader:
    """Iterates over one epoch, from where training stands.  `len` is the number of batches of a whole epoch, or of what was
    left of it when another number of ranks went on.

    The order depends on `seed` and the epoch alone.  Of `ranks` ranks each gets as many samples; by default those of the
    job.  Other options are those of torch.utils.data.DataLoader.
    """

    def __init__(self, dataset, batch_size=1, shuffle=True, seed=0, drop_last=False, rank=None, ranks=None, **options):
        self.dataset, self.batch_size, self.shuffle, self.seed, self.drop_last = dataset, batch_size, shuffle, seed, drop_last
        self.rank, self.ranks = (0, 1) if rank is None else (rank, ranks)
        self.given_ranks = rank is not None
        self.options = options
        self.epoch, self.trained, self._handed = 0, 0, 0
        self.begin = 0  # in the epoch's order, of the samples that as many ranks share out

    @classmethod
    def of(cls, loader, seed=0, **ranks):
        """As a torch DataLoader with its own sampler: what it loads and how, with an order that can be gone on with."""
        from torch.utils.data import RandomSampler, SequentialSampler
        if type(loader.sampler) not in (RandomSampler, SequentialSampler) or loader.batch_size is None:
            raise StateError(f"a loader with a {type(loader.sampler).__name__} of its own can't be taken over;"
                             " use mscale.Loader, or one with state_dict and load_state_dict")
        options = {name: getattr(loader, name) for name in
                   ("num_workers", "collate_fn", "pin_memory", "timeout", "worker_init_fn", "multiprocessing_context")}
        if loader.num_workers > 0:
            options["prefetch_factor"] = loader.prefetch_factor
        return cls(loader.dataset, loader.batch_size, type(loader.sampler) is RandomSampler, seed, loader.drop_last,
                   **ranks, **options)

    def take_rank(self, rank, ranks):
        """The place among the job's ranks, unless the program gave one."""
        if not self.given_ranks:
            self.rank, self.ranks = rank, ranks

    def order_of(self, epoch):
        """All ranks' samples of an epoch, in order."""
        import torch
        if not self.shuffle:
            return list(range(len(self.dataset)))
        generator = torch.Generator()
        generator.manual_seed(mix(self.seed, epoch))
        return torch.randperm(len(self.dataset), generator=generator).tolist()

    def batches_of(self, epoch):
        """This rank's part of each batch of all ranks.  Of the last one, which isn't full, all get as many samples."""
        order, share = self.order_of(epoch), self.batch_size
        batches = []
        for begin in range(self.begin if epoch == self.epoch else 0, len(order), share * self.ranks):
            part = min(share, (len(order) - begin) // self.ranks)
            if part == share or (part > 0 and not self.drop_last):
                batches.append(order[begin + self.rank * part:begin + (self.rank + 1) * part])
        return batches

    def __len__(self):
        full, rest = divmod(len(self.dataset) - self.begin, self.batch_size * self.ranks)
        return full + (rest >= self.ranks and not self.drop_last)

    def __iter__(self):
        import torch
        from torch.utils.data import DataLoader
        generator = torch.Generator()
        generator.manual_seed(mix(self.seed, self.epoch, "workers"))
        batches = DataLoader(_Seeded(self.dataset, self.seed), batch_sampler=_Batches(self), generator=generator,
                             **self.options)
        self._handed = self.trained
        epoch = self.epoch
        for batch in batches:
            self._handed += 1
            yield batch
            if self.epoch == epoch:
                self.note_trained()

    def note_trained(self):
        """What was handed out has been trained.  Called when the step is done, or the next batch is asked for."""
        self.trained = max(self.trained, self._handed)
        if self.trained >= len(self):
            self.epoch, self.begin, self.trained, self._handed = self.epoch + 1, 0, 0, 0

    def _shape(self):
        return {"samples": len(self.dataset), "batch_size": self.batch_size, "shuffle": bool(self.shuffle),
                "drop_last": bool(self.drop_last), "seed": self.seed, "ranks": self.ranks}

    def state_dict(self):
        return {"epoch": self.epoch, "begin": self.begin, "trained": self.trained, **self._shape()}

    def load_state_dict(self, state):
        for name, value in self._shape().items():
            if state[name] != value:
                raise StateError(f"the loader was saved with {name}={state[name]} and has {value} now:"
                                 " samples would be lost or seen twice")
        self.epoch, self.begin, self.trained, self._handed = state["epoch"], state.get("begin", 0), state["trained"], 0

    def order(self):
        """What the order of the samples depends on, whatever the number of ranks."""
        return {name: value for name, value in self._shape().items() if name not in ("ranks", "batch_size")}

    def check_order(self, saved):
        for name, value in self.order().items():
            if saved is None or saved[name] != value:
                raise StateError(f"the loader was saved with {name}={saved and saved[name]} and has {value} now:"
                                 " samples would be lost or seen twice")

    def cursor(self, done):
        """Where this rank stands after `done` steps, for ranks of any number."""
        return {"step": max(done - self.trained, 0), "epoch": self.epoch, "seed": self.seed % 2**64, "samples": len(self.dataset),
                "consumed": self.begin, "batches": self.trained, "rank": self.rank, "ranks": self.ranks, "batch": self.batch_size}

    def take_cursor(self, cursor):
        self.epoch, self.begin, self.trained, self._handed = cursor["epoch"], cursor["consumed"], cursor["batches"], 0
        if len(self) == 0:  # fewer samples are left than there are ranks now
            self.epoch, self.begin = self.epoch + 1, 0
