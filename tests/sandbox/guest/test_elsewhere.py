"""Another day and another machine: told everywhere where Python tells them, in a process of their own."""

import json
import subprocess
import sys
from pathlib import Path

PROGRAM = """
import datetime as before, io, json, logging, os, pickle, time as kept
real, real_now = kept.time(), before.datetime.now()
monotonic = kept.monotonic()
from sandbox.guest.elsewhere import Elsewhere, settle
settle(Elsewhere(86_400 * 400, "node7", "6.1.0-9", 6))
import platform, socket, time
from datetime import UTC, date, datetime

class Own(datetime):
    pass

stream = io.StringIO()
handler = logging.StreamHandler(stream)
handler.setFormatter(type("F", (logging.Formatter,), {"converter": time.localtime})("%(asctime)s"))
logging.getLogger("x").addHandler(handler)
logging.getLogger("x").warning("x")
days = [
    (time.time() - real) / 86_400,
    (time.time_ns() / 1e9 - real) / 86_400,
    (time.clock_gettime(time.CLOCK_REALTIME) - real) / 86_400,
    (datetime.now() - real_now).days,
    (datetime.now(UTC).timestamp() - real) / 86_400,
    (datetime.utcnow() - datetime.fromtimestamp(real, UTC).replace(tzinfo=None)).days,
    (datetime.today() - real_now).days,
    (date.today() - real_now.date()).days,
    (Own.now() - real_now).days,
    (time.mktime(time.localtime()) - real) / 86_400,
    (time.mktime(time.strptime(time.ctime())) - real) / 86_400,
    (time.mktime(time.strptime(time.asctime())) - real) / 86_400,
]
print(json.dumps({
    "days": [round(one) for one in days],
    "year": [time.strftime("%Y"), str(date.today().year), str(time.gmtime().tm_year)],
    "given": [time.gmtime(0).tm_year, time.strftime("%Y", time.gmtime(0))],
    "machine": [os.uname().nodename, os.uname().release, socket.gethostname(), os.cpu_count(), platform.node()],
    "kinds": [type(Own.now()).__name__, type(datetime.now()).__name__, isinstance(real_now, datetime)],
    "pickled": pickle.loads(pickle.dumps(time.time)) is time.time,
    "logged": len(stream.getvalue()) > 10,
    "waited": time.monotonic() - monotonic,
}))
"""


def told() -> dict:
    root = Path(__file__).parents[3]
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", PROGRAM], capture_output=True, text=True, check=True, cwd=root
    )
    return json.loads(done.stdout)


def test_every_way_of_asking_says_the_same_other_day_and_machine() -> None:
    found = told()
    assert set(found["days"]) <= {399, 400}, found["days"]
    assert len(set(found["year"])) == 1
    assert found["machine"] == ["node7", "6.1.0-9", "node7", 6, "node7"]


def test_what_does_not_ask_for_the_present_is_as_it_was() -> None:
    found = told()
    assert found["given"] == [1970, "1970"]
    assert found["kinds"] == ["Own", "datetime", True]
    assert found["pickled"]
    assert found["logged"], "a function that is a class's attribute is handed no instance"
    assert found["waited"] < 60, "how long things take is not changed"
