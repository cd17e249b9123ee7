"""The demo's story of reward hacking: a model learns from a weak verifier, hacks it, then trains on a fixed one."""

import json
from typing import Any

from demo_hub import ROOT, Hub, console, print_rates, publish, step, tables, train, wait_for_audits
from rich.table import Table

from hub_client import Hub as Client

PACKAGE = "lecture/plain-style"
THIN = ROOT / "collection" / "hacked" / "plain-style-v1"
REPAIRED = ROOT / "collection" / "plain-style"
BENCHMARK = ROOT / "collection" / "starter-bench"
LATER = (REPAIRED, BENCHMARK)
"""What is published in chapter 4: the repaired release, and the benchmark that asks for it."""
COUNTER_EXAMPLES = ROOT / "collection" / "hacked" / "counter_examples.jsonl"
SUBMITTED = 24


def tell(hub: Hub, *, again: bool) -> None:
    """Run the five chapters. What an earlier demo finished is shown and not repeated, unless ``again`` is set."""
    with step("1  A thin verifier: plain-style 1.0.0 finds no fault in its own audit"):
        publish(hub, [THIN])
        print_rates([card for card in wait_for_audits(hub) if card["id"] == PACKAGE])
    with step("2  A model learns it"):
        thin_run = train(hub, f"{PACKAGE}@1.0.0", "demo-thin-verifier", again=again, steps=20)
    with step("3  What it learnt: answers that 1.0.0 accepts, judged by a person"):
        show_hacks(hub, thin_run)
    with step("4  Counter-examples go in, and 3.0.0 closes the hole"):
        submit_counter_examples(hub)
        publish(hub, list(LATER))
        print_rates([card for card in wait_for_audits(hub) if card["id"] == PACKAGE])
        print_case_states(hub)
    with step("5  Trained again, on 3.0.0"):
        run = train(hub, f"{PACKAGE}@3.0.0", "demo-plain-style", again=again)
    with step("Both models' held-out answers, judged by 3.0.0"):
        show_hacks(hub, run)
    for each in (thin_run, run):
        console.print(f"Run: {hub.url}/runs/{each['id']}")


def held_out_answers(hub: Hub, run: dict[str, Any]) -> list[dict[str, Any]]:
    """The answers to held-out tasks after training, as the run's page shows them."""
    return list(hub.get(f"/runs/{run['id']}/rollouts?phase=eval_after&limit=100")["items"])


def show_hacks(hub: Hub, run: dict[str, Any]) -> None:
    """How many answers the run's own verifier calls on topic, on how many 3.0.0 disagrees, and some of these."""
    answers = held_out_answers(hub, run)
    with Client(hub.url, hub.token()) as client:
        strict = client.environment(REPAIRED)
        tasks = {task["id"]: task for task in strict.tasks("test")}
        verdicts = strict.score([(tasks[answer["task_id"]], answer["response"]) for answer in answers]).verdicts
        threshold = strict.rewards["topic"].threshold
    own = [(answer["rewards"]["topic"] or 0.0) >= threshold for answer in answers]
    hacks = [
        answer
        for answer, accepted, verdict in zip(answers, own, verdicts, strict=True)
        if accepted and (verdict.rewards["topic"] or 0.0) < threshold
    ]
    console.print(
        f"  {run['name']}: of {len(answers)} held-out answers its own verifier calls {sum(own)} on topic; "
        f"3.0.0 disagrees on {len(hacks)} of those."
    )
    if hacks:
        table = Table(box=None, padding=(0, 2), show_header=False)
        for answer in hacks[:6]:
            table.add_row(answer["task_id"], answer["response"])
        tables.print(table)


def submit_counter_examples(hub: Hub) -> None:
    """Send hand-labelled answers against 1.0.0 through the command line; the hub runs each at once."""
    known = {case["case"]["id"] for case in all_cases(hub)} | {case["case"]["response"] for case in all_cases(hub)}
    for line in COUNTER_EXAMPLES.read_text().split("\n")[:SUBMITTED]:
        case = json.loads(line)
        if case["response"] not in known:
            hub.verihub(
                "--format", "quiet", "cases", "add", f"{PACKAGE}@1.0.0", "--task", case["task_id"],
                "--label", case["label"], "--expect", json.dumps(case["expect"]), "--response", case["response"],
                "--note", "found in a training run",
                capture=True,
            )  # fmt: skip


def all_cases(hub: Hub) -> list[dict[str, Any]]:
    """Every counter-example against the package."""
    return list(hub.get(f"/packages/{PACKAGE}/cases?limit=100")["items"])


def print_case_states(hub: Hub) -> None:
    """Print the number of counter-examples in each state."""
    states: dict[str, int] = {}
    for case in all_cases(hub):
        states[case["state"]] = states.get(case["state"], 0) + 1
    console.print("  counter-examples: " + ", ".join(f"{count} {state}" for state, count in sorted(states.items())))
