"""What an operator's command does with a hub: one transaction, and a sentence for what is refused."""

from pathlib import Path

import pytest
import typer

from hub_server.admin.opened_hub import REFUSED, opened_hub, operating
from hub_server.database.base import new_id
from hub_server.errors import InvalidRequestError
from hub_server.moderation.models import ModerationEventRow


@pytest.mark.slow
def test_a_refusal_undoes_all_and_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("VERIHUB_SERVER_SANDBOX__BACKEND", "nothing")

    def act(fails: bool) -> None:
        with operating(tmp_path) as work:
            assert work.caller is not None
            assert work.caller.is_operator
            row = ModerationEventRow(
                id=new_id(work.now), at=work.now, actor="operator", action="suspend", package_id=None, version=None,
                reason="", account="alice",
            )  # fmt: skip
            work.session.add(row)
            if fails:
                raise InvalidRequestError("That cannot be.")

    with pytest.raises(typer.Exit) as ended:
        act(fails=True)
    assert ended.value.exit_code == REFUSED
    assert "That cannot be." in capsys.readouterr().err
    act(fails=False)
    with operating(tmp_path) as work:
        assert work.session.query(ModerationEventRow).count() == 1


def test_a_mistyped_folder_is_told_and_gets_no_hub(tmp_path, capsys) -> None:
    nowhere = tmp_path / "nodata"
    with pytest.raises(typer.Exit) as ended, opened_hub(nowhere):
        pass
    assert ended.value.exit_code == 9
    assert f"no hub in {nowhere}" in capsys.readouterr().err
    assert not nowhere.exists()


def test_what_another_hubs_operator_decides_is_not_done_on_a_mirror(tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.setenv("VERIHUB_SERVER_SANDBOX__BACKEND", "nothing")
    monkeypatch.setenv("VERIHUB_SERVER_MIRROR__OF", "https://hub.test")
    with opened_hub(tmp_path) as services:
        assert services.settings.mirror.of == "https://hub.test"
    monkeypatch.delenv("VERIHUB_SERVER_MIRROR__OF")
    with pytest.raises(typer.Exit), operating(tmp_path):
        pytest.fail("a mirror is not moderated")
    assert "read-only mirror of https://hub.test" in capsys.readouterr().err
