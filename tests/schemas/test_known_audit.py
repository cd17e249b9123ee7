"""Limits are compared with the upper end of an interval, and what was not measured keeps none."""

import pytest

from schemas.evidence.rates import Grade
from schemas.known_audit import AuditLimits
from tests.making.known_audits import known_audit


@pytest.mark.parametrize(
    ("limits", "words"),
    [
        (AuditLimits(), []),
        (AuditLimits(max_fpr=0.05), ["accepts wrong answers is 3.0 % [1.03 %, 8.5 %]; the limit (max FPR) is 5.0 %"]),
        (AuditLimits(max_fpr=0.085), []),
        (AuditLimits(max_fnr=0.03), ["rejects right answers is 0 % [0 %, 3.7 %]; the limit (max FNR) is 3.0 %"]),
        (AuditLimits(grade=Grade.B), ["its grade is C; B or better is asked for"]),
        (AuditLimits(grade=Grade.C), []),
        (AuditLimits(0.01, 0.01, Grade.A), ["max FPR", "max FNR", "grade is C"]),
    ],
)
def test_the_upper_end_decides_and_every_broken_limit_is_named(limits, words):
    known = known_audit(3, 100, 0, 100, grade="C")  # 3 %, and perhaps 8.5 %
    faults = limits.faults(known)
    assert len(faults) == len(words)
    assert all(word in fault for word, fault in zip(words, faults, strict=True))


@pytest.mark.parametrize("limits", [AuditLimits(max_fpr=1.0), AuditLimits(max_fnr=1.0), AuditLimits(grade=Grade.D)])
@pytest.mark.parametrize("letter", ["U", "N", "?"])
def test_a_letter_that_says_nothing_keeps_no_limit(limits, letter):
    known = known_audit(0, 400, 0, 400).model_copy(update={"grade": letter})
    assert "too little was measured" in limits.faults(known)[0]
    assert AuditLimits().faults(known) == []


def test_a_side_without_cases_keeps_no_limit_on_it():
    assert "was not measured" in AuditLimits(max_fpr=0.9).faults(known_audit(0, 0, 0, 100, grade="F"))[0]


@pytest.mark.parametrize("values", [{"max_fpr": 5}, {"max_fnr": -0.1}, {"grade": Grade.UNMEASURED}])
def test_limits_that_make_no_sense_are_refused(values):
    with pytest.raises(ValueError, match="not"):
        AuditLimits(**values)


def test_what_changed_since_is_one_line():
    then, now = known_audit(1, 100, 0, 100), known_audit(9, 100, 0, 100, grade="D")
    assert then.differences(then) == []
    (line,) = then.differences(now)
    assert "was B, FPR 1.0 % [0.2 %, 5.4 %], FNR 0 % [0 %, 3.7 %], is D, FPR 9.0 % [4.8 %, 16 %]" in line
    assert then.differences(None) == ["test/digits@1.0.0 had audit audit-1, and has none now"]
