"""A program for the tests: registers a dict, saves after each step, and says what it sees; reads commands from its input.

    step [N]    N further steps        quit    ends
    spoil       puts a function into the state     break   lets a state_dict raise
    pause       says in the middle of a step that it lives
With `bare` as its argument it registers nothing.
"""
import json
import sys
import warnings

import mscale

warnings.simplefilter("always")
warnings.showwarning = lambda message, *_: say(warning=str(message))


def say(**what):
    print(json.dumps(what), flush=True)


class Fragile:
    broken = 0

    def state_dict(self):
        return {"one": 1 // (1 - self.broken)}

    def load_state_dict(self, state):
        pass


def obey(word, state, fragile):
    if word == "spoil":
        state["spoilt"] = lambda: 1
    if word == "break":
        fragile.broken = 1
    if word == "pause":
        mscale.current().progress()
    return word in ("spoil", "break", "pause")


@mscale.mscale_contract
def main(ctx):
    state, fragile = {"sum": 0}, Fragile()
    if sys.argv[1:] != ["bare"]:
        ctx.register(state=state, fragile=fragile)
    left = 0
    for step in ctx.steps(10**6):
        if step == 1 or left == 0:
            say(at=step, sum=state["sum"], committed=ctx.committed(), saves=ctx.saves, rank=ctx.rank, ranks=ctx.ranks)
            words = sys.stdin.readline().split() or ["quit"]
            while obey(words[0], state, fragile):
                words = sys.stdin.readline().split() or ["quit"]
            if words[0] == "quit":
                return
            left = int(words[1]) if len(words) > 1 else 1
        state["sum"] += step
        left -= 1
    say(ended=step)


try:
    main()
except mscale.RecoveryError as error:
    say(refused=str(error))
