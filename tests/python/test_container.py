"""From inside a container (own root, mounts, processes and users) only the passed socket matters."""
import os
import shutil
import subprocess
import tempfile
import unittest

from double import BUILD, Keeper

ENTER = """set -e
mount --bind "$1" "$1"
mkdir -p "$1/keeper" "$1/old" "$1/proc"
mount --bind "$2" "$1/keeper"
mount -t proc proc "$1/proc"
cd "$1" && pivot_root . old
shift 2
exec /old/usr/bin/env -i LD_LIBRARY_PATH=/lib MSCALE_KEEPER=/keeper/keeper.sock RANK=0 WORLD_SIZE=1 \\
    /old/bin/sh -c 'cd / && LD_LIBRARY_PATH=$(echo /old/usr/lib/*-linux-gnu) /old/bin/umount -l /old && exec "$@"' sh "$@"
"""


class Container(unittest.TestCase):
    def make_root(self):
        """A directory with the example in C, and of the host's libraries only what it is linked with."""
        root = tempfile.mkdtemp(prefix="mscale-root-")
        self.addCleanup(shutil.rmtree, root)
        for name in ("lib", "lib64"):
            os.mkdir(os.path.join(root, name))
        program = os.path.join(BUILD, "examples/.libs/heat")
        shutil.copy(program, os.path.join(root, "heat"))
        linked = subprocess.run(["ldd", program], env={**os.environ, "LD_LIBRARY_PATH": os.path.join(BUILD, ".libs")},
                                capture_output=True, text=True, check=True).stdout
        for path in [word for word in linked.split() if word.startswith("/")]:
            shutil.copy(path, os.path.join(root, "lib64" if "ld-linux" in path else "lib"))
        return root

    def run_inside(self, root, keeper, *arguments):
        done = subprocess.run(["unshare", "--user", "--map-root-user", "--mount", "--pid", "--fork", "sh", "-c", ENTER, "sh",
                               root, keeper.directory, "/heat", *map(str, arguments)], capture_output=True, text=True, check=False)
        return done.returncode, done.stdout.splitlines(), done.stderr

    def test_saves_and_goes_on(self):
        keeper = Keeper("--every", "100")
        self.addCleanup(keeper.close)
        root = self.make_root()
        status, lines, words = self.run_inside(root, keeper, 32, 300)
        self.assertEqual((status, words), (0, ""))
        self.assertEqual(lines[-1].split()[:2], ["step", "300"])
        keeper.expect("committed")
        status, again, words = self.run_inside(root, keeper, 32, 300)
        self.assertEqual((status, words), (0, ""))
        self.assertTrue(again[0].startswith("goes on with step"), again)


if __name__ == "__main__":
    unittest.main()
