"""Files read ahead by the reader: all bytes, in their order, and no view of what was read over."""
import os
import random
import tempfile
import unittest
from unittest import mock

import mscale
import numpy


def open_files():
    return len(os.listdir("/proc/self/fd"))


class Reads(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.TemporaryDirectory(dir="/var/tmp")
        self.addCleanup(self.directory.cleanup)
        self.path = os.path.join(self.directory.name, "file")
        self.data = random.Random(1).randbytes(3 * 65536 + 1234)
        with open(self.path, "wb") as file:
            file.write(self.data)

    def test_a_whole_file_and_again(self):
        with mscale.Reader(self.path, depth=4, block=65536) as reader:
            self.assertEqual(reader.size, len(self.data))
            for _ in range(2):
                self.assertEqual([bytes(view) for view in reader],
                                 [self.data[at:at + 65536] for at in range(0, len(self.data), 65536)])
            self.assertRegex(reader.describe(), r"4 reads of 64 KiB under way, in the asked order, by (io_uring|preadv)")

    def test_extents_as_asked(self):
        extents = [(5, 7), (len(self.data) - 3, 3), (100, 0), (65530, 12), (5, 7)]
        with mscale.Reader(self.path, depth=2, block=4096) as reader:
            self.assertEqual([(index, offset, bytes(view)) for index, offset, view in reader.pieces(extents)],
                             [(i, at, self.data[at:at + length]) for i, (at, length) in enumerate(extents)])
            self.assertEqual(list(reader.read([])), [])

    def test_in_any_order_all_come_once(self):
        found = {}
        with mscale.Reader(self.path, depth=8, block=4096, any_order=True) as reader:
            for index, offset, view in reader.pieces():
                self.assertNotIn(index, found)
                found[index] = bytes(view)
        self.assertEqual(b"".join(found[index] for index in sorted(found)), self.data)

    def test_a_view_ends_when_the_next_is_asked_for(self):
        with mscale.Reader(self.path, block=4096) as reader:
            views = list(reader)
            for view in views:
                with self.assertRaisesRegex(ValueError, "released"):
                    bytes(view)
            with self.assertRaises(TypeError):
                next(iter(reader))[0] = 1

    def test_what_is_still_looked_at_is_not_read_over(self):
        for keep in (lambda view: numpy.frombuffer(view, dtype="u1"), lambda view: view[1:3]):
            with mscale.Reader(self.path, block=4096) as reader:
                views = iter(reader)
                kept = keep(next(views))
                before = bytes(kept)
                with self.assertRaisesRegex(mscale.ReadError, "still in use"):
                    next(views)
            self.assertEqual(bytes(kept), before)  # though the reader is closed

    def test_one_that_is_left_in_the_middle_leaves_nothing_behind(self):
        with mscale.Reader(self.path, block=4096):
            pass
        before = open_files()
        for _ in range(50):
            for view in mscale.Reader(self.path, depth=16, block=4096):
                break
            del view
        self.assertEqual(open_files(), before)

    def test_a_shortened_file_is_an_error_with_its_place(self):
        with mscale.Reader(self.path, depth=1, block=65536) as reader:
            views = iter(reader)
            next(views)
            os.truncate(self.path, 70000)
            with self.assertRaisesRegex(mscale.ReadError, "65536 bytes at (65536|131072) were asked, and the file ends at 70000"):
                for _ in views:
                    pass

    def test_wrong_calls_are_told(self):
        with self.assertRaisesRegex(mscale.ReadError, "is a directory"):
            mscale.Reader(self.directory.name)
        with self.assertRaisesRegex(mscale.ReadError, "depth=-1"):
            mscale.Reader(self.path, depth=-1)
        reader = mscale.Reader(self.path)
        with self.assertRaisesRegex(mscale.ReadError, "extent 0: 2 bytes at "):
            list(reader.read([(len(self.data) - 1, 2)]))
        with self.assertRaisesRegex(mscale.ReadError, r"extent \(-1, 2\)"):
            list(reader.read([(-1, 2)]))
        first = iter(reader)
        next(first)
        next(iter(reader))
        with self.assertRaisesRegex(mscale.ReadError, "another read was begun"):
            next(first)
        reader.close()
        with self.assertRaisesRegex(mscale.ReadError, "closed"):
            list(reader)

    def test_the_role_says_the_depth(self):
        job = {"MSCALE_ROLES": "loader", "MSCALE_ROLE_LOADER_CPUS": str(min(os.sched_getaffinity(0))),
               "MSCALE_ROLE_LOADER_IO_DEPTH": "7"}
        with mock.patch.dict(os.environ, job), mscale.Reader(self.path, role="loader") as reader:
            self.assertIn(" 7 reads of ", reader.describe())


if __name__ == "__main__":
    unittest.main()
