"""torchrun with two workers in one task of Slurm: their ranks come from torchrun, and a dead rank costs no step that was safe."""
import json
import os
import subprocess
import unittest

from double import SOURCE, Keeper

STEPS = 12


def run_workers(keeper, *arguments, **more):
    """The exit status, and the lines of both ranks by step and rank."""
    own = keeper.environment()
    del own["RANK"], own["WORLD_SIZE"]
    own.update(SLURM_PROCID="0", SLURM_NTASKS="1", MSCALE_RUN="1", **more)
    done = subprocess.run(["/usr/bin/python3", "-m", "torch.distributed.run", "--nproc_per_node=2",
                           "--rdzv_backend=c10d", "--rdzv_endpoint=localhost:0",
                           "--redirects=1", "--tee=1", f"--log_dir={keeper.directory}/logs",  # 1.13 fails on 0 and 3
                           os.path.join(SOURCE, "tests/python/train_ranks.py"), str(STEPS), *map(str, arguments)],
                          env=own, capture_output=True, text=True, check=False, timeout=300)
    lines = [json.loads(line[line.index("{"):]) for line in done.stdout.splitlines() if "{" in line]
    return done.returncode, {(line["step"], line["rank"]): line for line in lines}, done.stderr


class Torchrun(unittest.TestCase):
    def keeper(self):
        keeper = Keeper("--every", "2", "--ranks", "2", "--ops", "restored")
        self.addCleanup(keeper.close)
        return keeper

    def test_a_killed_rank_and_a_new_run(self):
        status, wanted, words = run_workers(self.keeper())
        self.assertEqual(status, 0, words)
        self.assertEqual(len(wanted), 2 * STEPS)
        self.assertEqual({tuple(line["ranks"]) for line in wanted.values()}, {(0, 2), (1, 2)})
        keeper = self.keeper()
        status, before, _ = run_workers(keeper, 1, 7)
        self.assertNotEqual(status, 0)
        status, after, words = run_workers(keeper)
        self.assertEqual(status, 0, words)
        first = min(step for step, _ in after)
        self.assertGreater(first, 1)
        self.assertEqual(sorted(after), [(step, rank) for step in range(first, STEPS + 1) for rank in (0, 1)])
        self.assertEqual({**before, **after}, wanted)
        self.assertEqual({**{key: line for key, line in before.items() if key[0] < first}, **after}, wanted)

    def test_restarts_of_both_are_refused(self):
        status, lines, words = run_workers(self.keeper(), PET_MAX_RESTARTS="0")
        self.assertEqual((status, len(lines)), (0, 2 * STEPS), words)
        status, lines, words = run_workers(self.keeper(), PET_MAX_RESTARTS="1")
        self.assertNotEqual(status, 0)
        self.assertEqual(lines, {})
        self.assertIn("begins its workers anew up to 1 times", words)


if __name__ == "__main__":
    unittest.main()
