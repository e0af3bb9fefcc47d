"""What train_elastic.py printed under srun -l, run after run: models equal on all ranks, each sample of an epoch once."""
import collections
import json
import re
import sys

SAMPLES, EPOCH = 60, 5
steps, runs, fresh = {}, 0, False
for line in open(sys.argv[1], encoding="utf-8"):
    fresh = fresh or line.startswith("run ")
    found = re.match(r"\s*\d+: (\{.*)", line)
    if not found:
        continue
    line = json.loads(found[1])
    if "begins" in line:
        last = {other["model"] for other in steps.get(line["begins"] - 1, {}).values()}
        assert not last or last == {line["model"]}, f"rank {line['rank']} begins step {line['begins']} with another model"
        if fresh:  # srun keeps no order among nodes: another rank's first step may stand before this rank's begin
            steps = {step: lines for step, lines in steps.items() if step < line["begins"]}
        fresh = False
        runs += line["rank"] == 0
    else:
        steps.setdefault(line["step"], {})[line["rank"]] = line
assert sorted(steps) == list(range(1, int(sys.argv[2]) + 1)), sorted(steps)
for step, lines in steps.items():
    assert len({line["model"] for line in lines.values()}) == 1, f"step {step}: the ranks have different models"
for begin in range(1, max(steps) - EPOCH + 2, EPOCH):
    used = collections.Counter(sample for step in range(begin, begin + EPOCH) for line in steps[step].values()
                               for sample in line["samples"])
    assert used == collections.Counter(map(float, range(SAMPLES))), f"the epoch from step {begin} on: {used}"
print(f"{runs} runs of {[len(steps[step]) for step in sorted(steps)]} ranks")
