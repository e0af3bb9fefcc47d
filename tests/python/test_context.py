"""What a program sees of its keeper: none, one that dies and comes back, one that says no."""
import json
import os
import subprocess
import time
import unittest
import warnings

import mscale
from double import SOURCE, Keeper


class Program:
    def __init__(self, keeper, *words, rank=0, ranks=1):
        self._process = subprocess.Popen(["/usr/bin/python3", os.path.join(SOURCE, "tests/python/save_often.py"), *words],
                                         env=keeper.environment(rank, ranks), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                         text=True)
        self.warnings = []

    def read(self):
        """What it says next; warnings are kept apart."""
        while True:
            said = json.loads(self._process.stdout.readline())
            if "warning" not in said:
                return said
            self.warnings.append(said["warning"])

    def write(self, line):
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()

    def steps(self, count):
        self.write(f"step {count}")
        return self.read()

    def kill(self):
        self._process.kill()
        self._process.wait()
        self._process.stdin.close()
        self._process.stdout.close()


class AtKeeper(unittest.TestCase):
    def start(self, *options):
        self.keeper = Keeper("--every", "1", *options)
        self.addCleanup(self.keeper.close)
        return self.program()

    def program(self, *words, rank=0, ranks=1):
        program = Program(self.keeper, *words, rank=rank, ranks=ranks)
        self.addCleanup(program.kill)
        return program

    def step_until(self, program, seen, what):
        for _ in range(200):
            said = program.steps(1)
            if seen(said):
                return said
            time.sleep(0.02)
        raise AssertionError(f"never came: {what}")

    def test_saves_are_committed_and_gone_on_from(self):
        program = self.start()
        self.assertEqual(program.read(), {"at": 1, "sum": 0, "committed": None, "saves": True, "rank": 0, "ranks": 1})
        said = self.step_until(program, lambda said: (said["committed"] or 0) >= 3, "a commit")
        program.kill()
        again = self.program().read()
        self.assertGreaterEqual(again["at"], said["committed"] + 1)
        self.assertEqual(again["sum"], sum(range(again["at"])))

    def test_a_killed_keeper_ends_nothing_and_is_joined_again(self):
        program = self.start()
        program.read()
        self.step_until(program, lambda said: said["committed"], "a commit")
        self.keeper.command("drop")
        before = program.steps(5)
        self.assertTrue(any("MSC-R008" in warning for warning in program.warnings))
        self.keeper.command("listen")
        self.step_until(program, lambda said: said["committed"] > before["committed"], "a commit after the keeper is back")
        self.assertEqual(len(program.warnings), len(set(program.warnings)), "a warning is told once")

    def test_what_no_later_run_could_take_back_is_left_out_and_told(self):
        program = self.start()
        program.read()
        before = self.step_until(program, lambda said: said["committed"], "a commit")
        program.write("spoil")
        said = program.steps(5)
        self.assertEqual([warning for warning in program.warnings if "state/spoilt: " not in warning or "function" not in warning], [])
        self.assertEqual(len(program.warnings), 1)
        self.assertLessEqual(said["committed"], before["at"], "a snapshot that can't be used was committed")
        program.kill()
        again = self.program().read()
        self.assertEqual(again["sum"], sum(range(again["at"])))
        self.assertGreater(again["at"], 1)

    def test_a_pause_is_told_by_the_step_that_is_done(self):
        program = self.start()
        program.read()
        self.assertEqual(program.steps(3)["at"], 4)
        for _ in range(2):  # a rank tells its step at most every 50 ms
            time.sleep(0.1)
            program.write("pause")
        self.assertEqual(self.keeper.expect("again")["again"], 3)

    def test_a_state_dict_that_raises_ends_nothing(self):
        program = self.start()
        program.read()
        program.write("break")
        self.assertEqual(program.steps(5)["at"], 6)
        self.assertEqual([warning for warning in program.warnings if "ZeroDivisionError" not in warning], [])
        self.assertEqual(len(program.warnings), 1)

    def test_a_program_without_state_is_told_before_it_joins(self):
        self.keeper = Keeper()
        self.addCleanup(self.keeper.close)
        self.assertIn("ctx.register(model=model", self.program("bare").read()["refused"])
        self.keeper.command("commit")
        self.assertFalse([event for event in self.keeper.events if "joined" in event])

    def test_a_slow_keeper_leaves_saves_out_and_ends_nothing(self):
        program = self.start()
        program.read()
        self.keeper.command("hold")
        said = program.steps(10)
        self.assertEqual((said["at"], program.warnings), (11, []))
        self.keeper.command("commit")
        self.step_until(program, lambda said: (said["committed"] or 0) > 11, "a commit")

    def test_degraded_is_a_warning(self):
        program = self.start()
        program.read()
        self.keeper.command("degraded 1")
        program.steps(2)
        self.assertTrue(any("MSC-R012" in warning for warning in program.warnings))

    def test_a_damaged_snapshot_falls_back_to_the_older_one(self):
        program = self.start()
        program.read()
        said = self.step_until(program, lambda said: (said["committed"] or 0) >= 4, "a commit")
        program.kill()
        self.keeper.command("flip 0 0 3")
        again = self.program().read()
        self.assertLess(again["at"], said["at"] + 1)
        self.assertGreater(again["at"], 1)
        self.assertEqual(again["sum"], sum(range(again["at"])))

    def test_the_end_of_the_job_saves_and_leaves_at_the_named_step(self):
        program = self.start()
        program.read()
        self.keeper.command("exit 5")
        self.assertEqual(program.steps(100), {"ended": 5})

    def test_the_last_save_waits_for_the_one_before_it(self):
        program = self.start()
        program.read()
        self.step_until(program, lambda said: said["committed"], "a commit")
        self.keeper.command("hold")
        at = program.steps(2)["at"]
        self.keeper.command(f"exit {at}")
        program.write("step 100")
        time.sleep(0.3)
        self.keeper.command("commit")
        self.assertEqual(program.read(), {"ended": at})
        while self.keeper.expect("committed")["step"] != at:
            pass

    def test_no_room_or_no_snapshot_left_ends_the_start(self):
        self.keeper = Keeper()
        self.addCleanup(self.keeper.close)
        for code in ("MSC-R004", "MSC-R005"):
            self.keeper.command(f"refuse {code}")
            self.assertIn(code, self.program().read()["refused"])


class Outside(unittest.TestCase):
    def setUp(self):
        for name in [name for name in os.environ if name.startswith(("SLURM_", "MSCALE_"))]:
            del os.environ[name]

    def test_the_function_just_runs(self):
        @mscale.mscale_contract
        def train(ctx, extra):
            ctx.register(state={})
            return [*ctx.steps(3)], extra, ctx.saves, ctx.committed()

        self.assertEqual(train("x"), ([1, 2, 3], "x", False, None))

    def test_a_function_without_ctx_finds_it(self):
        @mscale.mscale_contract
        def train():
            return mscale.current()

        self.assertIsInstance(train(), mscale.Context)
        self.assertIsNone(mscale.current())

    def test_what_has_no_state_is_told_with_the_cure(self):
        import torch
        ctx = mscale.Context()
        for thing, cure in ((object(), "state_dict"), (torch.utils.data.DataLoader([1, 2]), "Loader.of")):
            with self.assertRaisesRegex(mscale.StateError, cure):
                ctx.register(thing=thing)
        ctx.register(state={"thing": object()})
        with self.assertRaisesRegex(mscale.StateError, "state/thing"):
            next(ctx.steps(1))

    def test_kinds_of_state_that_the_contract_names_must_be_registered(self):
        @mscale.mscale_contract(fault_tolerance={"lr_scheduler": True})
        def train(ctx):
            ctx.register(state={})
            return [*ctx.steps(1)]

        with self.assertRaisesRegex(mscale.StateError, "lr_scheduler"):
            train()

    def test_steps_out_of_order_are_errors(self):
        ctx = mscale.Context()
        for step in ctx.steps(2):
            ctx.step_done(step)
            for wrong in (step, step + 1):
                with self.assertRaises(mscale.StateError):
                    ctx.step_done(wrong)

    def test_it_imports_and_runs_without_torch_and_numpy(self):
        script = ("import sys\nsys.modules['torch'] = sys.modules['numpy'] = None\nimport mscale\n"
                  "@mscale.mscale_contract\ndef f(ctx):\n    ctx.register(a={'b': 1.5})\n    return list(ctx.steps(2))\n"
                  "assert f() == [1, 2]\n")
        with warnings.catch_warnings():
            subprocess.run(["/usr/bin/python3", "-c", script], check=True)


if __name__ == "__main__":
    unittest.main()
