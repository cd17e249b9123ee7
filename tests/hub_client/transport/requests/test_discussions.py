"""What is sent for each thing that can be asked about discussions."""

import json

from hub_client.transport.requests import discussions
from schemas.discussions import DiscussionCreate, PostWrite

ALL = "/api/v1/packages/alice/sums/discussions"


def test_each_call_has_its_address() -> None:
    listed = discussions.list_discussions("alice/sums", state="open", limit=5)
    assert (listed.method, listed.path, dict(listed.params)) == ("GET", ALL, {"state": "open", "limit": 5})
    assert discussions.get_discussion("alice/sums", "d1", after=3).params == {"after": 3}
    made = discussions.open_discussion("alice/sums", DiscussionCreate(title="t", text="x"))
    assert (made.method, made.path, json.loads(made.content or b"")) == ("POST", ALL, {"title": "t", "text": "x"})
    assert discussions.reply("alice/sums", "d1", PostWrite(text="x")).path == f"{ALL}/d1/posts"
    assert discussions.set_open("alice/sums", "d1", "", is_open=False).path == f"{ALL}/d1/close"
    assert discussions.set_open("alice/sums", "d1", "", is_open=True).path == f"{ALL}/d1/reopen"


def test_an_odd_id_leads_to_no_other_address() -> None:
    assert discussions.get_discussion("alice/sums", "../../evil?x#y").path == f"{ALL}/..%2F..%2Fevil%3Fx%23y"
