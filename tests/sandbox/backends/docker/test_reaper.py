import pytest

from sandbox.backends.docker.reaper import EXPIRES, OWNER, ClientHost, FoundBox, why_orphan

NOW = 1_000_000.0


def box(
    *,
    state: str = "running",
    age: float = 10,
    boot: str = "b",
    expires: object = NOW + 50,
    owner: str = "/l",
    folder: str = "f",
    host: str = "h",
) -> FoundBox:
    return FoundBox(
        "id", state, NOW - age, {**ClientHost(host, boot, folder).labels(), EXPIRES: str(expires), OWNER: owner}
    )


def of_an_older_client(*, expires: float = NOW + 50) -> FoundBox:
    """Verihub before 0.4 told neither its host nor its folder."""
    return FoundBox("id", "running", NOW - 10, {OWNER: "/l", EXPIRES: str(expires)})


@pytest.mark.parametrize(
    ("found", "is_alive", "reason"),
    [
        (box(), True, None),
        (box(state="created", age=5), True, None),
        (box(), False, "owner is gone"),
        (box(boot="other"), True, "last start"),
        (box(expires=NOW - 1), True, "past its time"),
        (box(expires="never"), True, "past its time"),
        (box(state="created", age=61), True, "never started"),
        (box(state="exited", age=5), True, None),
        (box(state="exited", age=61), True, "has ended"),
        (box(state="dead", age=4000), True, "has ended"),
        (box(state="running", age=4000), True, None),
        (box(folder="elsewhere"), False, None),
        (box(folder="elsewhere", boot="other"), False, None),
        (box(folder="elsewhere", state="created", age=61), False, None),
        (box(folder="elsewhere", expires=NOW - 1), True, "past its time"),
        (of_an_older_client(), False, None),
        (of_an_older_client(expires=NOW - 1), True, "past its time"),
        (box(host="elsewhere"), False, None),
        (box(host="elsewhere", boot="other"), False, None),
        (box(host="elsewhere", expires=NOW - 1), True, "past its time"),
    ],
)
def test_a_box_is_an_orphan_when_nobody_can_want_it(found: FoundBox, is_alive: bool, reason: str | None) -> None:
    why = why_orphan(found, now=NOW, here=ClientHost("h", "b", "f"), is_alive=lambda *_: is_alive)
    assert why is None if reason is None else reason in str(why)
