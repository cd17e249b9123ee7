"""``python3 -s -P …/sandbox/guest/__main__.py``: how a box starts."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from sandbox.guest.zygote import main

main()
