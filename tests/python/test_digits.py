"""The digits example: killed twice from outside, it ends with the same weights to the last bit."""
import os
import subprocess
import unittest

from double import SOURCE, Keeper

PROGRAM = ["/usr/bin/python3", os.path.join(SOURCE, "examples/digits/train.py"), "--epochs", "6"]


class Digits(unittest.TestCase):
    def keeper(self):
        keeper = Keeper("--every", "7")
        self.addCleanup(keeper.close)
        return keeper

    def run_until(self, keeper, last):
        """The lines up to the one that begins with `last`, at which the training is killed."""
        own = {**keeper.environment(), "MASTER_PORT": "0"}
        process = subprocess.Popen(PROGRAM, env=own, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        lines = []
        for line in process.stdout:
            lines.append(line.strip().split(" at ")[0])
            if line.startswith(last):
                break
        if not last.startswith("trained"):
            process.kill()
        process.stdout.close()
        process.wait()
        return lines

    def test_two_kills_change_no_bit(self):
        wanted = self.run_until(self.keeper(), "trained")
        keeper = self.keeper()
        self.run_until(keeper, "epoch   2")
        second = self.run_until(keeper, "epoch   4")
        third = self.run_until(keeper, "trained")
        self.assertRegex(second[1], r"^goes on with step \d+$")
        self.assertRegex(third[1], r"^goes on with step \d+$")
        self.assertEqual(third[2:], wanted[-len(third[2:]):])
        self.assertIn("weights", third[-1])


if __name__ == "__main__":
    unittest.main()
