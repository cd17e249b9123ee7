"""A PostgreSQL server that vanishes: run in a network namespace of its own, where packets can be dropped.

``python -m tests.hub_server.database.vanishing_server URL PATH``: URL with a socket in a folder, PATH to that socket.
Prints one JSON object: how each of two threads ended, and after how long.
"""

import json
import socket
import subprocess
import sys
import threading
import time

from sqlalchemy import make_url, text
from sqlalchemy.exc import DBAPIError

from hub_server.database.engine import Database
from hub_server.settings_groups import ConnectionSettings

PORT = 5999
GIVEN = ConnectionSettings(unanswered_seconds=2, idle_seconds=1, probe_seconds=1, probes=2)


def _copy(source: socket.socket, target: socket.socket) -> None:
    while data := source.recv(65536):
        target.sendall(data)


def _relay(listener: socket.socket, path: str) -> None:
    while True:
        near = listener.accept()[0]
        far = socket.socket(socket.AF_UNIX)
        far.connect(path)
        for ends in ((near, far), (far, near)):
            threading.Thread(target=_copy, args=ends, daemon=True).start()


def _ask(database: Database, statement: str, may_ask: threading.Event, found: dict[str, list[object]]) -> None:
    with database.engine.connect() as connection:
        connection.execute(text("SELECT 1"))
        found[statement] = []
        may_ask.wait()
        began = time.monotonic()
        try:
            connection.execute(text(statement))
            ended = "answered"
        except DBAPIError:
            ended = "given up"
        found[statement] = [ended, time.monotonic() - began]


def main(url: str, path: str) -> None:
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    listener = socket.create_server(("127.0.0.1", PORT))
    threading.Thread(target=_relay, args=(listener, path), daemon=True).start()
    address = make_url(url).set(host="127.0.0.1", port=PORT, query={})
    database = Database(address.render_as_string(hide_password=False), connection=GIVEN.for_driver())
    found: dict[str, list[object]] = {}
    sent_before, sent_after = threading.Event(), threading.Event()
    statements = {"SELECT pg_sleep(600)": sent_before, "SELECT 2": sent_after}
    threads = [
        threading.Thread(target=_ask, args=(database, statement, may_ask, found), daemon=True)
        for statement, may_ask in statements.items()
    ]
    for thread in threads:
        thread.start()
    while len(found) < len(threads):
        time.sleep(0.05)
    sent_before.set()  # its server has acknowledged the statement before it vanishes
    time.sleep(1)
    for end in ("--dport", "--sport"):
        subprocess.run(["iptables", "-I", "OUTPUT", "-p", "tcp", end, str(PORT), "-j", "DROP"], check=True)
    sent_after.set()
    for thread in threads:
        thread.join(40)
    print(json.dumps(found))


if __name__ == "__main__":
    main(*sys.argv[1:])
