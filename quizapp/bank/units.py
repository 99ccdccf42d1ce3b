"""Units of the subject: bytes (decimal and binary), time, shares, rates, and anything that can be counted."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from decimal import Decimal

_PREFIXES = {"k": 1, "K": 1, "M": 2, "G": 3, "T": 4, "P": 5}


@dataclass(frozen=True)
class Unit:
    """`dimension` is (numerator, denominator); `factor` converts one of it to the dimension's base unit."""

    dimension: tuple[str, str]
    factor: Decimal

    @property
    def is_percent(self) -> bool:
        return self.dimension == ("1", "") and self.factor == Decimal("0.01")

    @property
    def is_count(self) -> bool:
        """Counted things (steps, tokens, requests, FLOP), as against bytes, time, shares and rates."""
        return self.dimension[1] == "" and self.dimension[0] not in ("1", "byte", "second")


def _exact() -> dict[str, tuple[str, Decimal]]:
    """Spellings whose case matters."""
    table: dict[str, tuple[str, Decimal]] = {"B": ("byte", Decimal(1))}
    for prefix, power in _PREFIXES.items():
        table[f"{prefix}B"] = ("byte", Decimal(1000) ** power)
        table[f"{prefix}iB"] = ("byte", Decimal(1024) ** power)
        for bit in ("b", "bit", "bits"):
            table[f"{prefix}{bit}"] = ("byte", Decimal(1000) ** power / 8)
        for flop in ("FLOP", "FLOPs", "flop", "flops"):
            table[f"{prefix}{flop}"] = ("flop", Decimal(1000) ** power)
    return table


def _folded() -> dict[str, tuple[str, Decimal]]:
    """Spellings whose case does not matter; the decimal byte wins over the bit for `gb`."""
    table: dict[str, tuple[str, Decimal]] = {}
    for prefix, power in _PREFIXES.items():
        name = prefix.casefold()
        table[f"{name}b"] = ("byte", Decimal(1000) ** power)
        table[f"{name}ib"] = ("byte", Decimal(1024) ** power)
    for word in ("byte", "bytes", "b"):
        table[word] = ("byte", Decimal(1))
    for word in ("bit", "bits"):
        table[word] = ("byte", Decimal(1) / 8)
    for spelled, power in (("kilo", 1), ("mega", 2), ("giga", 3), ("tera", 4)):
        table[f"{spelled}byte"] = table[f"{spelled}bytes"] = ("byte", Decimal(1000) ** power)
    for spelled, power in (("kibi", 1), ("mebi", 2), ("gibi", 3), ("tebi", 4)):
        table[f"{spelled}byte"] = table[f"{spelled}bytes"] = ("byte", Decimal(1024) ** power)
    times = {
        "1e-9": ("ns", "nanosecond", "nanoseconds"),
        "1e-6": ("us", "μs", "µs", "usec", "microsecond", "microseconds"),
        "1e-3": ("ms", "msec", "msecs", "millisecond", "milliseconds"),
        "1": ("s", "sec", "secs", "second", "seconds"),
        "60": ("min", "mins", "minute", "minutes"),
        "3600": ("h", "hr", "hrs", "hour", "hours"),
        "86400": ("day", "days"),
    }
    for factor, words in times.items():
        for word in words:
            table[unicodedata.normalize("NFKC", word).casefold()] = ("second", Decimal(factor))
    for word in ("%", "percent", "per cent", "pct"):
        table[word] = ("1", Decimal("0.01"))
    for word in ("x", "×", "times", "fold", "-fold"):
        table[word] = ("1", Decimal(1))
    for word in ("flop", "flops", "operation", "operations"):
        table[word] = ("flop", Decimal(1))
    return table


_EXACT = _exact()
_FOLDED = _folded()
_SYNONYMS = {
    "tok": "token",
    "toks": "token",
    "req": "request",
    "reqs": "request",
    "seq": "sequence",
    "seqs": "sequence",
}
_RATES = {"tps": "token/s", "rps": "request/s", "qps": "query/s"}
_WORD = re.compile(r"^[^\W\d_]+(?:[ -][^\W\d_]+){0,3}$")


def parse_unit(text: str) -> Unit | None:
    """A unit such as `GB`, `ms`, `%`, `x`, `tokens/s`, `KiB per token`, `slot-steps`; empty is a bare number.

    None when it is neither a known unit nor plain words.
    """
    cleaned = " ".join(unicodedata.normalize("NFKC", text).split()).strip(".;,")
    if not cleaned:
        return Unit(("1", ""), Decimal(1))
    cleaned = re.sub(r"\s*(?:/|\bper\b)\s*(?!cent)", "/", _RATES.get(cleaned.casefold(), cleaned))
    if re.fullmatch(r"[kKMGTP]?FLOPS", cleaned):
        cleaned = f"{cleaned[:-1]}/s"
    if cleaned.count("/") > 1:
        return None
    top, _, bottom = cleaned.partition("/")
    above, below = _single(top), _single(bottom) if bottom else ("", Decimal(1))
    if above is None or below is None or (not bottom and "/" in cleaned):
        return None
    return Unit((above[0], below[0]), above[1] / below[1])


def with_unit(number: str, unit: str) -> str:
    """`8 steps`, `1 step`, `12.5 ms`; the number alone where there is no unit."""
    found = parse_unit(unit)
    one = number in ("1", "-1") and found is not None and found.is_count
    return f"{number} {_singular(unit) if one else unit}".strip()


def prefix_of(text: str) -> tuple[Decimal | None, str]:
    """A leading multiplier (`K`, `M tokens`, `B`, `million`) and what follows it; (None, text) when there is none."""
    found = re.match(r"^(k|K|M|G|B|T|thousand|million|billion|trillion)\b\s*(.*)$", text.strip())
    if not found:
        return None, text
    power = {"k": 1, "K": 1, "M": 2, "G": 3, "B": 3, "T": 4, "thousand": 1, "million": 2, "billion": 3, "trillion": 4}
    return Decimal(1000) ** power[found[1]], found[2]


def _single(text: str) -> tuple[str, Decimal] | None:
    text = text.strip()
    if text in _EXACT:
        return _EXACT[text]
    folded = text.casefold()
    if folded in _FOLDED:
        return _FOLDED[folded]
    if not _WORD.match(text) or len(text) == 1:
        return None
    words = re.split(r"[ -]", folded)
    words = [_SYNONYMS.get(word, word) for word in words]
    return "-".join([*words[:-1], _singular(words[-1])]), Decimal(1)


def _singular(word: str) -> str:
    word = _SYNONYMS.get(word, word)
    if word.endswith("ies") and len(word) > 4:
        return f"{word[:-3]}y"
    if word.endswith(("ches", "shes", "sses", "xes")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") and len(word) > 3 else word
