"""A second client of the same engine and the same folder. It judges calls until it is killed."""

import asyncio
import sys
from pathlib import Path

from sandbox.checks.harm.work import Tally, judge_numbers, make_sandbox


async def main(url: str, folder: Path, said: Path) -> None:
    """Run for ever. Errors are written to ``said`` at once, a line each, since this process will be killed."""

    def note(words: str) -> None:
        with said.open("a") as file:
            file.write(f"{words!r}\n")

    tally = Tally(say=note)
    wheels = folder.parent / "second-client"
    wheels.mkdir(exist_ok=True)
    async with make_sandbox(url, folder) as sandbox:
        while True:
            await judge_numbers(sandbox, wheels, tally)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])))
