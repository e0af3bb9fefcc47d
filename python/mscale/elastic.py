"""What lets another number of ranks go on: what is equal on all of them, and what is each one's own."""
import ctypes

from . import rng
from .encoding import Decoder, Encoder, bytes_extent, from_bytes, to_bytes
from .errors import RecoveryError, StateError
from .library import Kind
from .loader import Loader, mix

TREE = "mscale/shared"  # the extent that holds the tree of what is equal
CURSOR = "mscale/cursor/"


class Elastic:
    """What ctx.elastic was told, and how such a state is saved and taken back."""

    def __init__(self, shared, reseed):
        self.shared, self.reseed = tuple(shared), reseed

    def check(self, registry, rank, ranks):
        """Once all is registered and the rank is known."""
        for name in self.shared:
            if name not in registry.names():
                raise StateError(f"elastic: '{name}' isn't registered")
            if isinstance(registry.get(name), Loader):
                raise StateError(f"elastic: '{name}' is a loader, whose place is split and not shared")
        for name, loader in self._loaders(registry):
            if (loader.rank, loader.ranks) != (rank, ranks):
                raise StateError(f"elastic: '{name}' is of rank {loader.rank} of {loader.ranks}, and the job's is {rank} of {ranks}:"
                                 " which of its samples were used can't be told for another number of ranks")

    @staticmethod
    def _loaders(registry):
        return [(name, registry.get(name)) for name in registry.names() if isinstance(registry.get(name), Loader)]

    def own_names(self, registry):
        """What is saved for the same rank of as many ranks."""
        return [name for name in registry.names() if name not in self.shared and not isinstance(registry.get(name), Loader)]

    def places(self, registry, places):
        """The places of ctx.batches, which loaders of ours know themselves."""
        return {**places, **{name: [loader.epoch, loader.trained] for name, loader in self._loaders(registry) if name in places}}

    def encode(self, registry, done, known):
        """The encoder with what is shared, and the cursors by the names of their extents."""
        encoder = Encoder(Kind.SHARED, known)
        node = {"done": done, "states": [[name, encoder.encode(registry.save(name), name)] for name in self.shared],
                "loaders": {name: loader.order() for name, loader in self._loaders(registry)}}
        encoder.extents.append(bytes_extent(TREE, to_bytes(node), Kind.SHARED))
        return encoder, {CURSOR + name: loader.cursor(done) for name, loader in self._loaders(registry)}

    def read(self, registry, snapshots, sizes):
        """Shared states by name, the steps done, and the loaders' cursors: however many ranks wrote them."""
        tree = ctypes.create_string_buffer(sizes[TREE])
        snapshots.get(TREE, ctypes.addressof(tree), sizes[TREE])
        node = from_bytes(tree.raw)
        saved = [name for name, _ in node["states"]]
        if sorted(saved) != sorted(self.shared):
            raise StateError(f"{', '.join(sorted(saved))} were saved as shared; shared are {', '.join(sorted(self.shared))}:"
                             " name the same in ctx.elastic")
        decoder, nodes = Decoder(snapshots.get), dict(node["states"])
        states = {name: decoder.decode(nodes[name], registry.save(name), name) for name in self.shared}
        cursors = {}
        for name, loader in self._loaders(registry):
            loader.check_order(node["loaders"].get(name))
            cursors[name] = snapshots.get_cursor(CURSOR + name, loader.batch_size)
        return states, node["done"], cursors

    def refuse_own(self, registry, writers, ranks):
        """What each of so many ranks had of its own, no other number of ranks can take."""
        own = self.own_names(registry)
        if own:
            raise RecoveryError(f"{', '.join(own)}: each of the {writers} ranks that saved it has its own, and {ranks} can't take it;"
                                " name it in ctx.elastic if it is equal on all ranks, or start as many ranks")

    def reseed_ranks(self, step, rank, ranks):
        rng.seed(mix(self.reseed, step, rank, ranks))
