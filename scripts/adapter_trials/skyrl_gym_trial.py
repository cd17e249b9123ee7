"""SkyRL-Gym against a live hub and real boxes: an environment made by its registry, of several turns and of one."""

from typing import Any

import skyrl_gym
from skyrl_gym.envs.registration import register

from hub_client import Hub
from hub_client.adapters.skyrl_gym import dataset_rows


def play(rows: list[dict[str, Any]], words: list[str]) -> dict[str, Any]:
    """One episode of the first row with these words."""
    env = skyrl_gym.make("verihub", extras=rows[0])
    messages, _ = env.init(rows[0]["prompt"])
    print("  first:", messages[-1]["content"][:80].replace("\n", " "))
    last: dict[str, Any] = {"done": False}
    for word in words:
        last = env.step(word)
        if last["done"]:
            break
    print("  reward", last["reward"], last["metadata"].get("rewards"), env.get_metrics())
    if not last["done"]:
        raise SystemExit("the episode did not end")
    return last


def main() -> None:
    """Wordle with the right word at the second guess, and one sum."""
    register(id="verihub", entry_point="hub_client.adapters.skyrl_gym:HubTextEnv")
    with Hub() as hub:
        wordle = hub.environment("lecture/wordle")
        rows = dataset_rows(wordle, "train", limit=2)
        answer = wordle.task_list("train", limit=1)[0]["answer"]
        if play(rows, ["crane", str(answer)])["metadata"]["rewards"]["solved"] != 1.0:
            raise SystemExit("the right word was not taken")
        change = hub.environment("lecture/change-making")
        said = play(dataset_rows(change, limit=1), ["no idea"])
        if said["reward"] != 0.0:
            raise SystemExit("a wrong answer was rewarded")


if __name__ == "__main__":
    main()
