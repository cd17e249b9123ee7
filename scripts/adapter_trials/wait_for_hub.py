"""``wait_for_hub.py URL PID``: until the hub at URL has the first-party packages; 1 when its process ended before."""

import os
import sys
import time

import httpx

NEEDED = ("lecture/change-making", "lecture/wordle", "lecture/mail-assistant")


def main() -> int:
    """Ask every second, half an hour or so: a busy machine is slow to publish."""
    url, process = sys.argv[1], int(sys.argv[2])
    missing = set(NEEDED)
    for _ in range(1800):
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            return 1
        for package in sorted(missing):
            try:
                if httpx.get(f"{url}/packages/{package}", timeout=30).is_success:
                    missing.discard(package)
            except httpx.HTTPError:
                break
        if not missing:
            return 0
        time.sleep(1)
    return 1


if __name__ == "__main__":
    sys.exit(main())
