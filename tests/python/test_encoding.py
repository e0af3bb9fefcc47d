"""State becomes data and comes back as it was; what isn't data is refused with its place."""
import collections
import ctypes
import math
import unittest

import numpy
import torch

from mscale import StateError
from mscale.encoding import Decoder, Encoder, from_bytes, to_bytes


def round_trip(value, current=None):
    encoder = Encoder()
    node = from_bytes(to_bytes(encoder.encode(value, "x")))
    extents = {extent.name: ctypes.string_at(extent.address, extent.bytes) if extent.bytes else b"" for extent in encoder.extents}

    def read(name, address, size):
        assert size == len(extents[name])
        ctypes.memmove(address, extents[name], size)

    return Decoder(read).decode(node, current), encoder


class Encoding(unittest.TestCase):
    def test_plain_values_keep_value_and_type(self):
        for value in (None, True, False, 0, -1, 2**80, 0.1, -0.0, float("inf"), 5e-324, "", "ä\n", b"", b"x" * 1000, 1 - 2j,
                      [], [1, [2.0]], (), (1, (2,)), {1: "a", "1": "b", (2, 3): None}, {1, 2}, [["f", "0x1p0"]], ["f"],
                      {frozenset({1}): 2}, {frozenset({1, (2, 3)})}, collections.OrderedDict(b=1, a=2), collections.deque([1, 2], 5)):
            with self.subTest(value=value):
                found, _ = round_trip(value)
                self.assertEqual(repr(found), repr(value))
                self.assertIs(type(found), type(value))
        self.assertTrue(math.isnan(round_trip(float("nan"))[0]))

    def test_tensors_of_every_type_and_layout(self):
        for dtype in (torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.int8, torch.uint8, torch.int16,
                      torch.int32, torch.int64, torch.bool, torch.complex64, torch.complex128):
            tensor = torch.randn(3, 4).to(dtype)
            for value in (tensor, tensor.t(), tensor[:, ::2], tensor[0, 0], tensor[:0], tensor.conj()):
                with self.subTest(dtype=dtype, shape=value.shape):
                    found, _ = round_trip(value)
                    self.assertEqual((found.dtype, found.shape), (value.dtype, value.shape))
                    self.assertTrue(torch.equal(found, value.resolve_conj()))

    def test_a_contiguous_tensor_is_put_from_where_it_lies(self):
        tensor = torch.ones(1000)
        self.assertEqual(round_trip(tensor)[1].extents[0].address, tensor.data_ptr())

    def test_what_shares_memory_is_saved_once(self):
        tensor = torch.randn(10)
        found, encoder = round_trip({"a": tensor, "b": tensor, "c": tensor[:5]})
        self.assertEqual(len(encoder.extents), 2)
        self.assertTrue(torch.equal(found["b"], tensor) and torch.equal(found["c"], tensor[:5]))

    def test_arrays_and_numpys_numbers(self):
        for value in (numpy.arange(6.0).reshape(2, 3), numpy.arange(6)[::2], numpy.array(3.5), numpy.zeros((0, 2)),
                      numpy.array(["ab", "c"]), numpy.arange(4, dtype=">u2"), numpy.array([1], "M8[s]")):
            with self.subTest(value=value):
                found, _ = round_trip(value)
                numpy.testing.assert_array_equal(found, value)
                self.assertEqual(found.dtype, value.dtype)
        for value in (numpy.float32(0.1), numpy.int64(-3), numpy.bool_(True)):
            self.assertEqual(repr(round_trip(value)[0]), repr(value))
            self.assertIs(type(round_trip(value)[0]), type(value))

    def test_torchs_own_kinds(self):
        for value in (torch.Size([2, 3]), torch.Size([]), torch.device("cuda", 1), torch.bfloat16):
            self.assertEqual(round_trip(value)[0], value)

    def test_functions_stay_those_of_the_object(self):
        self.assertIs(round_trip({"f": math.sin}, {"f": math.cos})[0]["f"], math.cos)
        with self.assertRaisesRegex(StateError, "function"):
            round_trip({"f": math.sin}, {})

    def test_a_function_that_no_later_run_could_give_back_is_refused_with_its_place(self):
        for value, place in (({"f": math.sin}, "x/f"), ([1, math.sin], "x/1"), (math.sin, "x")):
            with self.subTest(value=value), self.assertRaisesRegex(StateError, f"^{place}: .*put it there before ctx.steps"):
                Encoder(known={"x/g"}).encode(value, "x")
        self.assertEqual(Encoder(known={"x/f"}).encode({"f": math.sin}, "x"), ["d", [["f", ["code"]]]])
        for value in ({math.sin}, collections.deque([math.sin]), {math.sin: 1}):
            with self.subTest(value=value), self.assertRaisesRegex(StateError, "function"):
                Encoder().encode(value, "x")

    def test_a_list_that_has_grown_keeps_its_functions(self):
        self.assertEqual(round_trip([math.sin, 2, 3], [math.cos])[0], [math.cos, 2, 3])

    def test_names_are_unique_and_short(self):
        tensors = {"a/b": torch.ones(1), "a": {"b": torch.zeros(1)}, "y" * 900: torch.ones(2), 1: torch.ones(3), "1": torch.ones(4)}
        found, encoder = round_trip(tensors)
        names = [extent.name for extent in encoder.extents]
        self.assertEqual(len(set(names)), len(tensors))
        self.assertLessEqual(max(len(name.encode()) for name in names), 512)
        self.assertEqual(found["a/b"].item(), 1)

    def test_what_is_no_data_is_refused_with_its_place(self):
        class Thing:
            pass
        for value in (Thing(), object, range(3), torch.ones(2, 2).to_sparse(), numpy.array([object()]),
                      numpy.zeros(2, [("a", "i4")]), numpy.zeros((), [("a", "i4")])[()], numpy.longdouble(1), numpy.datetime64(1, "ns")):
            with self.subTest(value=value), self.assertRaisesRegex(StateError, "^x/deep/0: "):
                round_trip({"deep": [value]})

    def test_damaged_or_foreign_trees_are_refused(self):
        for node in (["eval", "1"], ["__init__"], [], [["l"]], ["T", "n", "__class__", [1], "cpu"], ["g", "dtype", "load"]):
            with self.subTest(node=node), self.assertRaises(StateError):
                Decoder(None).decode(node)
        with self.assertRaisesRegex(StateError, "version 2"):
            from_bytes(b'{"mscale_state": 2}')


if __name__ == "__main__":
    unittest.main()
