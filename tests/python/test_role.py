"""Threads and loader processes take their role's place, and leave it."""
import os
import threading
import unittest
from unittest import mock

import mscale
import torch

ALL = os.sched_getaffinity(0)
FIRST = {min(ALL)}
JOB = {"MSCALE_ROLES": "image_loader,tokenizer", "MSCALE_ROLE_IMAGE_LOADER_CPUS": str(min(ALL)),
       "MSCALE_ROLE_TOKENIZER_CPUS": ",".join(map(str, sorted(ALL))), "MSCALE_ROLE_IMAGE_LOADER_NUMA": "0"}


def policy():
    """What the kernel says of this thread's memory, by a mapping of its own."""
    with open("/proc/thread-self/numa_maps", encoding="ascii") as maps:
        return {line.split()[1] for line in maps}


class Affinities(torch.utils.data.Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, index):
        return index, sorted(os.sched_getaffinity(0)), sorted(policy())


class Roles(unittest.TestCase):
    def setUp(self):
        patch = mock.patch.dict(os.environ, JOB)
        patch.start()
        self.addCleanup(patch.stop)
        for name in ("LOCAL_RANK", "SLURM_LOCALID"):
            os.environ.pop(name, None)

    def test_a_block_runs_in_the_roles_place(self):
        with mscale.role("image_loader") as entered:
            self.assertTrue(entered)
            self.assertEqual(os.sched_getaffinity(0), FIRST)
            self.assertEqual(policy(), {"bind:0"})
        self.assertEqual(os.sched_getaffinity(0), ALL)
        self.assertEqual(policy(), {"default"})

    def test_blocks_within_one_another_and_exceptions_are_undone(self):
        place = mscale.role("image_loader")
        with self.assertRaises(KeyError), place, mscale.role("tokenizer"), place:
            self.assertEqual(os.sched_getaffinity(0), FIRST)
            raise KeyError
        self.assertEqual(os.sched_getaffinity(0), ALL)

    def test_plain_calls_bind_the_calling_thread_alone(self):
        found = []

        def work():
            mscale.enter_role("image_loader")
            found.append(os.sched_getaffinity(0))
            mscale.leave_role()
            found.append(os.sched_getaffinity(0))

        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        self.assertEqual(found, [FIRST, ALL])
        self.assertEqual(os.sched_getaffinity(0), ALL)

    def test_workers_of_a_torch_loader_are_in_the_role_and_the_program_is_not(self):
        for context in ("fork", "spawn"):
            loader = torch.utils.data.DataLoader(Affinities(), batch_size=None, num_workers=2, multiprocessing_context=context,
                                                 worker_init_fn=mscale.worker_init_fn("image_loader"))
            self.assertEqual([place for _, *place in loader], [[sorted(FIRST), ["bind:0"]]] * 4)
        self.assertEqual(os.sched_getaffinity(0), ALL)

    def test_what_a_worker_does_besides_comes_after(self):
        seen = []
        mscale.worker_init_fn("image_loader", then=lambda worker: seen.append((worker, os.sched_getaffinity(0))))(3)
        mscale.leave_role()
        self.assertEqual(seen, [(3, FIRST)])

    def test_a_role_that_the_contract_does_not_have_is_told_those_it_has(self):
        with self.assertRaisesRegex(mscale.ContractError, "no cores for a role 'nobody'; its roles are: image_loader,tokenizer"):
            mscale.enter_role("nobody")
        with self.assertRaisesRegex(mscale.ContractError, "in no role"):
            mscale.leave_role()

    def test_outside_of_a_job_the_block_just_runs(self):
        for name in JOB:
            del os.environ[name]
        with mscale.role("image_loader") as entered:
            self.assertFalse(entered)
            self.assertEqual(os.sched_getaffinity(0), ALL)
        mscale.worker_init_fn("image_loader")(0)

    def test_a_promise_without_the_library_is_told_and_no_promise_needs_it(self):
        with mock.patch("mscale.role.load", return_value=None):
            with self.assertRaisesRegex(mscale.ContractError, "libmscale.so.0 isn't found"):
                mscale.enter_role("image_loader")
            del os.environ["MSCALE_ROLES"]
            self.assertFalse(mscale.enter_role("image_loader"))


if __name__ == "__main__":
    unittest.main()
