"""The example in C: killed and gone on with, it ends with the same heat to the last bit."""
import os
import subprocess
import unittest

from double import BUILD, Keeper


def run_heat(keeper, *arguments):
    done = subprocess.run([os.path.join(BUILD, "examples/heat"), *map(str, arguments)], env=keeper.environment(),
                          capture_output=True, text=True, check=False)
    return done.returncode, done.stdout.splitlines(), done.stderr


class Heat(unittest.TestCase):
    def keeper(self):
        keeper = Keeper("--every", "100")
        self.addCleanup(keeper.close)
        return keeper

    def test_a_killed_run_goes_on_where_it_was(self):
        status, wanted, words = run_heat(self.keeper(), 64, 1000)
        self.assertEqual(status, 0, words)
        keeper = self.keeper()
        status, before, words = run_heat(keeper, 64, 1000, 550)
        self.assertEqual(status, -9, words)
        status, after, words = run_heat(keeper, 64, 1000)
        self.assertEqual((status, words), (0, ""))
        first = int(after[0].removeprefix("goes on with step "))
        self.assertGreater(first, 100)
        self.assertEqual(before[:first // 100] + after[1:], wanted)

    def test_a_keeper_that_says_no_ends_the_start(self):
        keeper = self.keeper()
        keeper.command("refuse MSC-R004")
        status, _, words = run_heat(keeper, 64, 10)
        self.assertEqual(status, 1)
        self.assertIn("MSC-R004", words)


if __name__ == "__main__":
    unittest.main()
