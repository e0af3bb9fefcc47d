"""Real PyTorch, killed and gone on with: every loss bit-equal to a run that nothing happened to, every sample used once."""
import collections
import unittest

from double import Keeper, run

STEPS, EVERY = 18, 2
MID_EPOCH, BOUNDARY = 9, 14  # an epoch has seven steps


class Restart(unittest.TestCase):
    def undisturbed(self, what):
        keeper = Keeper("--every", str(EVERY), "--data-bytes", str(1 << 20))
        self.addCleanup(keeper.close)
        status, lines, words = run(keeper, "train.py", what, STEPS)
        self.assertEqual(status, 0, words)
        self.assertEqual([line["step"] for line in lines], list(range(1, STEPS + 1)))
        return lines

    def killed(self, what, *kills):
        """The lines of the run whose steps count: each part up to the step that the next one went on from."""
        keeper = Keeper("--every", str(EVERY), "--data-bytes", str(1 << 20))
        self.addCleanup(keeper.close)
        kept = []
        for kill in (*kills, None):
            status, lines, words = run(keeper, "train.py", what, STEPS, *([] if kill is None else [kill]))
            self.assertEqual(status, 0 if kill is None else -9, words)
            first = lines[0]["step"]
            self.assertEqual((first - 1) % EVERY, 0)
            self.assertGreater(first, 1 if kept else 0, "it began from nothing")
            kept = kept[:first - 1] + lines
        return kept

    def check(self, what, *sequences):
        wanted = self.undisturbed(what)
        for kills in sequences or ((MID_EPOCH, BOUNDARY),):
            with self.subTest(what=what, kills=kills):
                found = self.killed(what, *kills)
                self.assertEqual(found, wanted)
        samples = collections.Counter(sample for line in wanted[:14] for sample in line["samples"])
        self.assertEqual(samples, collections.Counter({sample: 2 for sample in range(50)}))

    def test_momentum_and_cosine(self):
        self.check("momentum", (MID_EPOCH,), (BOUNDARY,), (3, 8, 15))

    def test_adamw_and_cosine(self):
        self.check("adamw")

    def test_onecycle(self):
        self.check("onecycle")

    def test_a_loader_with_state_of_its_own(self):
        self.check("stateful")


if __name__ == "__main__":
    unittest.main()
