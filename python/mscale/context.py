"""The training's side of its snapshots: what is registered, the steps, the saves."""
import ctypes
import os
import time
import warnings

from . import registry as kinds
from . import rng
from . import elastic as apart
from .encoding import Decoder, Encoder, bytes_extent, from_bytes, to_bytes
from .errors import RecoveryError, StateError
from .library import Kind, Snapshots, Status
from .loader import Loader, mix

TREE = "mscale/state"  # the extent that holds the tree; no registered name has a '/'
LAST_SAVE_SECONDS = 60
_current = None


def current():
    """The context of the function that runs under mscale_contract, or None."""
    return _current


class Context:
    """Handed to the function as `ctx`.  Outside of a job its steps are all steps and nothing is saved."""

    def __init__(self, needs=(), state_given=False):
        self._registry = kinds.Registry()
        self._snapshots = Snapshots()
        self._needs = needs              # kinds of state that the contract says are there
        self._state_given = state_given  # by ft.state of the contract
        self._elastic = None
        self._started = False
        self._step = self._done = 0
        self._functions = None  # the places of those that the program has put into its objects; nothing: not known yet
        self._places = {}  # of each loader: epoch, and batches handed out in it
        self._warned = set()

    # -- what the program says ------------------------------------------------------------------------------------

    def register(self, **things):
        """Anything with state_dict and load_state_dict, dicts, and functions: `f()` gives its state, `f(state)` takes it."""
        if self._started:
            raise StateError("register comes before the first step")
        for name, thing in things.items():
            self._registry.add(name, thing)

    def elastic(self, *shared, reseed):
        """Lets another number of ranks go on from what these save.  Without it such a start is refused, since nobody but the
        program knows what its ranks have in common.

        `shared` names what is registered and equal on all ranks, as the model and the optimizer of a data-parallel training
        are: any rank's will do, and it is compared, so that ranks that differ are refused.  The place of a mscale.Loader is
        split among the new ranks; no sample is lost or seen twice but for what it leaves out at an epoch's end anyway.  What
        else is registered is each rank's own, and another number of ranks is refused by its name.  Buffers that ranks don't
        keep equal, as the statistics of batch normalisation that isn't synchronised, make a model each rank's own.

        Generators of random numbers are each rank's own, too.  With another number of ranks they are seeded anew, from
        `reseed`, the step and the rank: no two draw the same numbers, and two runs that change alike do.
        """
        if self._started:
            raise StateError("elastic comes before the first step")
        self._elastic = apart.Elastic(shared, reseed)

    def steps(self, total):
        """The training steps that are left, from the committed one + 1 to `total`."""
        self._start()
        for step in range(self._done + 1, total + 1):
            self._step = step
            yield step
            if self._done < step:
                self.step_done(step)
            if self._snapshots.should_exit():
                return

    def step_done(self, step):
        """Says that `step` is done and saves when the contract asks for it."""
        if step != self._step or self._done >= step:
            raise StateError(f"step_done({step}) doesn't fit step {self._step}")
        self._done = step
        for loader in self._registry.things(kinds.LOADER):
            if isinstance(loader, Loader):
                loader.note_trained()
        self._snapshots.progress(step)
        if self._snapshots.need_save(step):
            self.save(step)

    def progress(self):
        """Says that the training lives where it pauses between two steps, as in an evaluation: called now and then, on one rank or
        on all, it keeps `mscale run` from taking the pause for a hang (ten times the longest step, at least 60 s)."""
        self._snapshots.progress(self._done)

    def batches(self, loader):
        """The registered loader's batches, epoch after epoch, from where it stands.  Making its iterator doesn't touch the
        program's generators of random numbers, so that a run that is gone on with draws the same ones."""
        name = self._registry.name_of(loader)
        while True:
            place = self._places.setdefault(name, [0, 0])  # after a restore that of the snapshot
            with rng.isolated(mix(name, place[0])):
                batches = iter(loader)
            some = False
            for some, batch in enumerate(batches, start=1):
                place[1] += 1
                yield batch
            if not some:
                raise StateError(f"loader '{name}' has no batches")
            place[:] = [place[0] + 1, 0]

    def _places_now(self):
        """Epoch and batch of each loader; the end of an epoch is the begin of the next."""
        loaders = {name: self._registry.get(name) for name in self._places}
        if self._elastic:
            return self._elastic.places(self._registry, self._places)
        return {name: [epoch + 1, 0] if batch and hasattr(loaders[name], "__len__") and batch >= len(loaders[name])
                else [epoch, batch] for name, (epoch, batch) in self._places.items()}

    # -- where it stands ------------------------------------------------------------------------------------------

    @property
    def rank(self):
        return self._snapshots.rank()

    @property
    def ranks(self):
        return self._snapshots.ranks()

    @property
    def saves(self):
        """True in a job whose snapshots are kept."""
        return self._snapshots.joined

    def committed(self):
        """The newest step that is safe, or None."""
        return self._snapshots.committed()

    # -- start and end --------------------------------------------------------------------------------------------

    def _start(self):
        if self._started:
            raise StateError("steps is called once")
        self._check_needs()
        extents, _, self._functions = self._encode()  # what can't be saved is told now, not at the first save
        self._started = True
        if not self._registry and "MSCALE_KEEPER" in os.environ:  # before the rank joins: mscale run then begins no other run
            raise RecoveryError("no rank has registered state: call ctx.register(model=model, optimizer=optimizer) before ctx.steps")
        size = 0 if self._state_given else kinds.estimate_bytes(self._registry, extents)
        self._snapshots.init(size, self._elastic is not None)
        for loader in self._registry.things(kinds.LOADER):
            if isinstance(loader, Loader):
                loader.take_rank(self.rank, self.ranks)
        if self._elastic:
            self._elastic.check(self._registry, self.rank, self.ranks)
        self._restore()

    def _check_needs(self):
        for name, kind in self._needs:
            if not self._registry.has(kind):
                raise StateError(f"the contract says {name}, and nothing of that kind is registered")

    def _finish(self):
        self._snapshots.finalize()

    # -- save -----------------------------------------------------------------------------------------------------

    def _own_names(self):
        return self._elastic.own_names(self._registry) if self._elastic else self._registry.names()

    def _encode(self):
        """The extents, the cursors by their names, and the places of functions."""
        shared, cursors = Encoder(), {}
        if self._elastic:
            shared, cursors = self._elastic.encode(self._registry, self._done, self._functions)
        encoder = Encoder(Kind.OPAQUE if self._elastic else None, self._functions)
        states = [[name, encoder.encode(self._registry.save(name), name)] for name in self._own_names()]
        own = {"done": self._done, "places": self._places_now()}
        node = {"states": states, "own": own, "rng": encoder.encode(rng.capture(), "mscale/rng")}
        encoder.extents.append(bytes_extent(TREE, to_bytes(node)))
        return shared.extents + encoder.extents, cursors, shared.functions | encoder.functions

    def save(self, step):
        """Saves now.  The training never ends because of it: what goes wrong is a warning."""
        status = self._start_save(step)
        if status != Status.OK:
            return self._tell(status)
        try:
            status = self._put_all()
        except Exception as error:  # of any kind: a program's own state_dict may raise what it likes
            self._snapshots.complete_save(False)
            cause = error if isinstance(error, StateError) else f"{type(error).__name__}: {error}"
            return self._warn(f"a snapshot is left out: {cause}")
        if status != Status.OK:
            self._tell(status)
        valid = status == Status.OK
        status = self._snapshots.complete_save(valid)
        return self._tell(status) if valid else False

    def _start_save(self, step):
        """Only the save before the job's end waits for the one before it to be copied."""
        until = time.monotonic() + LAST_SAVE_SECONDS
        while True:
            status = self._snapshots.start_save(step)
            if status != Status.BUSY or not self._snapshots.should_exit() or time.monotonic() > until:
                return status
            time.sleep(0.02)

    def _put_all(self):
        extents, cursors, _ = self._encode()
        for extent in extents:
            status = self._snapshots.put(extent)
            if status != Status.OK:
                return status
        for name, cursor in cursors.items():
            status = self._snapshots.put_cursor(name, cursor)
            if status != Status.OK:
                return status
        return Status.OK

    def _tell(self, status):
        if status in (Status.OK, Status.OUTSIDE, Status.BUSY):
            return status == Status.OK
        return self._warn(self._snapshots.last_error())

    def _warn(self, text):
        if text not in self._warned:
            warnings.warn("mscale: " + text, RuntimeWarning, stacklevel=4)
        self._warned.add(text)
        return False

    # -- restore --------------------------------------------------------------------------------------------------

    def _restore(self):
        while (step := self._snapshots.have_restart()) is not None:
            usable = self._snapshots.start_restart()
            problem = None if usable else self._snapshots.last_error()
            document = None
            try:
                document = self._read() if usable else None
            except (StateError, ValueError, KeyError) as error:
                problem = str(error)
            if problem is not None:
                self._warn(f"the snapshot of step {step} can't be used: {problem}")
            if self._snapshots.complete_restart(problem is None):
                return self._load(document)
        return None

    def _read(self):
        """The whole state as values, before any of it goes anywhere."""
        sizes = self._snapshots.sizes()
        if self._elastic is None or apart.TREE not in sizes:
            return self._read_own(sizes, self._registry.names())
        states, done, cursors = self._elastic.read(self._registry, self._snapshots, sizes)
        if self._snapshots.writers() == self.ranks:
            document = self._read_own(sizes, self._own_names())
        else:
            self._elastic.refuse_own(self._registry, self._snapshots.writers(), self.ranks)
            document = {"states": {}, "own": {"done": done, "places": {}}, "rng": None}
        return {**document, "states": {**states, **document["states"]}, "cursors": cursors}

    def _read_own(self, sizes, registered):
        """What the same rank of as many ranks has saved."""
        tree = ctypes.create_string_buffer(sizes[TREE])
        self._snapshots.get(TREE, ctypes.addressof(tree), sizes[TREE])
        document = from_bytes(tree.raw)
        decoder = Decoder(self._snapshots.get)
        saved = [name for name, _ in document["states"]]
        if sorted(saved) != sorted(registered):
            raise StateError(f"it holds {', '.join(sorted(saved))}; registered are {', '.join(sorted(registered))}:"
                             " ctx.register the same names as the run that saved it")
        nodes = dict(document["states"])
        states = {name: decoder.decode(nodes[name], self._registry.save(name), name) for name in registered}
        return {"states": states, "own": document["own"], "rng": decoder.decode(document["rng"], None, "mscale/rng")}

    def _load(self, document):
        cursors = document.get("cursors", {})
        for name in self._registry.names():
            if name in cursors:
                self._registry.get(name).take_cursor(cursors[name])
            else:
                self._registry.load(name, document["states"][name])
        self._done, self._places = document["own"]["done"], document["own"]["places"]
        if document["rng"] is not None:
            return rng.restore(document["rng"])
        for name in cursors:
            self._places[name] = [self._registry.get(name).epoch, 0]
        return self._elastic.reseed_ranks(self._done, self.rank, self.ranks)


def run(function, context, takes_context, arguments, options):
    """Runs the function with its context; what is committed stays when it ends."""
    global _current
    before, _current = _current, context
    try:
        result = function(context, *arguments, **options) if takes_context else function(*arguments, **options)
    finally:
        _current = before
    context._finish()
    return result
