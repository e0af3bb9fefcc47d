"""From the decorator's arguments to a contract's text, and whether the job or the machine holds it."""
import json
import os
import re
import subprocess
import sys

from .errors import ContractError

_ROLE_KEYS = {"cpu_cores": "cores", "numa_node": "near", "gpu_id": "gpu"}  # others keep their names
_RDMA_KEYS = {"rdma_port": "port", "memory_pool": "pool"}
_FT_KEYS = {"ckpt_every": "every", "replicas": "copies"}
_NEEDS = ("stateful_io", "lr_scheduler")


class Stated:
    """The text, and what it can't say: the page size of a pool that the profile must give, and kinds of state."""

    def __init__(self, text, needs=(), pool_page=None):
        self.text, self.needs, self.pool_page = text, needs, pool_page


def translate(text, profile, topology, tolerance, ft):
    clauses, needs, pool_page = [], [], None
    for name, role in (topology or {}).items():
        for key, value in role.items():
            if key == "memory_pool" and "*" not in str(value):
                pool_page = _page_size(value)
            else:
                clauses.append(_role_clause(name, key, value))
    for key, value in {**(tolerance or {}), **ft}.items():
        if key in _NEEDS:
            needs += [key] if value else []
        elif key != "keep":  # two snapshots are always kept
            clauses.append(f"ft.{_FT_KEYS.get(key, key)}={_write(value)}")
        elif value != 2:
            raise ContractError(f"keep={value}: two snapshots are kept, never more or fewer")
    parts = [part for part in (profile, text) if part]
    return Stated(",".join(parts + clauses), needs, pool_page)


def _page_size(value):
    """'hugepage_2MB' as the language spells it."""
    found = re.fullmatch(r"hugepage_(\d+)([KMG])i?B", str(value))
    if not found:
        raise ContractError(f"memory_pool={value}: write hugepage_2MB, or with a count as in 2MiB*512")
    return f"{found[1]}{found[2]}iB"


def _role_clause(name, key, value):
    if key == "rdma_port":
        return f"rdma.port={value if ':' in value or ' ' in value else value + ':1'}"
    if key in _RDMA_KEYS:
        page, _, count = str(value).partition("*")
        return f"rdma.{_RDMA_KEYS[key]}={_page_size(page) if page.startswith('hugepage_') else page}*{count}"
    if key == "cpu_cores" and not isinstance(value, int):
        return f"role.{name}.cores=[{_write_ranges(value)}]"
    if key == "numa_node":
        return f"role.{name}.near=numa:{value}"
    return f"role.{name}.{_ROLE_KEYS.get(key, key)}={_write(value)}"


def _write_ranges(cores):
    """[2, 3, 8] as '2-3,8', which is how the language prints it."""
    ranges = []
    for core in sorted(set(cores)):
        if ranges and core == ranges[-1][1] + 1:
            ranges[-1][1] = core
        else:
            ranges.append([core, core])
    return ",".join(f"{first}-{last}" if first < last else str(first) for first, last in ranges)


def _write(value):
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (list, tuple)):
        return f"[{','.join(map(str, value))}]"
    return str(value)


def _command(*arguments):
    """The exit status of `mscale`, its JSON or None, and its own words."""
    done = subprocess.run(["mscale", *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    try:
        document = json.loads(done.stdout)
    except ValueError:
        document = None
    return done.returncode, document, (done.stderr or done.stdout).strip()


def split_clauses(canonical):
    """{'role.a.cores': '[2-3]'} of a canonical text; commas in brackets don't separate."""
    parts = re.findall(r"(?:\[[^\]]*\]|[^,\[])+", canonical)
    return dict(part.split("=", 1) for part in parts)


def hold(stated):
    """The clauses that hold; raises ContractError where the text has faults or the job lacks something."""
    job = os.environ.get("SLURM_JOB_ID")
    if not stated.text:
        return _known_clauses(job)
    try:
        status, verdict, words = _command("check", "--json", stated.text)
    except FileNotFoundError:
        if job:
            raise ContractError("the command mscale isn't here, so the job's contract can't be compared;"
                                " make it visible to the program (in a container: bind it)") from None
        print("mscale: the command isn't installed here; the contract was not checked", file=sys.stderr)
        return {}
    if not job and verdict is not None and verdict["verdict"] == "invalid" and _lacks_only_profile(verdict):
        print(f"mscale: {words}\nmscale: this machine isn't of that site; the function runs without it", file=sys.stderr)
        return {}
    if verdict is None or verdict["verdict"] == "invalid":
        raise ContractError(f"the contract '{stated.text}' has faults:\n{words}")
    clauses = split_clauses(verdict["contract"])
    _check_pool(stated, clauses)
    if job:
        return _compare(stated, clauses, _job_clauses(job))
    if status != 0:
        print(f"mscale: this machine wouldn't hold '{stated.text}'; the function runs without it:", file=sys.stderr)
        for refusal in verdict["refusals"]:
            print(f"  {refusal['code']} {refusal['clause']}: {refusal['reason']}", file=sys.stderr)
    return clauses


def _lacks_only_profile(verdict):
    return {fault["code"] for fault in verdict["faults"]} == {"MSC-P017"}


def _check_pool(stated, clauses):
    pool = clauses.get("rdma.pool", "")
    if stated.pool_page and not pool.startswith(stated.pool_page + "*"):
        raise ContractError(f"memory_pool of pages of {stated.pool_page}: the contract says "
                            f"{'rdma.pool=' + pool if pool else 'not how many'}; write {stated.pool_page}*COUNT")


def _known_clauses(job):
    """Those of the job as far as they can be read: nothing was stated that they must hold."""
    try:
        return _job_clauses(job) if job else {}
    except ContractError:
        return {}


def _job_clauses(job):
    """The clauses of the job's contract; {} when it has none."""
    try:
        status, document, words = _command("status", "--json", job)
    except FileNotFoundError:
        return {}
    if status == 2:  # no job with this number holds a contract
        return {}
    text = _find_contract(document)
    if status != 0 or text is None:
        raise ContractError(f"the contract of job {job} can't be read: {words}")
    return split_clauses(text)


def _find_contract(document):
    """The contract's text wherever the status says it."""
    if isinstance(document, dict):
        if isinstance(document.get("contract"), str):
            return document["contract"]
        document = list(document.values())
    if isinstance(document, list):
        for part in document:
            text = _find_contract(part)
            if text is not None:
                return text
    return None


def _compare(stated, clauses, held):
    missing = {name: value for name, value in clauses.items() if held.get(name) != value}
    if not missing:
        return held
    lines = [f"  {name}={value}" + (f" (the job has {held[name]})" if name in held else "")
             for name, value in missing.items()]
    line = "+" + ",".join(f"{name}={value}" for name, value in missing.items()) if held else stated.text
    raise ContractError("the job's contract doesn't hold what the program needs:\n" + "\n".join(lines)
                        + f"\nadd to the batch script:\n#SBATCH --mscale-contract={line}")
