"""The decorator's arguments in the one grammar, and compared with what the job holds, by a command that this test writes."""
import contextlib
import io
import os
import stat
import tempfile
import unittest

import mscale
from mscale import contract

ISSUE = {"compute_profile": "mlvm-heavy",
         "io_topology": {"image_loader": {"cpu_cores": [2, 3], "numa_node": 1},
                         "patch_embed": {"gpu_id": 0, "pcie_domain": "0000:81"},
                         "rdma_cache": {"rdma_port": "mlx5_0", "memory_pool": "hugepage_2MB"}},
         "fault_tolerance": {"recovery_point": "step_128", "stateful_io": True, "lr_scheduler": True}}

COMMAND = """#!/bin/sh
case "$1" in
check) printf '%s' '{"verdict": "VERDICT", "contract": "CHECKED", "faults": [{"code": "FAULT"}],
 "refusals": [{"code": "MSC-V001", "clause": "role.a.cores", "reason": "no such CPU"}]}'; exit CHECK ;;
status) printf '%s' '{"job": {"contract": "HELD"}}'; exit STATUS ;;
esac
"""


class Translation(unittest.TestCase):
    def test_the_whole_of_it(self):
        stated = contract.translate(None, ISSUE["compute_profile"], ISSUE["io_topology"], ISSUE["fault_tolerance"], {})
        self.assertEqual(stated.text, "mlvm-heavy,role.image_loader.cores=[2-3],role.image_loader.near=numa:1,"
                                      "role.patch_embed.gpu=0,role.patch_embed.pcie_domain=0000:81,rdma.port=mlx5_0:1,"
                                      "ft.recovery_point=step_128")
        self.assertEqual((stated.needs, stated.pool_page), (["stateful_io", "lr_scheduler"], "2MiB"))

    def test_the_short_form_and_a_text(self):
        stated = contract.translate("gpu.sm=32", None, None, None, {"ckpt_every": 10, "replicas": 1, "keep": 2, "spill_every": 500,
                                                                     "state": "8GiB"})
        self.assertEqual(stated.text, "gpu.sm=32,ft.every=10,ft.copies=1,ft.spill_every=500,ft.state=8GiB")
        with self.assertRaisesRegex(mscale.ContractError, "two snapshots"):
            contract.translate(None, None, None, None, {"keep": 3})

    def test_pools_with_and_without_a_count(self):
        roles = {"cache": {"memory_pool": "hugepage_2MB*64"}}
        self.assertEqual(contract.translate(None, None, roles, None, {}).text, "rdma.pool=2MiB*64")
        with self.assertRaisesRegex(mscale.ContractError, "hugepage_2MB"):
            contract.translate(None, None, {"cache": {"memory_pool": "big"}}, None, {})

    def test_commas_in_brackets_separate_nothing(self):
        self.assertEqual(contract.split_clauses("role.a.cores=[2,3-4],ft.every=10,gpu.needs=[fp8,nvlink]"),
                         {"role.a.cores": "[2,3-4]", "ft.every": "10", "gpu.needs": "[fp8,nvlink]"})


class Held(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.path = os.path.join(directory.name, "mscale")
        before = dict(os.environ)
        self.addCleanup(lambda: (os.environ.clear(), os.environ.update(before)))
        os.environ["PATH"] = directory.name + ":/usr/bin:/bin"
        os.environ.pop("SLURM_JOB_ID", None)

    def answer(self, checked, held="", verdict="honoured", check=0, status=0, fault="MSC-P005"):
        text = COMMAND
        for name, value in (("VERDICT", verdict), ("CHECKED", checked), ("HELD", held), ("CHECK", check), ("STATUS", status),
                            ("FAULT", fault)):
            text = text.replace(name, str(value))
        with open(self.path, "w", encoding="ascii") as file:
            file.write(text)
        os.chmod(self.path, stat.S_IRWXU)

    def call(self, **arguments):
        words = io.StringIO()
        with contextlib.redirect_stderr(words):
            result = mscale.mscale_contract(**arguments)(lambda: "ran")()
        return result, words.getvalue()

    def test_a_job_that_holds_all_of_it_runs(self):
        os.environ["SLURM_JOB_ID"] = "5"
        self.answer("role.a.cores=4,ft.every=10", "gpu.sm=32,role.a.cores=4,ft.every=10")
        self.assertEqual(contract.hold(contract.translate(None, None, None, None, {"every": 10}))["gpu.sm"], "32")

    def test_what_the_job_lacks_is_named_with_the_line_to_add(self):
        os.environ["SLURM_JOB_ID"] = "5"
        self.answer("role.a.cores=[2,3],ft.every=10", "role.a.cores=4,gpu.sm=8")
        with self.assertRaises(mscale.ContractError) as caught:
            self.call(every=10)
        self.assertIn("role.a.cores=[2,3] (the job has 4)", str(caught.exception))
        self.assertIn("\n#SBATCH --mscale-contract=+role.a.cores=[2,3],ft.every=10", str(caught.exception))

    def test_a_job_without_a_contract_gets_the_whole_line(self):
        os.environ["SLURM_JOB_ID"] = "5"
        self.answer("ft.every=10", status=2)
        with self.assertRaisesRegex(mscale.ContractError, "#SBATCH --mscale-contract=ft.every=10$"):
            self.call(every=10)

    def test_a_contract_of_the_job_that_can_not_be_read_is_an_error(self):
        os.environ["SLURM_JOB_ID"] = "5"
        self.answer("ft.every=10", status=3)
        with self.assertRaisesRegex(mscale.ContractError, "can't be read"):
            self.call(every=10)

    def test_who_states_nothing_needs_nothing_to_be_read(self):
        os.environ["SLURM_JOB_ID"] = "5"
        self.assertEqual(self.call()[0], "ran")
        self.answer("", "ft.state=1GiB", status=3)
        self.assertEqual(self.call()[0], "ran")
        self.answer("", "ft.state=1GiB")
        self.assertEqual(contract.hold(contract.translate(None, None, None, None, {})), {"ft.state": "1GiB"})

    def test_outside_a_machine_that_says_no_is_told_and_the_function_runs(self):
        self.answer("ft.every=10", verdict="refused", check=1)
        result, words = self.call(every=10)
        self.assertEqual(result, "ran")
        self.assertIn("MSC-V001 role.a.cores: no such CPU", words)

    def test_faults_of_the_text_are_errors_everywhere(self):
        self.answer("", verdict="invalid", check=2)
        with self.assertRaisesRegex(mscale.ContractError, "faults"):
            self.call(every="often")

    def test_a_profile_of_another_site_is_an_error_in_a_job_only(self):
        self.answer("", verdict="invalid", check=2, fault="MSC-P017")
        result, words = self.call(compute_profile="mlvm-heavy")
        self.assertEqual(result, "ran")
        self.assertIn("runs without it", words)
        os.environ["SLURM_JOB_ID"] = "5"
        with self.assertRaisesRegex(mscale.ContractError, "faults"):
            self.call(compute_profile="mlvm-heavy")

    def test_cores_are_written_as_ranges(self):
        for cores, text in (([2, 3], "2-3"), ([8, 0, 1, 1, 5], "0-1,5,8"), ((4,), "4")):
            roles = {"a": {"cpu_cores": cores}}
            self.assertEqual(contract.translate(None, None, roles, None, {}).text, f"role.a.cores=[{text}]")

    def test_a_pool_whose_pages_the_profile_does_not_count_is_an_error(self):
        self.answer("rdma.port=mlx5_0:1")
        with self.assertRaisesRegex(mscale.ContractError, r"2MiB\*COUNT"):
            self.call(**ISSUE)
        self.answer("rdma.port=mlx5_0:1,rdma.pool=2MiB*64")
        stated = {**ISSUE, "fault_tolerance": {}}
        self.assertEqual(self.call(**stated)[0], "ran")

    def test_without_the_command_the_function_runs_outside_and_not_in_a_job(self):
        result, words = self.call(every=10)
        self.assertEqual(result, "ran")
        self.assertIn("not checked", words)
        os.environ["SLURM_JOB_ID"] = "5"
        with self.assertRaisesRegex(mscale.ContractError, "isn't here"):
            self.call(every=10)


if __name__ == "__main__":
    unittest.main()
