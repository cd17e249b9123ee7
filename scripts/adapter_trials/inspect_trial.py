"""``inspect eval`` against a live hub and real boxes: a task of one turn, and a session. The model says fixed words."""

import tempfile

from endpoint import endpoint
from inspect_ai import eval as run
from inspect_ai.model import get_model

from hub_client import Hub
from hub_client.adapters.inspect import make_task


def main() -> None:
    """Sums that are answered alike, and games of Wordle with one guess for ever."""
    with tempfile.TemporaryDirectory() as folder, Hub() as hub:
        for target, split, words in (("lecture/change-making", "test", "1/2"), ("lecture/wordle", "test", "crane")):
            env = hub.environment(target)
            with endpoint(lambda _, words=words: words) as url:  # type: ignore[misc]
                model = get_model("openai-api/trial/fixed", base_url=url, api_key="none")
                task = make_task(env, target, split=split, limit=3)
                [log] = run(task, model=model, display="none", log_dir=folder)
            if log.status != "success" or log.results is None:
                raise SystemExit(f"{target}: {log.status} {log.error}")
            scored = {
                score.name: {name: each.value for name, each in score.metrics.items()} for score in log.results.scores
            }
            print(target, log.results.completed_samples, "samples", scored)
            if target == "lecture/wordle" and not all(len(sample.messages) > 10 for sample in log.samples or []):
                raise SystemExit("a game of Wordle has six guesses")


if __name__ == "__main__":
    main()
