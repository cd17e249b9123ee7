"""A run asks for audits before anything is trained, refuses what breaks its limits, and writes down what it knew."""

import json

import pytest

from hub_client.audits.report_files import report_files
from hub_client.errors import AuditLimitError, HubUnreachableError
from schemas.known_audit import AuditLimits
from tests.making.known_audits import known_audit, measured, report_of
from trainer_bridge.errors import RecipeError
from trainer_bridge.known_audits import KnownAudits
from trainer_bridge.loop import train
from trainer_bridge.replay import replay
from trainer_bridge.reports.receipt import Receipt

LIMITS = {"max_fpr": 0.05, "max_fnr": 0.05, "require_grade": "B"}
GOOD, BAD = (0, 200, 0, 200), (9, 200, 0, 200)


@pytest.mark.parametrize(
    ("known", "said"),
    [
        (None, "verihub audit FOLDER --report audit.json"),
        (known_audit(*BAD), r"4.5 % .* limit \(max FPR\) is 5.0 %"),
        (known_audit(*GOOD, grade="C"), "B or better"),
        (known_audit(*GOOD, grade="U"), "too little was measured"),
    ],
)
def test_nothing_is_trained_where_an_audit_breaks_a_limit(known, said, fake_hub, make_settings):
    hub = fake_hub()
    hub.audits = {"test/digits": known} if known else {}
    settings = make_settings(**LIMITS)
    with pytest.raises(AuditLimitError, match=said) as refused:
        train(settings, hub=hub)
    assert refused.value.exit_code == 6
    assert not settings.output.exists()
    assert hub.runs.created == []


def test_each_of_several_environments_is_judged(fake_hub, fake_environment, make_settings):
    hub = fake_hub(fake_environment("test/digits"), fake_environment("test/other"))
    hub.audits = {"test/digits": known_audit(*GOOD), "test/other": known_audit(*BAD)}
    with pytest.raises(AuditLimitError, match="test/other"):
        train(make_settings(targets=("test/digits", "test/other"), max_fpr=0.05), hub=hub)


def test_without_a_hub_a_report_in_a_file_counts_for_exactly_its_bytes(fake_hub, fake_environment, tmp_path):
    hub, environment = fake_hub(), fake_environment()

    def unreachable(environment):
        raise HubUnreachableError("--offline forbids asking")

    hub.known_audit = unreachable
    file = tmp_path / "audit.json"
    file.write_bytes(report_files(report_of(measured(*GOOD)))["report"])
    assert KnownAudits(hub, AuditLimits()).find(environment) is None
    with pytest.raises(AuditLimitError, match=r"--audit-report audit\.json"):
        KnownAudits(hub, AuditLimits(max_fpr=0.05)).find(environment)
    found = KnownAudits(hub, AuditLimits(max_fpr=0.05), [file]).find(environment)
    assert (found.audit, found.grade, found.fpr.value) == ("", "B", 0)
    environment.judge.digest = "sha256:" + "9" * 64
    with pytest.raises(AuditLimitError):
        KnownAudits(hub, AuditLimits(max_fpr=0.05), [file]).find(environment)


def yes_or_no(task, response):
    return {"digits": float(any(character.isdigit() for character in response))}


@pytest.fixture
def corrected(fake_hub, fake_environment, make_settings):
    """A finished run whose rewards were corrected by an audit of FPR 10 %, FNR 5 %."""
    hub = fake_hub(fake_environment(verify=yes_or_no))
    hub.environments |= {"test/digits@1.0.0": hub.environments["test/digits"]}
    hub.audits = {"test/digits": known_audit(20, 200, 10, 200, grade="D")}
    settings = make_settings(recipe="corrected", steps=2, save_steps=1)
    train(settings, hub=hub)
    return hub, settings


def test_rates_and_audit_stand_in_the_receipt_and_on_the_hub(corrected):
    hub, settings = corrected
    receipt = Receipt.read(settings.output)
    assert receipt.audits["test/digits"] == hub.audits["test/digits"]
    assert receipt.recipe["shapers.backward_correction.fpr"] == [0.1]
    assert receipt.recipe["shapers.backward_correction.fnr"] == [0.05]
    assert "audit-1: D, FPR 10 % [" in hub.runs.created[0].config["audit.test/digits"]
    json.loads((settings.output / "receipt.json").read_text())


def test_a_replay_keeps_the_rates_and_says_that_the_audit_has_changed(corrected):
    hub, settings = corrected
    assert replay(settings.output, hub, steps=1).differences == ()
    hub.audits = {"test/digits": known_audit(40, 200, 10, 200, grade="D", audit="audit-2")}
    found = replay(settings.output, hub, steps=1)
    assert found.differing == ()
    assert found.differences[0].startswith("the audit of test/digits@1.0.0 was D, FPR 10 %")


def test_a_resumed_run_keeps_its_rates_and_says_so(corrected):
    hub, settings = corrected
    hub.audits = {"test/digits": known_audit(40, 200, 10, 200, grade="D")}
    assert train(settings.model_copy(update={"resume": True, "steps": 3}), hub=hub).steps == 3
    assert Receipt.read(settings.output).recipe["shapers.backward_correction.fpr"] == [0.1]
    with pytest.raises(AuditLimitError, match="max FPR"):  # limits are checked anew
        train(settings.model_copy(update={"resume": True, "steps": 4, "max_fpr": 0.2}), hub=hub)


def test_rewards_between_0_and_1_are_not_corrected(fake_hub, make_settings):
    hub = fake_hub()  # its verifier gives shares
    hub.audits = {"test/digits": known_audit(20, 200, 10, 200)}
    with pytest.raises(RecipeError, match="rewards of 0 or 1, and a verifier gave"):
        train(make_settings(recipe="corrected"), hub=hub)
