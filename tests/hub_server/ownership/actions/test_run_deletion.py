"""A run is deleted by its owner alone, with all that it holds; what others rest on stays without its link."""

from sqlalchemy import text

from hub_server.database.base import Base
from hub_server.kernel.services import Services
from tests.making.hub import Api, make_package, run_jobs

PIN = {"package": "alice/small-sums", "version": "1.0.0", "digest": "sha256:" + "0" * 64}


def begun(api: Api, **more: object) -> str:
    """A run with a point and a rollout; its path."""
    made = api.post("/api/v1/runs", json={"name": "r", "packages": [PIN], **more})
    path = f"/api/v1/runs/{made.json()['id']}"
    rollout = {"step": 1, "task_id": "t1", "response": "2", "rewards": {"correct": 1.0}}
    assert api.post(f"{path}/metrics", json={"items": [{"step": 1, "values": {"reward": 1.0}}]}).status_code == 200
    assert api.post(f"{path}/rollouts", json={"items": [rollout]}).status_code == 200
    return path


def test_only_the_person_who_owns_it_deletes_a_run(alice: Api, bob: Api) -> None:
    path, private = begun(alice), begun(alice, is_private=True)
    assert alice.request("DELETE", path).status_code == 403, "a token that leaks deletes nothing for good"
    assert bob.as_person().request("DELETE", path).status_code == 403
    assert bob.as_person().request("DELETE", private).json()["code"] == "run_not_found", "nobody learns that it exists"
    for one in (path, private):
        assert alice.get(one).status_code == 200
        assert alice.as_person().request("DELETE", one).status_code == 204
        assert alice.get(one).status_code == 404
        assert alice.as_person().request("DELETE", one).status_code == 404


def test_nothing_is_left_of_it_and_other_runs_stay(alice: Api, services: Services) -> None:
    assert alice.publish(make_package()).status_code == 201
    path, kept = begun(alice), begun(alice)
    with services.database.writing() as session:
        for case_id, key in ((None, "open"), ("c1", "settled")):
            question = {
                "id": key, "package_id": "alice/small-sums", "case_key": key, "version": "1.0.0", "case": {},
                "run_id": path.rpartition("/")[2], "rollout_id": 1, "step": 1, "verdicts": [], "bits": 1.0,
                "priority": 1.0, "state": "open", "case_id": case_id, "created_at": services.clock.now(),
            }  # fmt: skip
            session.execute(Base.metadata.tables["label_questions"].insert().values(**question))
    assert alice.request("PATCH", path, json={"state": "finished"}).status_code == 200
    assert alice.as_person().request("DELETE", path).status_code == 204
    with services.database.reading() as session:
        assert session.execute(text("SELECT id FROM runs")).scalars().all() == [kept.rpartition("/")[2]]
        for table in ("metric_points", "rollouts", "run_packages"):
            assert session.execute(text(f"SELECT count(*) FROM {table}")).scalar_one() == 1, table
        assert session.execute(text("SELECT id, run_id FROM label_questions")).all() == [("settled", None)]
    run_jobs(services)  # what the finished run had queued finds it gone
    for page in ("/api/v1/events", "/runs", "/packages/alice/small-sums", "/alice"):
        assert alice.get(page).status_code < 500, page
