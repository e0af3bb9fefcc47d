"""Drives tests/doubles/keeper: a double of the keeper that mscaled is."""
import json
import os
import shutil
import subprocess
import tempfile

BUILD = os.environ.get("top_builddir", ".")
SOURCE = os.environ.get("srcdir", ".")


class Keeper:
    def __init__(self, *options):
        self.directory = tempfile.mkdtemp(prefix="mscale-python-")
        self.socket = os.path.join(self.directory, "keeper.sock")
        self._process = subprocess.Popen([os.path.join(BUILD, "tests/doubles/keeper/keeper"), "--socket", self.socket, *options],
                                         stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.events = []
        self.expect("double")

    def close(self):
        self._process.communicate()
        shutil.rmtree(self.directory)

    def expect(self, member):
        for line in self._process.stdout:
            event = json.loads(line)
            self.events.append(event)
            if member in event:
                return event
        raise AssertionError(f"the double ended without '{member}'")

    def command(self, line):
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()
        while self.expect("done")["done"] != line:
            pass

    def environment(self, rank=0, ranks=1):
        """Of a rank at this keeper: a copy of ours without another job's."""
        own = {name: value for name, value in os.environ.items() if not name.startswith(("SLURM_", "MSCALE_", "RANK", "WORLD"))}
        own.update(MSCALE_KEEPER=self.socket, RANK=str(rank), WORLD_SIZE=str(ranks),
                   PYTHONPATH=os.path.join(SOURCE, "python"), PYTHONDONTWRITEBYTECODE="1",
                   LD_LIBRARY_PATH=os.path.join(BUILD, ".libs"), OMP_NUM_THREADS="1")
        return own


def run(keeper, script, *arguments, rank=0, ranks=1):
    """A program of the tests at the keeper: exit status, the objects that it printed line by line, what it said otherwise."""
    done = subprocess.run(["/usr/bin/python3", os.path.join(SOURCE, "tests/python", script), *map(str, arguments)],
                          env=keeper.environment(rank, ranks), capture_output=True, text=True, check=False, timeout=300)
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    return done.returncode, lines, done.stderr
