"""Whether a hub keeps what it has acknowledged when power is lost at any moment: ``scripts/power_loss``.

A hub publishes some releases, takes accounts and revokes tokens while strace records each write, sync and name (Linux,
with strace installed). Power is then lost after each of many moments of that record: what had not been synced by then
is dropped, kept, or kept in part at random. On each such disk every release that was acknowledged before must be whole
(its row, its bytes, its entry in the journal, the key that signed it), every account must be there with its token, no
revoked token may be good again, and SQLite must find its file sound. Exit status 1 where one is not.

The search index and the rows that SQLite keeps in shared memory hold nothing that the rest does not, and are left out.
"""

import argparse
import hashlib
import json
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import httpx

from scripts.load_test import make_wheel
from scripts.power_loss_disk import Disk, Op, spread, write_out
from scripts.power_loss_trace import ACK, SYSTEM_CALLS, read_trace

_LOSES: dict[str, Callable[[random.Random], Callable[[], bool]]] = {
    "all that was not synced": lambda _chance: lambda: False,
    "nothing": lambda _chance: lambda: True,
    "half of what was not synced": lambda chance: lambda: chance.random() < 0.5,
    "a tenth of what was not synced": lambda chance: lambda: chance.random() < 0.9,
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Record, replay, say what was lost."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--releases", type=int, default=6, help="how many releases are published meanwhile")
    parser.add_argument("--moments", type=int, default=300, help="at how many moments power is lost")
    parser.add_argument("--seed", type=int, default=0, help="of what is kept at random")
    parser.add_argument("--play", metavar="FOLDER", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.play is not None:
        play(options.play, options.releases)
        return 0
    with tempfile.TemporaryDirectory(prefix="verihub-power-loss-") as folder:
        root = Path(folder).resolve() / "hub"
        ops = record(root, options.releases)
        return report(root, ops, options.moments, options.seed)


def record(root: Path, releases: int) -> list[Op]:
    """What a hub that publishes does to its data folder."""
    strace = shutil.which("strace")
    if strace is None:
        raise SystemExit("strace is not installed (Debian: apt-get install strace)")
    trace = root.parent / "trace"
    trace.mkdir(parents=True)
    root.mkdir()
    flags = ["-f", "-ff", "-ttt", "-T", "-xx", "-y", "-s", "100000000", "-e", f"trace={SYSTEM_CALLS}"]
    played = [sys.executable, "-m", "scripts.power_loss", "--play", str(root), "--releases", str(releases)]
    subprocess.run([strace, *flags, "-o", str(trace / "trace"), *played], check=True)
    return read_trace(trace, root)


def play(root: Path, releases: int) -> None:
    """Publish by the API of a hub in this process, and note what it answers."""
    from hub_server.app import create_app  # noqa: PLC0415 -- only the process that is watched needs a hub
    from hub_server.settings import ServerSettings  # noqa: PLC0415
    from hub_server.wiring import wire  # noqa: PLC0415

    services = wire(ServerSettings(data=root))
    transport = httpx.ASGITransport(app=create_app(services))
    descriptor = os.open(str(root.parent) + ACK, os.O_CREAT | os.O_WRONLY)

    def acknowledge(**told: str) -> None:
        os.write(descriptor, json.dumps(told).encode())

    async def publish() -> None:
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost", timeout=120) as client:

            async def sign_up(name: str) -> str:
                account = {"name": name, "email": f"{name}@example.org", "password": "power loss, no secret"}
                token = str((await client.post("/api/v1/accounts", json=account)).raise_for_status().json()["token"])
                acknowledge(account=name, token=_hash(token))
                return token

            headers = {"Authorization": f"Bearer {await sign_up('alice')}"}
            for number in range(releases):
                version = f"1.{number}.0"
                wheel = make_wheel("alice/sums", version)
                answer = await client.post("/api/v1/packages", content=wheel, headers=headers)
                answer.raise_for_status()
                acknowledge(version=version, digest=f"sha256:{hashlib.sha256(wheel).hexdigest()}")
                token = await sign_up(f"reader{number}")
                if number % 2 == 0:
                    answer = await client.post("/api/v1/tokens/revoke", json={"token": token})
                    answer.raise_for_status()
                    acknowledge(revoked=_hash(token))

    import asyncio  # noqa: PLC0415

    asyncio.run(publish())
    services.close()


def _hash(token: str) -> str:
    """As the hub stores it."""
    return hashlib.sha256(token.encode()).hexdigest()


def report(root: Path, ops: list[Op], moments: int, seed: int) -> int:
    """Lose power at each moment in each way; print what was lost."""
    disk = Disk(root, ops)
    if not disk.acknowledged:
        raise SystemExit("nothing was acknowledged: the record is of no use")
    chance, lost, states = random.Random(seed), 0, 0  # noqa: S311 -- what a disk keeps
    chosen = sorted({*spread(disk.moments, moments), *(number for number, _ in disk.acknowledged)})
    for moment in chosen:
        for name, keeps in _LOSES.items():
            states += 1
            with tempfile.TemporaryDirectory(prefix="verihub-disk-") as folder:
                write_out(disk.after(moment, keeps(chance)), root, Path(folder))
                told = [json.loads(said) for number, said in disk.acknowledged if number <= moment]
                for problem in problems_of(Path(folder), told):
                    lost += 1
                    print(f"after act {moment} of {len(ops)}, losing {name}: {problem}")
    print(
        f"{len(ops)} acts recorded, {len(disk.acknowledged)} answers acknowledged; power lost at {len(chosen)} "
        f"moments in {len(_LOSES)} ways ({states} disks): {lost} faults"
    )
    return 1 if lost else 0


def problems_of(folder: Path, told: list[dict[str, str]]) -> list[str]:
    """What is wrong on a disk on which this was acknowledged: releases, accounts with a token, revoked tokens."""
    releases = [one for one in told if "version" in one]
    found = next(iter(folder.glob("*.sqlite3")), None)
    if found is None:
        return ["the database is gone"] if told else []
    for shared in folder.glob("*-shm"):
        shared.unlink()
    try:
        with sqlite3.connect(found) as connection:
            sound = [row[0] for row in connection.execute("PRAGMA integrity_check")]
            tables = {row[0] for row in connection.execute("SELECT name FROM sqlite_master")}
            rows = dict(connection.execute("SELECT version, digest FROM releases")) if "releases" in tables else {}
            entries = "SELECT version, key_id FROM journal_entries WHERE act = 'publish'"
            entered = dict(connection.execute(entries)) if "journal_entries" in tables else {}
            problems = _account_problems(connection, tables, told)
        connection.close()
    except sqlite3.DatabaseError as error:
        return [f"the database cannot be read: {error}"]
    problems += _key_problems(folder, set(entered.values())) if releases else []
    problems += [f"the database is damaged: {line}" for line in sound if line != "ok"]
    for one in releases:
        if rows.get(one["version"]) != one["digest"]:
            problems.append(f"release {one['version']} was acknowledged and has no row")
        if one["version"] not in entered:
            problems.append(f"release {one['version']} was acknowledged and is not in the journal")
    for version, digest in rows.items():
        hexadecimal = digest.partition(":")[2]
        blob = next(iter(folder.glob(f"blobs/sha256/{hexadecimal[:2]}/{hexadecimal[2:]}")), None)
        if blob is None or hashlib.sha256(blob.read_bytes()).hexdigest() != hexadecimal:
            problems.append(f"release {version} has no bytes, or others")
    return problems


def _account_problems(connection: sqlite3.Connection, tables: set[str], told: list[dict[str, str]]) -> list[str]:
    names = {row[0] for row in connection.execute("SELECT name FROM accounts")} if "accounts" in tables else set()
    stored = "SELECT secret_sha256, revoked_at FROM tokens"
    tokens = dict(connection.execute(stored)) if "tokens" in tables else {}
    problems = []
    for one in told:
        if "account" in one and (one["account"] not in names or one["token"] not in tokens):
            problems.append(f"account {one['account']} was acknowledged and is gone, or its token is")
        if "revoked" in one and tokens.get(one["revoked"]) is None:
            problems.append("a token was acknowledged as revoked and is good again")
    return problems


def _key_problems(folder: Path, signers: set[str]) -> list[str]:
    """Where the key that signed the journal is gone, nobody can go on with it."""
    from hub_server.adapters.ed25519_signer import Ed25519Signer  # noqa: PLC0415 -- as in `play`
    from hub_server.errors import StorageUnavailableError  # noqa: PLC0415

    held = set()
    for path in folder.glob("keys/*"):
        path.chmod(0o600)
        try:
            held.add(Ed25519Signer(path, make=False).key_id)
        except StorageUnavailableError:
            continue
    return [f"the key {key} that signed the journal is gone" for key in sorted(signers - held)]


if __name__ == "__main__":
    sys.exit(main())
