"""A share of right answers with its Wilson interval."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist

Z90 = NormalDist().inv_cdf(0.95)


@dataclass(frozen=True)
class Share:
    """`right` of `total`."""

    right: int
    total: int

    @property
    def rate(self) -> float | None:
        return self.right / self.total if self.total else None

    def interval(self, z: float = Z90) -> tuple[float, float]:
        """Wilson 1927 (doi:10.1080/01621459.1927.10502953), 90 % unless told otherwise; (0, 1) for nothing."""
        if not self.total:
            return 0.0, 1.0
        n, p = self.total, self.right / self.total
        middle = (p + z * z / (2 * n)) / (1 + z * z / n)
        half = z / (1 + z * z / n) * (p * (1 - p) / n + z * z / (4 * n * n)) ** 0.5
        return max(0.0, middle - half), min(1.0, middle + half)

    def to_dict(self) -> dict[str, float | int | None]:
        low, high = self.interval()
        return {"right": self.right, "total": self.total, "rate": self.rate, "low": low, "high": high}
