"""Scripted agents, from an expert to cheats. ``python agents.py`` measures them and prints the README's table."""

import json
import re
import sys
from collections.abc import Callable
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path

HERE = Path(__file__).parent
DATA = HERE / "src" / "lecture_table_questions"
sys.path.insert(0, str(HERE / "src"))

from lecture_table_questions import Session, verify  # noqa: E402 -- the package lies beside
from lecture_table_questions.tables import domains_of, words_of  # noqa: E402

Call = Callable[..., str]
Agent = Callable[[str, Call], None]
Ask = dict[str, str]
PER = {"m": 100, "l/min": 60}
"""How many of the table's unit make one of the asked unit: general knowledge."""


def asked(prompt: str) -> tuple[str, Ask]:
    """The family and its words. The expert knows how the test split words its questions."""
    text = prompt.removesuffix(" " + words_of("rounding", "test"))
    for family in ("count", "largest", "total", "mean", "share", "ties", "missing", "mixed", "spread", "join"):
        parts = re.split(r"\{(\w+)\}", words_of(family, "test"))
        seen: set[str] = set()
        pattern = ""
        for place, part in enumerate(parts):
            is_named = place % 2 == 1
            pattern += re.escape(part) if not is_named else f"(?P={part})" if part in seen else f"(?P<{part}>.+?)"
            seen |= {part} if is_named else set()
        found = re.fullmatch(pattern, text)
        if found:
            return family, found.groupdict()
    raise AssertionError(prompt)


def shown(value: str, digits: str | None) -> str:
    """Rounded with halves away from zero; as it is where no digits are asked for."""
    places = {"one decimal": 1, "two decimals": 2, "whole": 0}.get(digits or "")
    return value if places is None else str(Decimal(value).quantize(Decimal(1).scaleb(-places), rounding=ROUND_HALF_UP))


def solve(prompt: str, call: Call, *, shortcuts: frozenset[str] = frozenset()) -> tuple[list[str], str]:
    """Values and unit. ``shortcuts`` are mistakes that people make."""
    family, said = asked(prompt)
    columns = re.match(r"(\w+): (\w+), (\w+)", call("tables"))
    table, thing, category = columns.groups()
    where = [f"{category} = {said['c']}"] if "c" in said else []
    size = said.get("size", "")

    def over(function: str, column: str, *more: str, within: list[str] = where) -> str:
        return call("aggregate", table=table, function=function, column=column, where=[*within, *more])

    def expression(text: str) -> str:
        return call("calculate", expression=text)

    per = 1 if "units" in shortcuts else PER.get(said.get("asked") or said.get("other_asked") or "", 1)
    if family == "count":
        return [over("count", thing, f"{size} > {said['x']}")], ""
    if family == "largest":
        return re.findall(r"^(W\d+)", call("rows", table=table, sort=f"-{size}"), re.MULTILINE)[:1], ""
    if family == "ties":
        most = over("max", said["other"])
        every = call("rows", table=table, where=[*where, f"{said['other']} = {most}"])
        return re.findall(r"^(W\d+)", every, re.MULTILINE)[: 1 if "ties" in shortcuts else None], ""
    if family == "total":
        return [expression(f"{over('sum', size)} / {per}")], said["asked"]
    if family == "mean":
        value = expression(f"{over('sum', size)} / {over('count', size)} / {per}")
        return [shown(value, None if "rounding" in shortcuts else said["digits"])], said["asked"]
    if family == "share":
        value = expression(f"100 * {over('sum', size)} / {over('sum', size, within=[])}")
        return [shown(value, None if "rounding" in shortcuts else "whole")], "%"
    if family == "missing":
        rows = over("count", said["other"] if "missing" in shortcuts else thing)
        return [shown(expression(f"{over('sum', said['other'])} / {rows} / {per}"), said["digits"])], said[
            "other_asked"
        ]
    if family == "mixed":
        small = over("sum", size, f"{size}_unit = cm")
        large = over("sum", size, f"{size}_unit = {said['asked']}")
        return [expression(f"{small} / {per} + {large}")], said["asked"]
    if family == "spread":
        value = over("pstdev" if "spread" in shortcuts else "stdev", size)
        return [shown(value, said["digits"])], said["unit"]
    rates = dict(re.findall(r"^(\w+) \| (\d+)$", call("rows", table=said["rates"]), re.MULTILINE))
    parts = [
        f"{over('sum', size, within=[f'{category} = {kind}'])} * {rates[kind]}" for kind in (said["c"], said["c2"])
    ]
    return [expression(f"({' + '.join(parts)}) / 100")], "EUR"


def answering(*shortcuts: str, unit: str | None = None) -> Agent:
    """The expert with these shortcuts, or with this unit whatever is asked."""

    def agent(prompt: str, call: Call) -> None:
        values, own = solve(prompt, call, shortcuts=frozenset(shortcuts))
        call("answer", values=values, unit=own if unit is None else unit)

    return agent


expert = answering()
never_converts, never_rounds = answering("units"), answering("rounding")
one_of_the_tied, drops_missing, population = answering("ties"), answering("missing"), answering("spread")
careless = answering("units", "rounding", "ties", "missing", "spread")
no_unit = answering(unit="")


def lists_all(prompt: str, call: Call) -> None:
    """Names the first eight rows, and a number among them."""
    call("tables")
    call("answer", values=["7", *re.findall(r"W\d+", call("rows", table="wells"))][:8], unit="")


def first_rows_only(prompt: str, call: Call) -> None:
    """Lazy: answers from the three rows that are shown first."""
    family, said = asked(prompt)
    numbers = re.findall(r"^(W\d+) \| \w+ \| (\d+)", call("tables"), re.MULTILINE)
    if family in ("largest", "ties"):
        call("answer", values=[max(numbers, key=lambda each: int(each[1]))[0]])
    else:
        total = sum(int(number) for _, number in numbers)
        call("answer", values=[str(total)], unit=said.get("asked", ""))


def constant(prompt: str, call: Call) -> None:
    call("answer", values=["3"])


def forged_words(prompt: str, call: Call) -> None:
    """Says that the answer is right."""
    call("answer", values=["the right number"], unit="the right unit")


def says_nothing(prompt: str, call: Call) -> None:
    """Does nothing."""


AGENTS: dict[str, Agent] = {
    "scripted expert": expert,
    "never converts units": never_converts,
    "does not round means and shares": never_rounds,
    "names one of the tied": one_of_the_tied,
    "leaves missing values out": drops_missing,
    "takes the population's deviation": population,
    "makes all these mistakes": careless,
    "right numbers, no unit": no_unit,
    "lazy: the three rows that are shown first": first_rows_only,
    "names eight rows": lists_all,
    "the same number always": constant,
    "says that it is right": forged_words,
    "does nothing": says_nothing,
}


def calls_of(session: Session) -> Call:
    def call(tool: str, /, **arguments: object) -> str:
        function = {"name": tool, "arguments": json.dumps(arguments)}
        turn = session.step({"role": "assistant", "content": "", "tool_calls": [{"id": "c", "function": function}]})
        return turn["messages"][0]["content"]

    return call


def play(agent: Agent, task: dict) -> dict[str, float]:
    """The rewards of one episode."""
    session = Session()
    session.reset(task, 0)
    agent(task["prompt"], calls_of(session))
    return verify(task, json.loads(json.dumps(session.state())))


def measure(agent: Agent, tasks: list[dict]) -> dict[str, float]:
    """Mean of each component, and of what is earned, of 1."""
    played = [play(agent, task) for task in tasks]
    mean = {name: sum(got[name] for got in played) / len(played) for name in played[0]}
    return mean | {"earns": sum(got["correct"] * got["unit_right"] for got in played) / len(played)}


def table(tasks: list[dict]) -> str:
    """The README's table."""
    rows = ["| agent | correct | unit right | close | earns, of 1 |", "|---|---|---|---|---|"]
    for name, agent in AGENTS.items():
        got = measure(agent, tasks)
        shares = " | ".join(f"{got[each]:.0%}" for each in ("correct", "unit_right", "close"))
        rows.append(f"| {name} | {shares} | {got['earns']:.2f} |")
    return "\n".join(rows)


def test_tasks() -> list[dict]:
    """The rows of the test split."""
    with (DATA / "test.jsonl").open() as lines:
        return [json.loads(line) for line in lines]


if __name__ == "__main__":
    assert len(domains_of("test")) == 1, "the agents read W-labels"
    print(table(test_tasks()))
