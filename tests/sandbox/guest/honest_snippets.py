"""What honest code does with clocks, files and machines. Each function raises where another day or machine breaks it."""

# ruff: noqa: BLE001, DTZ002, DTZ003, DTZ005, DTZ006, DTZ011, PTH110, PTH116, PTH118, PTH204, PTH208 -- old ways are tried

import asyncio
import compileall
import copy
import dataclasses
import datetime as dt
import email.utils
import http.server
import importlib
import inspect
import json
import logging
import logging.handlers
import mailbox
import multiprocessing
import os
import pathlib
import pickle
import platform
import queue
import sched
import shutil
import socket
import ssl
import subprocess
import sys
import tarfile
import tempfile
import threading
import time
import typing
import zipfile
from concurrent.futures import ProcessPoolExecutor
from unittest import mock
from zoneinfo import ZoneInfo

from sandbox.guest.elsewhere import Elsewhere, settle


def a_subclass_with_other_ways_to_be_made():
    class Own(dt.datetime):
        def __new__(cls, *given, **named):
            made = super().__new__(cls, *given, **named)
            made.extra = 1
            return made

        @classmethod
        def fromtimestamp(cls, seconds):
            return cls.now()

        def replace(self, *given, **named):
            raise TypeError("it never changes")

    assert (Own.now().extra, type(Own.now(dt.UTC)), type(Own.utcnow())) == (1, Own, Own)
    assert Own.now(dt.UTC).tzinfo is dt.UTC
    assert Own.utcnow().tzinfo is None


def a_subclass_that_calls_its_parent():
    class Own(dt.datetime):
        @classmethod
        def now(cls, tz=None):
            return super().now(tz)

    assert type(Own.now()) is Own


def pickles_and_copies():
    functions = [
        time.time,
        time.localtime,
        time.strftime,
        os.cpu_count,
        os.uname,
        os.stat,
        os.utime,
        socket.gethostname,
    ]
    for one in functions:
        assert all(pickle.loads(pickle.dumps(one, protocol)) is one for protocol in range(6))
        assert copy.copy(one) is copy.deepcopy(one) is one
    for one in (dt.datetime.now, dt.datetime.utcnow):
        assert pickle.loads(pickle.dumps(one))().year == dt.datetime.now().year
    for one in (os.uname(), os.stat("."), dt.datetime.now()):
        assert pickle.loads(pickle.dumps(one)) == one


def calendars_agree():
    for clock in (time.CLOCK_REALTIME, time.CLOCK_TAI, 5):
        assert abs(time.clock_gettime(clock) - time.time()) < 60
        assert abs(time.clock_gettime_ns(clock) - time.time_ns()) < 60e9
    assert dt.datetime.today().date() == dt.date.today() == dt.datetime.now().date()
    assert dt.datetime.now(ZoneInfo("Europe/Berlin")).utcoffset()
    assert email.utils.localtime().year == time.localtime().tm_year


def what_needs_an_argument_still_does():
    for wrong in (
        lambda: time.time(1),
        lambda: dt.datetime.now("x"),
        lambda: dt.datetime.utcnow(1),
        lambda: time.strftime(*()),
        lambda: time.localtime("a"),
        lambda: time.asctime(None),
        lambda: os.utime(".", (1,)),
        lambda: os.utime(".", times=(1, 1), ns=(1, 1)),
        lambda: os.utime(".", ns=("1", "1")),
        lambda: os.stat(1.5),
    ):
        try:
            wrong()
        except (TypeError, ValueError):
            continue
        raise AssertionError(inspect.getsource(wrong))


def a_file_is_as_new_as_it_is():
    start = time.time() - 1
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "out")
        file.write_text("x")
        with file.open() as opened:
            found = [file.stat(), file.lstat(), os.fstat(opened.fileno()), *(one.stat() for one in os.scandir(folder))]
        for one in found:
            for told in (one.st_mtime, one.st_ctime, one.st_atime, one[8] + 1, one.st_mtime_ns / 1e9):
                assert start <= told <= time.time() + 1
        assert dt.datetime.now() - dt.datetime.fromtimestamp(os.path.getmtime(file)) < dt.timedelta(hours=1)


def a_file_keeps_the_times_that_it_is_given():
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "out")
        file.touch()
        for given in ((5, 7), (1e9 + 0.25, 1.5), (time.time(), time.time())):
            os.utime(file, given)
            found = (file.stat().st_atime, file.stat().st_mtime)
            assert all(abs(one - wanted) < 1e-6 for one, wanted in zip(found, given, strict=True))
        os.utime(file, ns=(5, 7))
        assert (file.stat().st_atime_ns, file.stat().st_mtime_ns) == (5, 7)
        shutil.copy2(file, file.with_name("copy"))
        assert file.with_name("copy").stat().st_mtime_ns == 7
        os.utime(file)
        assert abs(file.stat().st_mtime - time.time()) < 60


def newer_and_older_are_the_same_to_a_program():
    with tempfile.TemporaryDirectory() as folder:
        source, built = pathlib.Path(folder, "source"), pathlib.Path(folder, "built")
        source.touch()
        os.utime(source, (time.time() - 100,) * 2)
        subprocess.run([sys.executable, "-c", f"open({str(built)!r}, 'w')"], check=True)
        told = f"import os; print(os.stat({str(built)!r}).st_mtime > os.stat({str(source)!r}).st_mtime)"
        assert built.stat().st_mtime > source.stat().st_mtime
        assert (
            subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=True).stdout == "True\n"
        )


def a_mailbox_keeps_fresh_files():
    with tempfile.TemporaryDirectory() as folder:
        box = mailbox.Maildir(os.path.join(folder, "box"))
        assert box.add("Subject: x\n\nhi") in box
        fresh = pathlib.Path(folder, "box", "tmp", "fresh")
        fresh.touch()
        box.clean()
        assert fresh.exists()


def a_log_is_rolled_over_when_it_is_time():
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "log").write_text("before\n")
        handler = logging.handlers.TimedRotatingFileHandler(os.path.join(folder, "log"), when="D", interval=2)
        handler.emit(logging.LogRecord("x", 20, "", 1, "m", (), None))
        handler.close()
        assert os.listdir(folder) == ["log"]


def what_a_platform_can_is_still_said():
    assert {os.stat, os.utime} <= os.supports_follow_symlinks & os.supports_fd & os.supports_dir_fd
    assert shutil.rmtree.avoids_symlink_attacks
    root = os.open("/", os.O_RDONLY)
    assert os.stat("tmp", dir_fd=root, follow_symlinks=False).st_ino == os.lstat("/tmp").st_ino
    assert len(os.stat(b"/tmp")) == 10


def archives_and_modules():
    with tempfile.TemporaryDirectory() as folder:
        module = pathlib.Path(folder, "made_module.py")
        module.write_text("A = 1\n")
        sys.path.insert(0, folder)
        made = importlib.import_module("made_module")
        module.write_text("A = 22\n")
        assert importlib.reload(made).A == 22
        compileall.compile_dir(folder, quiet=2)
        with zipfile.ZipFile(f"{folder}/a.zip", "w") as archive:
            archive.write(module)
        with tarfile.open(f"{folder}/a.tar", "w") as archive:
            archive.add(module, "made_module.py")
        with tarfile.open(f"{folder}/a.tar") as archive:
            archive.extractall(f"{folder}/out")
        assert abs(os.path.getmtime(f"{folder}/out/made_module.py") - time.time()) < 60


def waits_are_as_long_as_ever():
    done = []
    timer = sched.scheduler(time.time, time.sleep)
    timer.enter(0.02, 1, done.append, (2,))
    timer.enterabs(time.time() + 0.01, 1, done.append, (1,))
    timer.run()
    assert done == [1, 2]
    until = time.time() + 0.01
    while time.time() < until:
        time.sleep(max(0.0, until - time.time()))
    assert not threading.Event().wait(0.01)
    for wait, error in (
        (lambda: queue.Queue().get(timeout=0.01), queue.Empty),
        (lambda: subprocess.run(["sleep", "5"], timeout=0.05, check=True), subprocess.TimeoutExpired),
        (lambda: asyncio.run(asyncio.wait_for(asyncio.sleep(5), 0.01)), TimeoutError),
    ):
        try:
            wait()
        except error:
            continue
        raise AssertionError("it did not end")


def as_many_processes_as_there_are_processors():
    assert multiprocessing.cpu_count() == os.cpu_count()
    with ProcessPoolExecutor(mp_context=multiprocessing.get_context("fork")) as pool:
        assert list(pool.map(abs, [-1, 2])) == [1, 2]
        assert abs(pool.submit(time.time).result() - time.time()) < 60


def functions_as_attributes_and_defaults():
    @dataclasses.dataclass
    class Row:
        at: float = dataclasses.field(default_factory=time.time)
        clock = time.time
        now = dt.datetime.now
        count = os.cpu_count
        look = os.stat

    row = Row()
    assert abs(row.clock() - row.at) < 60
    assert row.now().year == time.localtime(row.at).tm_year
    assert row.count() == os.cpu_count()
    assert row.look(".").st_ino == os.stat(".").st_ino
    record = logging.LogRecord("x", 20, "", 1, "m", (), None)
    for made in (time.gmtime, time.localtime):
        form = type("Form", (logging.Formatter,), {"converter": made})("%(asctime)s")
        assert str(made().tm_year) in form.format(record)


def mocks_of_the_clock():
    with mock.patch("time.time", return_value=5):
        assert time.time() == 5
    with mock.patch("time.time", autospec=True) as told:
        time.time()
        assert told.called
    with mock.patch("os.stat", side_effect=FileNotFoundError):
        assert not os.path.exists(".")


def a_certificate_of_today_is_valid():
    text = time.strftime("%b %d %H:%M:%S %Y GMT", time.gmtime(time.time() + 1000))
    assert ssl.cert_time_to_seconds(text) > time.time()
    ssl.create_default_context()


def a_server_of_files_says_when_they_changed():
    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *given):
            pass

    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "a").write_text("x")
        make = lambda *given: Quiet(*given, directory=folder)  # noqa: E731
        with http.server.ThreadingHTTPServer(("127.0.0.1", 0), make) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            with socket.create_connection(server.server_address) as line:
                line.sendall(b"HEAD /a HTTP/1.0\r\n\r\n")
                answer = line.makefile().read()
            server.shutdown()
    said = dict(row.split(": ", 1) for row in answer.splitlines() if ": " in row)
    changed, now = (email.utils.parsedate_to_datetime(said[name]) for name in ("Last-Modified", "Date"))
    assert abs(now - changed) < dt.timedelta(minutes=1)


def the_machine_is_described():
    assert len(os.uname()) == 5
    assert isinstance(os.uname(), os.uname_result)
    assert tuple(map(int, os.uname().release.split(".")[:2])) > (0, 0)
    assert platform.uname()._asdict()["node"] == socket.gethostname()
    assert platform.platform()


def many_threads_ask():
    errors = []

    def ask():
        try:
            for _ in range(100):
                dt.datetime.now(), time.strftime("%Y"), os.stat(".")
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=ask) for _ in range(20)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert not errors


def a_server_at_the_machines_own_name():
    with socket.socket() as server:
        server.bind((socket.gethostname(), 0))
        server.listen()
        with socket.create_connection((socket.gethostname(), server.getsockname()[1]), timeout=10):
            pass
        with socket.socket() as client:
            client.connect((socket.gethostname(), server.getsockname()[1]))


def an_address_of_its_own():
    name = socket.gethostname()
    address = socket.gethostbyname(name)
    assert socket.gethostbyname_ex(name)[2] == [address]
    assert address in {one[4][0] for one in socket.getaddrinfo(name, None, socket.AF_INET)}
    assert socket.gethostbyname("127.0.0.1") == "127.0.0.1"
    assert pickle.loads(pickle.dumps(socket.getaddrinfo)) is socket.getaddrinfo


def what_a_function_says_of_itself():
    """As containers for dependencies and command lines made of functions ask."""
    for one in (time.time, time.localtime, os.stat, os.utime, os.uname, socket.gethostname):
        assert typing.get_type_hints(one) == {}
        assert one.__doc__
        assert "0x" not in repr(one), "a cache may be keyed by it"
        assert vars(one.__self__)[one.__name__] is one
    assert "follow_symlinks" in inspect.signature(os.stat).parameters
    assert inspect.signature(os.cpu_count).parameters == {}


def modules_that_are_loaded_again():
    kept = time.time(), os.uname(), socket.gethostname()
    for module in (time, dt, socket):
        importlib.reload(module)
    assert abs(time.time() - kept[0]) < 60
    assert (os.uname(), socket.gethostname()) == kept[1:]


def as_many_processors_however_one_asks():
    assert os.sysconf("SC_NPROCESSORS_ONLN") == os.cpu_count() == multiprocessing.cpu_count()
    assert os.sysconf("SC_PAGE_SIZE") > 1000


ALL = [one for one in list(vars().values()) if inspect.isfunction(one) and one.__module__ == __name__]


def main():
    """Print name -> what broke; empty where nothing did."""
    if sys.argv[1:]:
        settle(Elsewhere(int(sys.argv[1]), "node7", "6.1.0-9-generic", 6))
    found = {}
    for one in ALL:
        try:
            one()
            found[one.__name__] = ""
        except Exception as error:
            found[one.__name__] = repr(error) or "broke"
    print(json.dumps(found))


if __name__ == "__main__":
    main()
