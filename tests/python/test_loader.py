"""The loader's place is what was trained, and samples are the same whichever worker makes them."""
import random
import unittest

import torch
from mscale import Loader, StateError


class Draws(torch.utils.data.Dataset):
    def __len__(self):
        return 20

    def __getitem__(self, index):
        return index, random.random() + float(torch.rand(()))


def batches(loader):
    return [(indices.tolist(), draws.tolist()) for indices, draws in loader]


class Places(unittest.TestCase):
    def test_what_was_fetched_and_not_trained_is_given_again(self):
        loader = Loader(list(range(20)), batch_size=4, seed=1, num_workers=2, prefetch_factor=4)
        wanted = [batch.tolist() for batch in Loader(list(range(20)), batch_size=4, seed=1)]
        it = iter(loader)
        self.assertEqual(next(it).tolist(), wanted[0])
        state = loader.state_dict()
        self.assertEqual(state["trained"], 0)
        loader.note_trained()
        self.assertEqual(loader.state_dict()["trained"], 1)
        next(it)
        other = Loader(list(range(20)), batch_size=4, seed=1)
        other.load_state_dict(loader.state_dict())
        self.assertEqual([batch.tolist() for batch in other], wanted[1:])

    def test_epochs_differ_and_the_last_batch_ends_one(self):
        loader = Loader(list(range(10)), batch_size=4, seed=1)
        first = [sample for batch in loader for sample in batch.tolist()]
        self.assertEqual((loader.epoch, loader.trained), (1, 0))
        second = [sample for batch in loader for sample in batch.tolist()]
        self.assertEqual(sorted(first), sorted(second))
        self.assertNotEqual(first, second)

    def test_random_numbers_of_samples_do_not_depend_on_workers_or_the_program(self):
        found = []
        for workers in (0, 1, 3):
            random.seed(workers)
            torch.manual_seed(workers)
            before = random.getstate(), torch.get_rng_state()
            found.append(batches(Loader(Draws(), batch_size=4, seed=7, num_workers=workers)))
            self.assertEqual(random.getstate(), before[0])
            self.assertTrue(torch.equal(torch.get_rng_state(), before[1]))
        self.assertEqual(found[0], found[1])
        self.assertEqual(found[0], found[2])

    def test_ranks_share_each_batch_evenly(self):
        whole = Loader(list(range(23)), 6, seed=3).order_of(0)
        for drop_last, batches in ((False, 4), (True, 3)):
            loaders = [Loader(list(range(23)), 2, seed=3, rank=rank, ranks=3, drop_last=drop_last) for rank in range(3)]
            parts = [[batch.tolist() for batch in loader] for loader in loaders]
            self.assertEqual([len(part) for part in parts], [batches] * 3)
            self.assertEqual({loader.epoch for loader in loaders}, {1})
            for index in range(3):
                self.assertEqual(sum((part[index] for part in parts), []), whole[6 * index:6 * index + 6])
            if not drop_last:
                self.assertEqual([len(part[3]) for part in parts], [1, 1, 1])

    def test_other_numbers_of_ranks_and_batches_use_each_sample_of_the_epoch_once(self):
        used, place = [], None
        for ranks, batch, steps in ((4, 3, 2), (2, 4, 1), (3, 2, 3), (1, 5, 1), (5, 1, None)):
            loaders = [Loader(list(range(60)), batch, seed=3, rank=rank, ranks=ranks) for rank in range(ranks)]
            for loader in loaders:
                if place is not None: # as libmscale joins and splits it
                    loader.take_cursor({**place, "consumed": place["consumed"] + place["batches"] * place["batch"] * place["ranks"],
                                        "batches": 0, "batch": batch, "rank": loader.rank, "ranks": ranks})
                its = iter(loader)
                for _ in range(len(loader) if steps is None else steps):
                    used += next(its).tolist()
                    loader.note_trained()
            place = loaders[0].cursor(100)
        self.assertEqual(sorted(used), list(range(60)))
        self.assertEqual((place["epoch"], place["consumed"], place["batches"]), (1, 0, 0))

    def test_fewer_samples_than_ranks_end_the_epoch(self):
        loader = Loader(list(range(10)), 1, seed=3, rank=0, ranks=4)
        loader.take_cursor({"epoch": 2, "consumed": 7, "batches": 0})
        self.assertEqual((loader.epoch, loader.begin, len(loader)), (3, 0, 2))

    def test_a_loader_of_another_shape_is_refused_with_the_reason(self):
        state = Loader(list(range(10)), 2, seed=1).state_dict()
        for other in (Loader(list(range(11)), 2, seed=1), Loader(list(range(10)), 3, seed=1), Loader(list(range(10)), 2, seed=2)):
            with self.assertRaisesRegex(StateError, "lost or seen twice"):
                other.load_state_dict(state)

    def test_a_torch_loader_is_taken_over_with_its_options(self):
        torchs = torch.utils.data.DataLoader(list(range(10)), 4, shuffle=False, drop_last=True,
                                             collate_fn=lambda batch: tuple(batch))
        self.assertEqual(list(Loader.of(torchs)), [(0, 1, 2, 3), (4, 5, 6, 7)])
        weighted = torch.utils.data.WeightedRandomSampler([1.0] * 10, 10)
        with self.assertRaisesRegex(StateError, "WeightedRandomSampler"):
            Loader.of(torch.utils.data.DataLoader(list(range(10)), 4, sampler=weighted))


if __name__ == "__main__":
    unittest.main()
