"""The loader's staging pool: batches travel from the loader to the trainer through the job's own huge pages."""
import mmap
import os

import torch


class StagingPool:
    """Shared memory that is mapped before the loader forks, cut into slots of one batch each.

    With a contract it is a file in the job's hugetlbfs mount; without one, or without pages, it is ordinary memory.
    """

    def __init__(self, role: str, floats_per_slot: int):
        prefix = f"MSCALE_ROLE_{role.upper()}_HUGEPAGE"
        directory = os.environ.get(prefix + "S")
        if directory:
            size = int(os.environ[prefix + "_BYTES"]) * int(os.environ[prefix + "_COUNT"])
            self.memory = _map_file(directory, f"staging.{os.getpid()}", size)
            self.where = f"{size >> 20} MiB of huge pages in {directory}"
        else:
            size = 16 << 20
            self.memory = mmap.mmap(-1, size)
            self.where = f"{size >> 20} MiB of ordinary memory (no huge pages promised)"
        self.floats = torch.frombuffer(self.memory, dtype=torch.float32)
        self.floats.zero_()
        self.per_slot = floats_per_slot
        self.slots = len(self.floats) // floats_per_slot

    def touch(self) -> None:
        """Maps every page into this process now: none is missing, and none has to be waited for, in the first steps."""
        self.floats[:: mmap.PAGESIZE // 4].sum()

    def slot(self, index: int) -> torch.Tensor:
        begin = index * self.per_slot
        return self.floats[begin : begin + self.per_slot]


def _map_file(directory: str, name: str, size: int) -> mmap.mmap:
    path = os.path.join(directory, name)
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        os.ftruncate(descriptor, size)
        return mmap.mmap(descriptor, size)
    finally:
        os.close(descriptor)
        os.unlink(path)  # the mapping keeps the pages
