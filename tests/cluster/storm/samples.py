"""A training of numbers for the fault storm: samples.py DIRECTORY PAUSE.  Its state counts how often it was given each sample.

A rank doesn't begin while there is DIRECTORY/gate.
Each rank takes its share of each step's samples, notes them in DIRECTORY/RANK and ends after the step that DIRECTORY/last
names, once that is there; then it writes its whole state to DIRECTORY/end.RANK: srun may cut so long a line in two.
samples.py undisturbed RANK RANKS LAST prints what that must be.
"""
import hashlib
import os
import random
import sys
import time

import mscale

SAMPLES, SHARE = 960, 4


def draw(step, rank, ranks):
    """The rank's samples of a step: of each epoch's shuffle, each sample once."""
    steps = SAMPLES // (SHARE * ranks)
    epoch, place = divmod(step - 1, steps)
    order = list(range(SAMPLES))
    random.Random(epoch).shuffle(order)
    first = (place * ranks + rank) * SHARE
    return order[first:first + SHARE]


def read_last(directory):
    try:
        with open(os.path.join(directory, "last"), encoding="ascii") as file:
            return int(file.read() or 0)
    except FileNotFoundError:
        return 0


def take(state, samples):
    for sample in samples:
        state["seen"][sample] += 1
    state["trace"] = hashlib.sha256((state["trace"] + repr(samples)).encode()).hexdigest()


def wait_at_gate(directory):
    while os.path.exists(os.path.join(directory, "gate")):
        time.sleep(0.02)


@mscale.mscale_contract
def train(ctx, directory, pause):
    state = {"seen": [0] * SAMPLES, "trace": ""}
    ctx.register(state=state)
    ledger = None
    for step in ctx.steps(10**9):
        if ledger is None:  # before the first step a rank doesn't know which it is
            ledger = open(os.path.join(directory, str(ctx.rank)), "a", buffering=1, encoding="ascii")
        samples = draw(step, ctx.rank, ctx.ranks)
        take(state, samples)
        ledger.write(f"{step} {' '.join(map(str, samples))}\n")
        time.sleep(pause)
        if step == read_last(directory):
            break
    with open(os.path.join(directory, f"end.{ctx.rank}"), "w", encoding="ascii") as end:
        print(f"rank {ctx.rank} of {ctx.ranks} ends after step {step}: {state['trace']} {state['seen']}", file=end)


def train_undisturbed(rank, ranks, last):
    """What the rank says when nothing happens to it."""
    state = {"seen": [0] * SAMPLES, "trace": ""}
    for step in range(1, last + 1):
        take(state, draw(step, rank, ranks))
    print(f"rank {rank} of {ranks} ends after step {last}: {state['trace']} {state['seen']}")


if __name__ == "__main__":
    if sys.argv[1] == "undisturbed":
        train_undisturbed(*map(int, sys.argv[2:]))
    else:
        wait_at_gate(sys.argv[1])
        train(sys.argv[1], float(sys.argv[2]))
