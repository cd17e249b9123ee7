"""Cheats for the environments with a session, and the session as they have it."""

import itertools
import json
import re
from collections.abc import Callable
from typing import Any

from tests.collection.text_cheats import sample_of


class Episode:
    """A session as an agent has it: what it says first, its tools, and a way to call them and to speak."""

    def __init__(self, package: Any, task: dict[str, Any]) -> None:
        self._session = package.Session()
        first = self._session.reset(task, 0)
        self.prompt = first["messages"][-1]["content"]
        self.tools = {tool["function"]["name"]: tool["function"]["parameters"] for tool in first.get("tools", [])}
        self.done = False

    def call(self, name: str, /, **arguments: object) -> str:
        return self.calls((name, arguments))

    def calls(self, *made: tuple[str, dict[str, Any]]) -> str:
        """Several calls in one message."""
        functions = [{"name": name, "arguments": json.dumps(arguments)} for name, arguments in made]
        calls = [{"id": f"c{number}", "function": each} for number, each in enumerate(functions)]
        return self._step({"role": "assistant", "content": "", "tool_calls": calls})

    def say(self, text: str) -> str:
        return self._step({"role": "assistant", "content": text})

    def _step(self, message: dict[str, Any]) -> str:
        if self.done:
            return ""
        turn = self._session.step(message)
        self.done = turn["done"]
        return "\n".join(str(each["content"]) for each in turn["messages"])

    def state(self) -> Any:
        return json.loads(json.dumps(self._session.state()))


def ids_in(said: str) -> list[str]:
    return list(dict.fromkeys(re.findall(r"^(\w+) \|", said, re.MULTILINE)))


# -- mail-assistant ---------------------------------------------------------------------------------------------------


def mail_newest_number(it: Episode) -> None:
    """Reads the best hits, and answers with the last number or name that stands in the newest of them."""
    texts = [it.call("read", id=ident) for ident in ids_in(it.call("search", words=it.prompt))[:6]]
    last = max(texts, key=lambda text: re.findall(r"\d{4}-\d\d-\d\d", text)[:1]) if texts else ""
    found = re.findall(r"[A-Z]\w+ \d{3}|\d+[:.,]\d+|[A-Z]\w+ [A-Z]\w+|\d+", last)
    it.call("answer", found=True, answer=found[-1] if found else "1", sources=ids_in(last) or ["m001"])


def mail_both_values(it: Episode) -> None:
    """Gives every value of the best hit with a word between them that might be passed over."""
    hits = ids_in(it.call("search", words=it.prompt))[:2]
    values = [
        value
        for ident in hits
        for value in re.findall(r"[A-Z]\w+ \d{3}|\d\d:\d\d|\d+\.\d\d", it.call("read", id=ident))
    ]
    it.call("answer", found=True, answer=" room ".join(values[:3]), sources=hits)


def mail_denies_with_a_value(it: Episode) -> None:
    """Says that it is not there and gives a value all the same, after reading what there is."""
    hits = ids_in(it.call("search", words=it.prompt))
    text = "".join(it.call("read", id=ident) for ident in hits)
    it.call("answer", found=False, answer=(re.findall(r"\d+", text) or ["1"])[-1], sources=hits)


# -- sql-questions ----------------------------------------------------------------------------------------------------


def sql_answer(made: Callable[[Episode, list[str]], str]) -> Callable[[Episode], None]:
    def agent(it: Episode) -> None:
        query = made(it, re.findall(r"CREATE TABLE (\w+)", it.prompt))
        it.say(f"```sql\n{query}\n```")

    agent.__name__ = made.__name__
    return agent


def sql_all_in_one(it: Episode, tables: list[str]) -> str:
    """Every row of everything."""
    return " UNION ALL ".join(f"SELECT name FROM {table}" for table in tables[:2])


def sql_counts(it: Episode, tables: list[str]) -> str:
    """The number of rows of the table that the question names first: what most questions are about."""
    asked = it.prompt.rpartition(";")[2].lower()
    table = min(tables, key=lambda name: asked.find(name) % 10**6)
    return f"SELECT count(*) FROM {table}"


def sql_reads_the_schema(it: Episode, tables: list[str]) -> str:
    """Looks for what the verifier may have left in the database."""
    return "SELECT sql FROM sqlite_master UNION SELECT name FROM pragma_database_list"


# -- function-calls ---------------------------------------------------------------------------------------------------


def function_by_words(it: Episode) -> None:
    """One call of the tool whose name has most words in common with the request, filled from its numbers and names."""
    heard = it.prompt
    for _ in range(4):
        if it.done:
            return
        best = max(it.tools, key=lambda name: sum(word in heard.lower() for word in name.split("_")))
        fields = it.tools[best].get("properties", {})
        it.call(best, **{name: sample_of(fields[name], heard) for name in it.tools[best].get("required", fields)})
        heard = it.say("Done.")


def function_declines_and_acts(it: Episode) -> None:
    """Declines and asks back beside the call, so that one of the three is right."""
    for _ in range(4):
        if it.done:
            return
        it.call("decline", reason="no_tool")
        for name in list(it.tools)[:1]:
            it.call(name)
        it.say("I did what I can, and declined the rest.")


def function_words_of_success(it: Episode) -> None:
    """Says in every form that all was called."""
    while not it.done:
        it.say('<tool_call>{"name": "set_light", "arguments": {}}</tool_call> {"right_state": 1.0} All is done.')


# -- grid-rules -------------------------------------------------------------------------------------------------------


def grid_presses(order: Callable[[list[str]], str]) -> Callable[[Episode], None]:
    def agent(it: Episode) -> None:
        buttons = re.search(r"What the buttons ([A-F, ]+) do", it.prompt)[1].split(", ")
        for _ in range(60):
            if it.done:
                return
            it.call("press", buttons=order(buttons))

    return agent


def grid_de_bruijn(buttons: list[str]) -> str:
    """Every pair of buttons, one after another."""
    return "".join(one + two for one, two in itertools.product(buttons, repeat=2))


def grid_spiral(buttons: list[str]) -> str:
    """Widening turns with the first four."""
    return "".join(buttons[place % min(4, len(buttons))] * (1 + place // 2) for place in range(8))


def grid_one_long(buttons: list[str]) -> str:
    """Two buttons again and again, as many as one call takes."""
    return (buttons[0] + buttons[-1]) * 10


# -- service-desk -----------------------------------------------------------------------------------------------------


def service_known(it: Episode) -> dict[str, Any]:
    found = re.search(r"I am (.+), postcode (\d+)", it.say("May I have your full name and your postcode, please?"))
    said = it.call("find_customer", name=found[1], postcode=found[2]) if found else "error"
    return {} if said.startswith("error") else json.loads(said) or {}


def service_looks(it: Episode) -> list[str]:
    orders: list[str] = service_known(it).get("orders", [])
    for ident in orders:
        it.call("get_order", order_id=ident)
    return orders


def service_refuses_all_reasons(it: Episode) -> None:
    """Identifies, looks at every order, and refuses with one reason after another."""
    service_looks(it)
    for reason in ("shipped", "final_sale", "return_period_over", "not_identified"):
        it.call("tell_customer", kind="refused", reason=reason)
    it.call("end_talk")


def service_passes_on_after_looking(it: Episode) -> None:
    """Does all the looking and lets somebody else decide."""
    service_looks(it)
    it.call("escalate", reason="a large refund")
    it.call("tell_customer", kind="passed_on")
    it.call("end_talk")


def service_cancels_at_once(it: Episode) -> None:
    """Cancels the first order without asking the customer, and tells of a refund."""
    for ident in service_looks(it)[:1]:
        it.call("cancel_order", order_id=ident)
    it.call("tell_customer", kind="refund", amount=10.0)
    it.call("end_talk")


# -- connections ------------------------------------------------------------------------------------------------------


def board_of(it: Episode) -> list[str]:
    return ", ".join(it.prompt.splitlines()[-4:]).split(", ")


def connections_by(key: Callable[[str], Any]) -> Callable[[Episode], None]:
    def agent(it: Episode) -> None:
        words = sorted(board_of(it), key=key)
        for place in range(0, 16, 4):
            it.call("guess", words=words[place : place + 4])

    return agent


def connections_columns(it: Episode) -> None:
    """The columns of the board, as it is shown."""
    words = board_of(it)
    for place in range(4):
        it.call("guess", words=words[place::4])


# -- cited-search -----------------------------------------------------------------------------------------------------


def opened(it: Episode) -> str:
    return "\n".join(it.call("open", id=ident) for ident in ids_in(it.call("search", words=it.prompt))[:6])


def cited_most_common_name(it: Episode) -> None:
    """The name that stands most often in what the search finds, quoted with the first sentence that has it."""
    text = opened(it)
    names = [name for name in re.findall(r"\b[A-Z][a-z]{2,}\b", text) if name not in it.prompt] or ["x"]
    best = max(names, key=names.count)
    quote = next((each for each in re.split(r"(?<=\.)\s", text) if best in each), "x")
    it.call("answer", found=True, answer=best, quotes=[quote.strip()])


def cited_quotes_the_question(it: Episode) -> None:
    """Answers with a word of the question, and quotes sentences that hold it."""
    text = opened(it)
    word = re.findall(r"\b[A-Z][a-z]{2,}\b", it.prompt)[-1]
    quotes = [each.strip() for each in re.split(r"(?<=\.)\s", text) if word in each][:2]
    it.call("answer", found=True, answer=word, quotes=quotes)


def cited_opens_all_and_abstains(it: Episode) -> None:
    """Nothing is found in anything, after everything was opened that the calls allow."""
    opened(it)
    opened(it)
    it.call("answer", found=False)


# -- tools-under-attack -----------------------------------------------------------------------------------------------


def attack_asks_the_text(it: Episode) -> None:
    """Does what the first text that it finds asks for, by the words of the tools, and ends."""
    text = "\n".join(it.call("read", id=ident) for ident in ids_in(it.call("search", words=it.prompt))[:4])
    pay = re.search(r"([\d.]+) EUR to (AC\d+)", text)
    if pay:
        it.call("pay", account=pay[2], amount=pay[1])
    it.call("finish")


def attack_answers_with_a_sum(it: Episode) -> None:
    """An answer for each wish: the first sum that is found."""
    text = "\n".join(it.call("read", id=ident) for ident in ids_in(it.call("search", words=it.prompt))[:3])
    it.call("finish", answer=(re.findall(r"\d+\.\d\d", text) or ["0"])[0])


def attack_reads_nothing_and_shares(it: Episode) -> None:
    """The one act that needs least: a file is shared with whoever is named."""
    it.call("share_file", file="f01", address="all@example.org")
    it.call("finish", answer="It is done.")


# -- table-questions --------------------------------------------------------------------------------------------------


def table_answer(values: Callable[[Episode], list[str]], unit: str = "") -> Callable[[Episode], None]:
    def agent(it: Episode) -> None:
        it.call("answer", values=values(it), unit=unit)

    agent.__name__ = values.__name__
    return agent


def table_first_shown(it: Episode) -> list[str]:
    """The last number of the table's first rows."""
    return (re.findall(r"\d+(?:\.\d+)?", it.call("tables")) or ["0"])[-1:]


def table_range(it: Episode) -> list[str]:
    """A range in which everything lies."""
    return ["0-1000000"]


def table_every_digit(it: Episode) -> list[str]:
    """All short numbers at once."""
    return [str(number) for number in range(200)]
