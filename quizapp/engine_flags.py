"""Flags of `engine run` that change nothing beside the others given: refused, so that nobody trusts an idle setting.

A flag at its usual value asks for nothing and is never refused. `--slots` may stand beside `--scheme sequential`, which
has one slot by its nature, so that one command line can be tried with every scheme; so may `--seed` beside a workload
in which nothing is drawn. What `EngineConfig` and the workloads refuse themselves is not said again here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

Flags = Mapping[str, Any]


class Rule(NamedTuple):
    """`flags` (as parameters of the command) act only where `acts`; `needs` says so in a sentence."""

    flags: tuple[str, ...]
    acts: Callable[[Flags], bool]
    needs: str


def _many(flags: Flags) -> bool:
    return bool(flags["scheme"] != "sequential")


def _runs_out(flags: Flags) -> bool:
    """Running requests may find no free block for their next token."""
    return _many(flags) and flags["admission"] == "optimistic" and flags["kv"] == "paged"


def _preempts(flags: Flags) -> bool:
    overtakes = flags["policy"] == "priority" and flags["strict_priority"]
    return _runs_out(flags) or (overtakes and flags["scheme"] in ("continuous", "sequential"))


RULES = (
    Rule(
        ("model", "dtype", "device", "threads", "exact"),
        lambda flags: flags["executor"] != "virtual",
        "it needs --executor torch; the virtual executor has no weights",
    ),
    Rule(("flush",), lambda flags: flags["scheme"] == "static", "only --scheme static waits for a full batch"),
    Rule(("bypass", "tenant_slots", "max_prefills"), _many, "a sequential run holds one request at a time"),
    Rule(("prefill",), _many, "a sequential run has no decode that a prefill could wait for"),
    Rule(
        ("aging", "strict_priority"),
        lambda flags: flags["policy"] == "priority",
        "it needs --policy priority; no other policy looks at priorities",
    ),
    Rule(("victim",), _runs_out, "memory runs out only with several slots, --admission optimistic and --kv paged"),
    Rule(
        ("preempt",),
        _preempts,
        "nothing is preempted without --admission optimistic and --kv paged, or a strict --policy priority",
    ),
    Rule(
        ("swap_blocks",),
        lambda flags: _preempts(flags) and flags["preempt"] == "swap",
        "it needs --preempt swap, and preemptions that can happen",
    ),
    Rule(
        ("burstiness",),
        lambda flags: flags["rate"] is not None,
        "it needs --rate; without one all requests arrive at once",
    ),
)


def idle(flags: Flags, usual: Flags) -> str | None:
    """The sentence that refuses the first flag without effect; None when all act. `usual` are the defaults."""
    for rule in RULES:
        for name in rule.flags:
            if flags[name] != usual[name] and not rule.acts(flags):
                return f"{written(name, flags[name])} would change nothing: {rule.needs}"
    return None


def written(name: str, value: Any) -> str:
    """A flag as it is typed."""
    if name == "exact":
        return "--fast"
    if value is False:
        return f"--no-{name.replace('_', '-')}"
    return f"--{name.replace('_', '-')} {value}"
