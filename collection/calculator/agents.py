"""Scripted agents, from an expert to cheats. ``python agents.py`` measures them and prints the README's table."""

import json
import re
import sys
from collections.abc import Callable
from pathlib import Path

HERE = Path(__file__).parent
DATA = HERE / "src" / "lecture_calculator"
sys.path.insert(0, str(HERE / "src"))

from lecture_calculator import Session, make_task, verify  # noqa: E402 -- the package lies beside
from lecture_calculator.cases import in_steps  # noqa: E402
from lecture_calculator.problems import problem_of  # noqa: E402

DEMONSTRATED = 900_000
"""The seed of demonstrations: no other run draws these tasks by chance."""
Calculate = Callable[[str], str]
Agent = Callable[[dict, Calculate], str | None]
"""Gets the task and the calculator, returns its last message (None: none)."""


def expression_of(task: dict) -> str:
    """What the problem asks for: the experts below have understood it."""
    return problem_of(**task["info"]).expression


def expert(task: dict, calculate: Calculate) -> str:
    return f"The answer is {calculate(expression_of(task))}."


def step_by_step(task: dict, calculate: Calculate) -> str:
    """A call for each step, with the result of the one before."""
    said = [calculate(step) for step in in_steps(problem_of(**task["info"]))]
    return said[-1]


def head_arithmetic(task: dict, calculate: Calculate) -> str:
    """Right, without the tool."""
    return task["answer"]


def literal_call(task: dict, calculate: Calculate) -> str:
    """Right, and the tool is only asked for the answer itself."""
    return calculate(f"{task['answer']} + 0")


def forged_words(task: dict, calculate: Calculate) -> str:
    """Writes the call and its result as text."""
    expression, answer = expression_of(task), task["answer"]
    return f'<tool_call>calculate("{expression}")</tool_call> tool: {answer}. The answer is {answer}'


def numbers_of(task: dict) -> list[str]:
    return re.findall(r"\d+", task["prompt"])


def first_times_second(task: dict, calculate: Calculate) -> str:
    """Lazy: the product of the first two numbers, whatever is asked."""
    first, second, *_ = numbers_of(task)
    return calculate(f"{first} * {second}")


def sum_of_all(task: dict, calculate: Calculate) -> str:
    return calculate(" + ".join(numbers_of(task)))


def by_count(task: dict, calculate: Calculate) -> str:
    """Lazy: one form for two numbers and one for more."""
    first, second, *rest = numbers_of(task)
    return calculate(f"{first} * {second}" + "".join(f" + {each}" for each in rest))


def sprays(task: dict, calculate: Calculate) -> str:
    """Asks for many forms and answers with all results."""
    first, second, *rest = numbers_of(task)
    forms = [f"{first} {sign} {second}" + "".join(f" {sign} {each}" for each in rest) for sign in "+-*/%"]
    return ", ".join(calculate(form) for form in forms)


def constant(task: dict, calculate: Calculate) -> str:
    """The same call and answer for every task."""
    return calculate("6 * 7")


def endless(task: dict, calculate: Calculate) -> str:
    """Tries to be without a verdict rather than wrong."""
    for expression in ("9**9**9", "1e99999999", "(" * 400, "round(1/3, 10**9)", "factorial(10**9)"):
        calculate(expression)
    return "1e99999999"


def says_nothing(task: dict, calculate: Calculate) -> None:
    """Does nothing."""


AGENTS: dict[str, Agent] = {
    "scripted expert: one expression": expert,
    "the expert, a step at a time": step_by_step,
    "right in the head, no call": head_arithmetic,
    "right in the head, asks for the answer itself": literal_call,
    "right in the head, writes call and result as text": forged_words,
    "lazy: product of the first two numbers": first_times_second,
    "lazy: product, and the rest added": by_count,
    "lazy: sum of all numbers": sum_of_all,
    "asks for five forms, answers with all": sprays,
    "the same call and answer always": constant,
    "tries to stay without a verdict": endless,
    "does nothing": says_nothing,
}


def play(agent: Agent, task: dict) -> dict[str, float]:
    """The rewards of one episode."""
    session = Session()
    session.reset(task, 0)

    def calculate(expression: str) -> str:
        function = {"name": "calculate", "arguments": json.dumps({"expression": expression})}
        turn = session.step({"role": "assistant", "content": "", "tool_calls": [{"id": "c", "function": function}]})
        return turn["messages"][0]["content"]

    said = agent(task, calculate)
    if said is not None:
        session.step({"role": "assistant", "content": said})
    return verify(task, json.loads(json.dumps(session.state())))


def demonstration(index: int) -> dict:
    """``messages`` and ``tools`` of an episode of ``train`` that earns all; half of them go a step at a time."""
    task = make_task("train", DEMONSTRATED, index)
    problem = problem_of("train", DEMONSTRATED, index)
    session = Session()
    opened = session.reset(task, 0)
    messages = list(opened["messages"])
    for number, step in enumerate(in_steps(problem) if index // 16 % 2 else [problem.expression]):
        function = {"name": "calculate", "arguments": json.dumps({"expression": step})}
        call = {"id": f"call-{number}", "type": "function", "function": function}
        messages.append({"role": "assistant", "content": "", "tool_calls": [call]})
        messages += session.step(messages[-1])["messages"]
    messages.append({"role": "assistant", "content": f"The answer is {task['answer']}."})
    session.step(messages[-1])
    assert verify(task, session.state())["correct"] == 1.0
    return {"messages": messages, "tools": opened["tools"]}


def measure(agent: Agent, tasks: list[dict]) -> dict[str, float]:
    """Mean of each component, and of what is earned, of 1."""
    played = [play(agent, task) for task in tasks]
    mean = {name: sum(rewards[name] for rewards in played) / len(played) for name in played[0]}
    return mean | {"earns": sum(rewards["correct"] * rewards["used_tool"] for rewards in played) / len(played)}


def table(tasks: list[dict]) -> str:
    """The README's table."""
    rows = ["| agent | right number | used the tool | earns, of 1 |", "|---|---|---|---|"]
    for name, agent in AGENTS.items():
        got = measure(agent, tasks)
        rows.append(f"| {name} | {got['right_number']:.0%} | {got['used_tool']:.0%} | {got['earns']:.2f} |")
    return "\n".join(rows)


def test_tasks() -> list[dict]:
    """The rows of the test split."""
    with (DATA / "test.jsonl").open() as lines:
        return [json.loads(line) for line in lines]


if __name__ == "__main__":
    print(table(test_tasks()))
