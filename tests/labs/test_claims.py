"""Every claim of the ledger is recomputed, and its verdict must agree with the figures."""

from math import isclose

import pytest

from labs.claims import Formula, Measured, load_claims

CLAIMS = load_claims()


def is_a_rounding(stated: float, exact: float) -> bool:
    """Within 3.6 %: the lessons round to two or three digits, twice now and then."""
    return abs(stated - exact) <= 0.036 * abs(exact)


@pytest.mark.parametrize("claim", CLAIMS.values(), ids=CLAIMS.keys())
def test_verdict_agrees_with_the_recomputed_value(claim):
    exact = claim.exact.value()
    if claim.verdict == "holds":
        assert isclose(claim.stated, exact, rel_tol=1e-9, abs_tol=1e-9)
    elif claim.verdict == "rounded":
        assert is_a_rounding(claim.stated, exact)
    elif claim.verdict == "does-not-hold":
        assert not is_a_rounding(claim.stated, exact)
    assert claim.note.endswith(".")


def test_the_lessons_wrong_figures_are_in_the_ledger():
    wrong = {c.id for c in CLAIMS.values() if c.verdict == "does-not-hold"}
    assert {"c02", "c07", "c08", "c11", "c12", "c13", "c14", "c19", "c22", "c28"} <= wrong
    assert CLAIMS["c02"].exact.value() == pytest.approx(12.98)
    assert CLAIMS["c11"].exact.value() == 660
    assert CLAIMS["c13"].exact.value() == pytest.approx(1200 / 660)
    assert CLAIMS["c22"].exact.value() == 1
    assert CLAIMS["c15"].exact.value() == 8
    assert CLAIMS["c28"].exact.value() == 0
    assert CLAIMS["c59"].exact.value() > 1


def test_no_figure_of_a_claim_is_typed_in():
    for claim in CLAIMS.values():
        if isinstance(claim.exact, Formula):
            assert claim.exact.function not in ("ratio", "share_of_total", "tokens_per_s"), claim.id
    assert sum(isinstance(claim.exact, Measured) for claim in CLAIMS.values()) >= 15


def test_labs_and_claims_name_each_other():
    from labs.lab import load_catalog

    measured = {(claim, lab.id) for lab in load_catalog().values() for claim in lab.claims}
    assert measured == {(claim.id, lab) for claim in CLAIMS.values() for lab in claim.labs}
