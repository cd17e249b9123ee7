"""The badge: well-formed, self-contained, and no number where nobody measured."""

import re
import xml.etree.ElementTree as ET

import pytest

from sandbox.audit.badge import render_badge, render_unmeasured_badge
from schemas.evidence.rates import Grade, Grading
from schemas.measures.grades import percent
from tests.making.reports import make_report


def texts(svg):
    return [element.text for element in ET.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]


@pytest.mark.parametrize(("fp", "fn"), [(0, 0), (30, 0), (1, 29), (0, 3)])
def test_it_says_the_grade_and_both_upper_ends(fp, fn):
    report = make_report(tp=30 - fn, fp=fp, tn=30 - fp, fn=fn)
    said = f"{report.grade} · FPR ≤ {percent(report.overall.fpr.high)} · FNR ≤ {percent(report.overall.fnr.high)}"
    assert texts(render_badge(report)) == ["verifier", said]


@pytest.mark.parametrize("counts", [{"tp": 0, "fn": 0}, {"tn": 0, "fp": 0}, {"tp": 0, "fp": 0, "tn": 0, "fn": 0}])
def test_half_a_measurement_shows_no_number(counts):
    report = make_report(**counts)
    assert report.grade is Grade.UNMEASURED
    said = "unrated: too few independent cases" if report.case_count else "not measured"
    assert texts(render_badge(report)) == ["verifier", said]
    assert texts(render_unmeasured_badge()) == ["verifier", "not measured"]
    assert not re.search(r"\d+ ?%", render_badge(report))


def test_grades_differ_in_colour_and_a_name_cannot_break_out():
    good, bad = make_report(tp=900, tn=900), make_report(tp=0, fn=30)
    fills = [re.findall(r'fill="(#[0-9a-f]{6})"', render_badge(report))[1] for report in (good, bad)]
    assert fills[0] != fills[1]
    svg = render_badge(make_report(subject='"><script>alert(1)</script>&'))
    assert "<script" not in svg
    assert ET.fromstring(svg).get("aria-label").startswith('"><script>')


def test_it_fetches_nothing_and_everything_fits():
    svg = render_badge(make_report())
    root = ET.fromstring(svg)
    assert "href" not in svg
    assert "url(" not in svg
    widths = [float(element.get("width")) for element in root.iter("{http://www.w3.org/2000/svg}rect")]
    assert sum(widths) == float(root.get("width"))


def test_it_says_how_many_cases_of_each_origin_the_letter_rests_on():
    report = make_report(tp=300, tn=300)
    some = report.overall
    few = some.model_copy(update={"tp": 9, "tn": 2, "fp": 1, "fn": 0})
    slices = {"origin:suite": few, "origin:held": some, "origin:author": some, "origin:probe": some}
    rated = report.model_copy(update={"slices": slices, "grading": Grading(reads=some)})
    (_, said) = texts(render_badge(rated))
    assert "  " not in said, "SVG draws two spaces as one, and the parts ran together"
    assert said.endswith(" · 600 held, 12 of suites"), "the author's cases and probes make no letter"
    hollow = rated.model_copy(update={"grading": Grading(is_hollow=True, reads=some)})
    (_, said) = texts(render_badge(hollow))
    assert "by its author" in said
    assert said.endswith(" · 600 held, 600 of its author, 12 of suites")
