import pytest

from hub_client.imports.draft import ImportRefusedError
from hub_client.imports.reported_rewards import declared, form_words, read_report

SAID = {"rewards": {"good": [1.0, 0.0, 1.0], "length": [0.0, 0.0, 9.0]}, "form": "\\boxed{{answer}}", "tasks": 3}


def test_the_heaviest_reward_decides_and_weight_zero_is_a_metric() -> None:
    told = read_report(SAID | {"rewards": {**SAID["rewards"], "style": [0.5, -1.0, 2.0]}})
    made = declared(told, "said")
    assert made["good"] == {"description": "said", "weight": 1.0, "range": [0.0, 1.0], "threshold": 1.0}
    assert made["style"]["threshold"] == made["style"]["range"][0] == -1.0, "it forbids nothing"
    assert made["length"]["role"] == "metric"
    assert form_words(told.form).endswith("accepted most often.")


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ({"refused": "it needs\n a machine"}, "^it needs a machine$"),
        ({**SAID, "rewards": {}}, "cannot be read"),
        ({**SAID, "rewards": {"good": [1.0, 0.0, float("nan")]}}, "cannot be read"),
        ({**SAID, "rewards": {"__class__": [1.0, 0.0, 1.0]}}, "cannot be read"),
        ({**SAID, "form": "```{answer}"}, "cannot be read"),
        ({**SAID, "form": "no place"}, "cannot be read"),
        ({**SAID, "tasks": -1}, "cannot be read"),
    ],
)
def test_what_a_strangers_code_says_of_itself_is_not_taken_on_trust(said, why) -> None:
    with pytest.raises(ImportRefusedError, match=why):
        read_report(said)


def test_metrics_alone_are_no_verifier() -> None:
    with pytest.raises(ImportRefusedError, match="positive weight"):
        declared(read_report(SAID | {"rewards": {"length": [0.0, 0.0, 9.0]}}), "said")
