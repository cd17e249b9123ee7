"""The demo: a hub, its collection published and audited, and GRPO on a real language model.

Run through ``scripts/demo``, which prepares the virtual environment, Docker and the base image.
"""

import argparse
import contextlib
import shutil
import sys
from pathlib import Path

from demo_hacked import LATER, tell
from demo_hub import (
    OWNER,
    ROOT,
    DemoError,
    Hub,
    collection_folders,
    console,
    free_port,
    print_rates,
    publish,
    publish_results,
    publish_stock,
    step,
    train,
    wait_for_audits,
)


def demo(options: argparse.Namespace) -> None:
    """The main job, end to end."""
    folder = ROOT / "var" / "demo"
    if options.fresh:
        shutil.rmtree(folder, ignore_errors=True)
    hub = Hub(folder, free_port(options.port))
    try:
        with step("Hub on SQLite"):
            hub.start()
            hub.token()
        with step("Collection, published through the command line"):
            publish(hub, [folder for folder in collection_folders() if not (options.hacked and folder in LATER)])
        if options.stock or options.stock_folder:
            with step("Stock of other libraries, imported as is and published"):
                publish_stock(hub, options.stock_folder)
        with step("Audits in Docker"):
            cards = wait_for_audits(hub)
        print_rates(cards)
        if not options.hacked:  # that story publishes the benchmark later
            with step("Kept answers of a small model, and trivial baselines, judged for the benchmark's page"):
                publish_results(hub)
        if options.hacked:
            tell(hub, again=options.retrain)
        elif not options.no_train:
            with step("GRPO on SmolLM2-135M, tasks and reward vectors streamed from the hub"):
                run = train(hub, f"{OWNER}/plain-style", "demo-plain-style", again=options.retrain)
            console.print(f"Run: {hub.url}/runs/{run['id']}")
        _leave_open(hub, once=options.once)
    finally:
        hub.stop()


def _leave_open(hub: Hub, *, once: bool) -> None:
    if once:
        console.print("Done. Run scripts/demo without --once to keep the catalogue open.")
        return
    console.print(f"\nThe catalogue is open at [bold]{hub.url}/[/bold] (Ctrl-C closes it).")
    console.print(f"Account {OWNER}; its password is in {hub.credentials_file.relative_to(ROOT)}.")
    with contextlib.suppress(KeyboardInterrupt):
        if hub.process is not None:
            hub.process.wait()


def main() -> int:
    """Parse options, run the demo, and turn every known failure into one message."""
    parser = argparse.ArgumentParser(prog="scripts/demo", description="All of Verihub on this machine.")
    parser.add_argument("--no-train", action="store_true", help="stop after the audits")
    parser.add_argument("--once", action="store_true", help="do not leave the hub open at the end")
    parser.add_argument(
        "--hacked", action="store_true", help="the story of a thin verifier, learnt, hacked and repaired"
    )
    parser.add_argument("--stock", action="store_true", help="import and publish environments of other libraries too")
    parser.add_argument(
        "--stock-folder", type=Path, metavar="FOLDER", help="the same from what scripts/import_stock FOLDER brought in"
    )
    parser.add_argument("--retrain", action="store_true", help="train again although a finished run is there")
    parser.add_argument("--fresh", action="store_true", help="forget what earlier demos left in var/demo")
    parser.add_argument("--port", type=int, default=8642, help="where the catalogue listens (default 8642)")
    options = parser.parse_args()
    try:
        demo(options)
    except DemoError as error:
        console.print(f"[red]{error}[/red]")
        return 1
    except KeyboardInterrupt:
        console.print("Stopped. Nothing is lost: scripts/demo goes on from here.")
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
