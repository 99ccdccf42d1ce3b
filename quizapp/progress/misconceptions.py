"""Which wrong beliefs the learner keeps: how often each was chosen, lately and ever, where it could have been."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

RECENT_DAYS = 30


def table(
    ever: Mapping[str, tuple[int, int]],
    recent: Mapping[str, tuple[int, int]],
    tempting: Mapping[str, int],
    offered: Mapping[str, int],
    names: Mapping[str, str],
) -> list[dict[str, Any]]:
    """Kept beliefs first, then those that were held once. By belief: `tempting` is how many questions offer it,
    `offered` how many answers were given to those, so that `share` says how often the belief won where it could.
    """
    rows = []
    for key, (times, _) in ever.items():
        lately = recent.get(key, (0, 0))[0]
        could = offered.get(key, 0)
        rows.append(
            {
                "id": key,
                "name": names.get(key, key),
                "times": times,
                "recent": lately,
                "offered": could,
                "share": times / could if could else None,
                "questions": tempting.get(key, 0),
                "kept": lately > 0 and times > 1,
            }
        )
    return sorted(rows, key=lambda row: (not row["kept"], -row["recent"], -row["times"], row["id"]))
