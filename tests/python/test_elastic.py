"""Real data-parallel PyTorch: four ranks, then two, then three go on with one training; or are refused, with the reason."""
import collections
import json
import os
import socket
import subprocess
import unittest

from double import SOURCE, Keeper

SAMPLES, EPOCH = 60, 5  # steps of an epoch


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def run_ranks(keeper, ranks, what, steps):
    """Exit statuses, all lines of all ranks, and all that they said otherwise."""
    port = free_port()
    started = [subprocess.Popen(["/usr/bin/python3", os.path.join(SOURCE, "tests/python/train_elastic.py"), what, str(steps)],
                                env={**keeper.environment(rank, ranks), "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port)},
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for rank in range(ranks)]
    ended = [process.communicate(timeout=300) for process in started]
    lines = [json.loads(line) for out, _ in ended for line in out.splitlines() if line.startswith("{")]
    return [process.returncode for process in started], lines, "".join(words for _, words in ended)


class Elastic(unittest.TestCase):
    def keeper(self, ranks):
        keeper = Keeper("--every", "2", "--ranks", str(ranks), "--ops", "restored", "--data-bytes", str(1 << 20))
        self.addCleanup(keeper.close)
        return keeper

    def run_well(self, keeper, ranks, steps, what="shared"):
        status, lines, words = run_ranks(keeper, ranks, what, steps)
        self.assertEqual(status, [0] * ranks, words)
        return lines

    def models_of(self, lines, member, number):
        """What the ranks say that the model is; they must agree."""
        models = {line["model"] for line in lines if line.get(member) == number}
        self.assertEqual(len(models), 1, f"{member} {number}: {models}")
        return models.pop()

    def test_four_then_two_then_three(self):
        keeper = self.keeper(4)
        all_lines, last = [], None
        for ranks, until in ((4, 4), (2, 8), (3, 14)):
            if ranks != 4:
                keeper.command(f"ranks {ranks}")
            lines = self.run_well(keeper, ranks, until)
            first = min(line["begins"] for line in lines if "begins" in line)
            self.assertEqual(first, len({line["step"] for line in all_lines}) + 1)
            if last is not None:
                self.assertEqual(self.models_of(lines, "begins", first), last)
                self.assertEqual(len({line["drawn"] for line in lines if "begins" in line}), ranks, "two ranks draw the same")
            lines = [line for line in lines if "step" in line]
            self.assertEqual(sorted((line["step"], line["rank"]) for line in lines),
                             [(step, rank) for step in range(first, until + 1) for rank in range(ranks)])
            for step in range(first, until + 1):
                last = self.models_of(lines, "step", step)
            all_lines += lines
        for begin in (1, 1 + EPOCH):
            used = collections.Counter(sample for line in all_lines if begin <= line["step"] < begin + EPOCH
                                       for sample in line["samples"])
            self.assertEqual(used, collections.Counter(map(float, range(SAMPLES))))

    def test_the_same_number_goes_on_exactly(self):
        wanted = self.run_well(self.keeper(2), 2, 8)
        keeper = self.keeper(2)
        before, after = self.run_well(keeper, 2, 4), self.run_well(keeper, 2, 8)
        steps = lambda lines: {(line["step"], line["rank"]): line for line in lines if "step" in line}
        self.assertEqual({**steps(before), **steps(after)}, steps(wanted))
        self.assertEqual(len(steps(after)), 8)

    def refused(self, what):
        keeper = self.keeper(2)
        self.run_well(keeper, 2, 4, what)
        keeper.command("ranks 1")
        status, lines, words = run_ranks(keeper, 1, what, 8)
        self.assertNotEqual(status, [0])
        self.assertEqual(lines, [])
        return words

    def test_a_program_that_says_nothing_is_refused(self):
        self.assertIn("of another number of ranks", self.refused("plain"))

    def test_what_each_rank_has_of_its_own_is_refused_by_name(self):
        self.assertIn("diary: each of the 2 ranks that saved it has its own, and 1 can't take it", self.refused("own"))

    def test_what_is_said_to_be_shared_and_differs_is_refused(self):
        self.assertIn("'mscale/shared': it is said to be shared, but ranks 0 and 1 saved different bytes", self.refused("unequal"))


if __name__ == "__main__":
    unittest.main()
