"""What a judge is worth: ``.venv/bin/python -m scripts.judge_study --judge-model URL#MODEL --name NAME``.

Asks one judge model what ``lecture/judge``, ``lecture/rubric`` and ``lecture/generative-verifier`` would ask it, until
all is asked or ``--seconds`` are over, and prints its figures. Answers are kept in ``--answers``: the same command
goes on there. ``--only KIND`` (may be repeated) asks some kinds alone. ``--store`` puts the figures into the study's
file and writes docs/reference/judges.md anew, together with those of the scripted judges, which are the control.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from hub_client.execution.judge_model import ClientJudge
from scripts.judge_study.figures import Figures, figures
from scripts.judge_study.kept_answers import KeptAnswers, Verdict, ask_all
from scripts.judge_study.page import PAGE, page
from scripts.judge_study.questions import KINDS, questions
from scripts.judge_study.scripted import JUDGES, endpoint

STORED = Path(__file__).with_name("figures.json")


def main(arguments: Sequence[str] | None = None) -> None:
    """Ask, compute, print, store."""
    options = _options().parse_args(arguments)
    file = options.answers or Path("var", "judge_study", f"{options.name}.jsonl")
    file.parent.mkdir(parents=True, exist_ok=True)
    judge = KeptAnswers(ClientJudge(options.judge_model), file, options.seconds)
    wanted = questions(tuple(options.only))
    verdicts = ask_all(judge, wanted, workers=options.workers)
    judge.close()
    found = figures(verdicts)
    if not options.store:
        print(json.dumps(found, indent=1, ensure_ascii=False))
        return
    stored = json.loads(STORED.read_text(encoding="utf-8")) if STORED.exists() else {"models": {}}
    about = {"about": options.about or options.judge_model, "seconds": options.seconds_a_verdict}
    stored["models"][options.name] = about | {"figures": found}
    stored["scripted"] = scripted_figures()
    STORED.write_text(as_text(stored), encoding="utf-8")
    PAGE.write_text(page(stored), encoding="utf-8")
    print(f"{STORED} and {PAGE} are written", file=sys.stderr)


def _options() -> argparse.ArgumentParser:
    options = argparse.ArgumentParser(
        prog="python -m scripts.judge_study", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--judge-model", default="local:smollm2", help="URL#MODEL or local:NAME")
    options.add_argument("--name", default="smollm2", help="what the page calls it")
    options.add_argument("--about", default="", help="how it was run, for the page")
    options.add_argument("--seconds-a-verdict", type=float, help="processor time of a verdict, for the page")
    options.add_argument("--answers", type=Path, help="default: var/judge_study/NAME.jsonl")
    options.add_argument("--only", action="append", default=[], choices=list(KINDS))
    options.add_argument("--seconds", type=float, default=float("inf"), help="0: only what is kept")
    options.add_argument("--workers", type=int, default=16, help="questions at once")
    options.add_argument("--store", action="store_true")
    return options


def scripted_figures() -> dict[str, Figures]:
    """The control: every scripted judge, asked over HTTP like any other model."""
    with endpoint() as url:
        return {name: figures(scripted_verdicts(url, name)) for name in JUDGES}


def scripted_verdicts(url: str, name: str, kinds: tuple[str, ...] = ()) -> list[Verdict]:
    """What one of them says."""
    judge = KeptAnswers(ClientJudge(f"{url}#{name}"), None)
    try:
        return ask_all(judge, questions(kinds))
    finally:
        judge.close()


def as_text(stored: object) -> str:
    """One line for each figure: a change of one can be read."""
    return json.dumps(stored, indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    main()
