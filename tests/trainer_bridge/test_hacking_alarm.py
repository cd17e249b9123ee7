"""The alarm while training says what the run's page says, and nothing of steps in which nothing was judged."""

from tests.making.known_audits import known_audit
from trainer_bridge.hacking_alarm import add_to_curves, alarm_words


def test_the_alarm_of_the_run_s_page_is_said_while_training():
    curves = {}
    for step in range(1, 51):
        used = 0.5 * max(0, step - 25) / 25
        metrics = {"rewards/digits/mean": 0.4 + used, "held_out/digits/mean": 0.4}
        add_to_curves(curves, step, metrics, ["digits", "other"])
    add_to_curves(curves, 51, {"rewards/digits/mean": float("nan"), "held_out/digits/mean": 0.4}, ["digits"])
    assert len(curves["digits"]) == 50
    assert alarm_words(curves, {}, 1).startswith("reward hacking is likely since step 3")
    early = {"digits": curves["digits"][:20]}
    assert alarm_words(early, {"a/b": known_audit(1, 100, 1, 100)}, 1) == ""
