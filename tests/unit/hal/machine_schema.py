#!/usr/bin/env python3
"""The JSON of this system and of every model obeys hal/machine.schema.json, and the schema refuses what is wrong.

Run by `make check` in the build tree.  Exit status 77 (skipped) without python3-jsonschema.
"""
import copy
import json
import os
import subprocess
import sys
import tempfile

try:
    import jsonschema
except ImportError:
    print("skipped: python3-jsonschema isn't installed")
    sys.exit(77)

source = os.environ.get("srcdir", ".")
cases = f"{source}/tests/fixtures/cases"
models = ["hgx-h100-2s", "dgx-a100-nps4", "kvm-flat-numa-1", "gh200-4x"]


def read_machine(path):
    printed = subprocess.run(["tests/unit/hal/print_machine", "json", path], check=True, capture_output=True)
    return json.loads(printed.stdout)


def machines(directory):
    yield "this system", read_machine("/")
    for model in models:
        tree = f"{directory}/{model}"
        subprocess.run([sys.executable, f"{cases}/unpack.py", f"{cases}/topo/{model}.sysfs", tree], check=True)
        yield tree, read_machine(tree)
        yield f"{model}.xml", read_machine(f"{cases}/topo/{model}.xml")


def damaged(machine):
    """Copies of a good machine, each with one fault that the schema must see."""
    for damage in (
        lambda m: m.pop("online"),
        lambda m: m.update(mscale_machine=2),
        lambda m: m.update(extra=1),
        lambda m: m["gpus"][0].update(sms=-1),
        lambda m: m["gpus"][0].update(pci="0000:1B:00.0"),
        lambda m: m["gpus"][0]["locality"].update(source="guess"),
        lambda m: m["cores"][0].update(cpus="3-1,"),
    ):
        copy_of_it = copy.deepcopy(machine)
        damage(copy_of_it)
        yield copy_of_it


def main():
    with open(f"{source}/hal/machine.schema.json", encoding="utf-8") as file:
        validator = jsonschema.Draft202012Validator(json.load(file))
    faults = 0
    with tempfile.TemporaryDirectory(prefix="mscale-schema.") as directory:
        for name, machine in machines(directory):
            for error in validator.iter_errors(machine):
                print(f"{name}: {error.json_path}: {error.message}")
                faults += 1
            if machine["gpus"]:
                missed = [i for i, bad in enumerate(damaged(machine)) if validator.is_valid(bad)]
                faults += len(missed)
                for i in missed:
                    print(f"{name}: damage {i} wasn't seen")
    print(f"machine schema: {faults} faults")
    return faults != 0


if __name__ == "__main__":
    sys.exit(main())
