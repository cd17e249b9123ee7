"""Another client of the same engine and the same folder, which judges calls until it is killed."""

import asyncio
import sys
from pathlib import Path

from sandbox.checks.harm.work import Tally, judge_numbers, make_sandbox


async def main(url: str, folder: Path) -> None:
    """Without an end; a verdict that is wrong ends it with an error."""
    tally = Tally()
    wheels = folder.parent / "second-client"
    wheels.mkdir(exist_ok=True)
    async with make_sandbox(url, folder) as sandbox:
        while True:
            await judge_numbers(sandbox, wheels, tally)
            assert not tally.wrong, tally.first


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], Path(sys.argv[2])))
