"""Renders templates to pages: one environment, everything escaped, with the drawings and number formats as filters."""

import hashlib
import re
from collections.abc import Mapping, MutableMapping, Sequence
from functools import cache
from http import HTTPStatus
from importlib.resources import files
from typing import Any
from urllib.parse import unquote

from fastapi import Request
from fastapi.responses import HTMLResponse
from jinja2 import Environment, PackageLoader, StrictUndefined, Template, select_autoescape
from markupsafe import Markup

from hub_server.journal import actions as journal
from hub_server.kernel.caller import Caller
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.runs.rules.silent import is_silent
from hub_server.site.drawing import (
    acceptance_rail,
    calliper,
    distance,
    hero_plot,
    numbers,
    one_sided_calliper,
    scale,
    strips,
    vector,
)
from hub_server.site.rendering.case_origins import cases_in, origin_words
from hub_server.site.rendering.texts import (
    answer_text,
    both_ends,
    browser_name,
    case_words,
    expected_text,
    host_of,
    prompt_text,
    setting_text,
    with_breaks,
)
from hub_server.web.cookies import session_secret
from hub_server.web.dependencies import public_url
from schemas.benchmark import BenchmarkReport, LeaderboardRow
from schemas.evidence.part_words import ORIGINS_IN_LISTS, origin_counts, part_words
from schemas.evidence.rates import Measurement
from schemas.measures.first_look_words import first_look_words
from schemas.measures.grades import grade_of
from schemas.measures.intervals import rate
from schemas.measures.seen import unjudged_words
from schemas.package import AuditSummary
from schemas.problem import Problem
from schemas.run import RewardChange
from schemas.texts import json_text
from schemas.wording import uncapitalised, without_reordering

THEME_COOKIE = "theme"
THEMES = ("light", "dark")
_NEXT_THEME = {None: "dark", "dark": "light", "light": "system"}
_MAIN_LINKS = (
    ("Packages", "/packages"),
    ("Docs", "/docs"),
    ("Runs", "/runs"),
    ("Benchmarks", "/benchmarks"),
    ("Label", "/label"),
)
_FOOT_LINKS = (
    ("How rates are measured", "/about"),
    ("Collections", "/collections"),
    ("Compare verifiers", "/compare"),
    ("Label", "/label"),
    ("Docs", "/docs"),
    ("Moderation", "/moderation"),
)


def _unjudged_in(summary: AuditSummary) -> str:
    """What a package's head says of cases without a verdict."""
    return unjudged_words(summary.overall, summary.graded, summary.case_count)


def render(request: Request, work: UnitOfWork, template: str, *, status: int = 200, **context: Any) -> HTMLResponse:
    """A page for whoever asks. ``context`` must hold all that the template wants: a missing name is an error."""
    return HTMLResponse(
        _encoded(_page(request, template, caller=work.caller, **{"now": work.now, **_mirror(work), **context})),
        status_code=status,
        headers=dict(_HEADERS),
    )


def _mirror(work: UnitOfWork) -> dict[str, Any]:
    """When the hub that this one mirrors was last asked, and whether it is still believed; of other hubs nothing."""
    followed = journal.find_followed(work.session) if work.services.settings.mirror.of else None
    return {
        "mirror_asked_at": followed.asked_at if followed is not None else None,
        "mirror_is_stopped": followed is not None and followed.is_stopped,
    }


def render_text(template: str, context: Mapping[str, Any]) -> str:
    """A template that is no page: Markdown. What a stranger wrote must go through the filter ``md`` in it."""
    return environment().get_template(template).render(context)


def render_problem(request: Request, problem: Problem, *, caller: Caller | None = None) -> HTMLResponse:
    """A refusal as a page, for browsers; needs no database, so that it also works when that is what failed."""
    request_id = problem.instance if problem.status >= 500 else ""
    words = "" if problem.detail else "Nothing was changed."
    page = _page(
        request, "problem.html", caller=caller, title=problem.title, problem=problem, words=words,
        request_id=request_id, looked_for=_looked_for(request) if problem.status == HTTPStatus.NOT_FOUND else "",
        has_session=bool(session_secret(request)),
    )  # fmt: skip
    return HTMLResponse(_encoded(page), status_code=problem.status, headers=dict(_HEADERS))


def _looked_for(request: Request) -> str:
    """The package that an address names, also one that no page has; empty where it names none."""
    owner, name = (request.path_params.get(part) for part in ("owner", "name"))
    if not (owner and name):
        first, owner, name = (*request.url.path.strip("/").split("/"), "", "", "")[:3]
        if first not in ("packages", "benchmarks"):
            return ""
    return f"{unquote(owner)}/{unquote(name)}" if owner and name else ""


def _encoded(page: str) -> bytes:
    """The page in UTF-8. Half a surrogate pair, which JSON from strangers may hold, becomes a question mark."""
    return page.encode(errors="replace")


_HEADERS: Mapping[str, str] = {"Cache-Control": "no-store", "Vary": "Cookie"}


def _page(request: Request, template: str, *, caller: Caller | None, **context: Any) -> str:
    cookie = request.cookies.get(THEME_COOKIE)
    theme = cookie if cookie in THEMES else None
    here = request.url.path + (f"?{request.url.query}" if request.url.query else "")
    shell = {
        "me": caller,
        "has_session": False,
        "theme": theme,
        "next_theme": _NEXT_THEME[theme],
        "here": here if request.method == "GET" else request.url.path,
        "json_url": None,
        "canonical": "",
        "description": "",
        "section": "",
        "mirror_asked_at": None,
        "mirror_is_stopped": False,
        "mirror_of": request.app.state.services.settings.mirror.of,
        "hub": public_url(request, request.app.state.services),
    }
    return environment().get_template(template).render({**shell, **context})


class _Environment(Environment):
    """Whose templates have the environment's names and none of their own.

    Jinja puts a chain of two mappings before them, and copies it name by name for each template that a page imports.
    Without the chain, a name given to one template would be there for all of them and for every later reader: so it is
    refused. What a page has of its own is given to ``render``.
    """

    def _load_template(self, name: str, globals: MutableMapping[str, Any] | None) -> Template:  # noqa: A002 -- Jinja's
        _refuse_names(globals)
        return super()._load_template(name, globals)

    def make_globals(self, d: MutableMapping[str, Any] | None) -> MutableMapping[str, Any]:
        _refuse_names(d)
        return self.globals


def _refuse_names(names: MutableMapping[str, Any] | None) -> None:
    if names:
        raise TypeError("no template has names of its own: give them to `render`")


@cache
def environment() -> Environment:
    """The one template environment: autoescape for every page, a missing name raises."""
    made = _Environment(
        loader=PackageLoader("hub_server.site", "templates"),
        autoescape=select_autoescape(disabled_extensions=("md",), default=True),  # Markdown escapes by |md
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.globals.update(_drawings())
    made.globals.update(
        static=static_url,
        main_links=_MAIN_LINKS,
        foot_links=_FOOT_LINKS,
        legend=calliper.calliper(_LEGEND, 30),
    )
    made.filters.update(
        count=numbers.count,
        plural=numbers.plural,
        figure=numbers.figure,
        short=numbers.short,
        size=numbers.size,
        seconds=numbers.seconds,
        milliseconds=numbers.milliseconds,
        day=numbers.day,
        ago=numbers.ago,
        short_digest=numbers.short_digest,
        breakable=breakable,
        md=markdown_cell,
        share=numbers.rate,
        uncapitalised=uncapitalised,
        in_order=without_reordering,
        signed=signed,
        prompt_text=prompt_text,
        answer_text=answer_text,
        case_words=case_words,
        both_ends=both_ends,
        with_breaks=with_breaks,
        expected_text=expected_text,
        host=host_of,
        pretty_json=json_text,
        setting=setting_text,
        browser_name=browser_name,
    )
    return made


def _drawings() -> dict[str, Any]:
    return {
        "interval": numbers.interval,
        "rate_cell": _rate_cell,
        "in_words": vector.in_words,
        "gauge": calliper.gauge,
        "axis_head": calliper.axis_head,
        "hero_plot": hero_plot.hero_plot,
        "one_sided_calliper": one_sided_calliper.one_sided_calliper,
        "grade_of": grade_of,
        "cases_in": cases_in,
        "origin_words": origin_words,
        "origin_counts": origin_counts,
        "ORIGINS_IN_LISTS": ORIGINS_IN_LISTS,
        "part_words": part_words,
        "first_look_words": first_look_words,
        "unjudged_in": _unjudged_in,
        "worse_side": worse_side,
        "role_mark": vector.role_mark,
        "declaration_rail": vector.declaration_rail,
        "agreement_rail": distance.agreement_rail,
        "distance_rail": distance.distance_rail,
        "acceptance_rail": acceptance_rail.acceptance_rail,
        "verdict_rail": vector.verdict_rail,
        "small_vector": vector.small_vector,
        "latency_strip": strips.latency_strip,
        "key_square": strips.key_square,
        "change_bracket": _change_bracket,
        "is_silent": is_silent,
        "hardness_strip": strips.hardness_strip,
        "diversity_strip": strips.diversity_strip,
        "score_strip": _score_strip,
        "solved_words": solved_words,
        "apart_words": apart_words,
    }


_LEGEND = Measurement(
    tp=682, fn=18, fp=3, tn=897, unscored=0, fnr=rate(18, 700), fpr=rate(3, 900)
)  # an invented verifier, for the legend only


def worse_side(measurement: Measurement) -> scale.Side | None:
    """The side whose upper bound gives the grade; None where a side was not measured, or both bounds are equal."""
    left, right = scale.sides(measurement)
    if not (left.is_measured and right.is_measured) or left.rate.high == right.rate.high:
        return None
    return left if left.rate.high > right.rate.high else right


def _change_bracket(change: RewardChange, low: float, high: float) -> Markup:
    return strips.score_bracket(
        [
            ("before", change.before_low, change.before, change.before_high),
            ("after", change.after_low, change.after, change.after_high),
        ],
        low,
        high,
    )


def _score_strip(rows: Sequence[LeaderboardRow]) -> Markup:
    return strips.score_bracket(
        [(f"{row.model}, {row.harness}", row.score.low, row.score.value, row.score.high) for row in reversed(rows)]
    )


def solved_words(report: BenchmarkReport) -> str:
    """``6 solved by all, 4 by none``."""
    rates = list(report.task_rates.values())
    every, none = sum(one >= 1 for one in rates), sum(one <= 0 for one in rates)
    return f"{numbers.count(every)} solved by all, {numbers.count(none)} by none"


def apart_words(report: BenchmarkReport) -> str:
    """``4 of 10 pairs told apart``."""
    if not report.pairs:
        return "only one entry, so no pairs"
    apart = sum(pair.is_separated for pair in report.pairs)
    return f"{numbers.count(apart)} of {numbers.plural(len(report.pairs), 'pair')} told apart"


def signed(value: float) -> str:
    """A difference in percentage points: ``+4.2``, ``−1.0``."""
    return f"{value * 100:+.1f}".replace("-", "−")


@cache
def static_url(name: str) -> str:
    """Address of a static file with the first digits of its SHA-256, so that it may be cached for ever."""
    content = (files("hub_server.site") / "static" / name).read_bytes()
    return f"/static/{name}?v={hashlib.sha256(content).hexdigest()[:12]}"


def markdown_cell(text: str) -> str:
    """A stranger's text for a cell of a Markdown table: on one line, with all Markdown escaped."""
    one_line = " ".join(text.split())
    return re.sub(r"([\\`*_\[\]<>|~&])", r"\\\1", one_line)


def _rate_cell(measurement: Measurement, direction: scale.Direction) -> str:
    """``1.6 % (1.0–2.5), 19 of 1 180``, or that nobody measured it."""
    side = scale.sides(measurement)[0 if direction == "left" else 1]
    if not side.is_measured or side.rate.value is None:
        return "unknown, no cases"
    ends = numbers.interval(side.rate.low, side.rate.high)
    return f"{numbers.rate(side.rate.value)} ({ends}), {numbers.count(side.wrong)} of {numbers.count(side.cases)}"


def breakable(path: str) -> Markup:
    """A path or reference that may break at its separators and nowhere else; a version such as 1.0.0 stays whole."""
    return Markup("<wbr>").join(re.split(r"(?<=[/_-])|(?<=\.)(?!\d)|(?=@)", path))
