"""Which letters come into question as tries: by package, by code, by the people behind."""

from hub_server.audits.models import DrawRow
from hub_server.audits.queries.draws import draws_near, find_draw
from hub_server.database.visibility import EVERYTHING, seeing
from tests.making.action_driver import ActionDriver, caller


def test_letters_of_the_package_of_the_code_and_of_its_people_are_found(driver: ActionDriver) -> None:
    for name in ("alice", "bob", "carol"):
        driver.person(name)
    packages = ("alice/sums", "alice/more-sums", "bob/sums", "carol/sums")
    for package in packages:
        driver.publish(caller(package.partition("/")[0]), package)
    codes = dict(zip(packages, ("one", "two", "one", "three"), strict=True))
    with driver.writing() as work, seeing(work.session, EVERYTHING):
        for release, package in driver.rows("SELECT id, package_id FROM releases"):
            work.session.add(
                DrawRow(
                    release_id=release,
                    package_id=package,
                    code=codes[package],
                    minhash={"minima": []},
                    grade="C",
                    measured_at=work.now,
                )
            )
        work.session.flush()

        def found(package: str, code: str, *people: str) -> set[str]:
            return {row.package_id for row, _ in draws_near(work.session, package, code, people)}

        assert found("alice/sums", "one", "alice") == {"alice/sums", "alice/more-sums", "bob/sums"}
        assert found("alice/new", "one", "dora") == {"alice/sums", "bob/sums"}
        assert found("alice/new", "", "carol") == {"carol/sums"}
        assert found("carol/sums", "", "dora") == {"carol/sums"}
        assert find_draw(work.session, "nothing") is None
