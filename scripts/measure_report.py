"""How long a benchmark's report takes to compute: ``measure_report.py [MODELS [HARNESSES [TASKS [ATTEMPTS]]]]``.

Simulated results; prints seconds of CPU and of the clock, and the report's size. Set OMP_NUM_THREADS=1 for one core.
"""

import sys
import time
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from hub_server.evaluations.rules.report import measure
from hub_server.evaluations.rules.results import Submission
from hub_server.evaluations.rules.texts import TextReport


def main(models: int = 50, harnesses: int = 1, tasks: int = 1000, attempts: int = 1) -> None:
    """Simulate results, measure the report, print the figures."""
    random = np.random.default_rng(0)
    difficulty = random.normal(size=tasks)
    submissions = []
    for model in range(models):
        ability = random.normal()
        for harness in range(harnesses):
            solved = random.binomial(attempts, 1 / (1 + np.exp(difficulty - ability - 0.1 * harness)))
            counts = {f"t{task:04}": (int(one), attempts) for task, one in enumerate(solved)}
            submissions.append(Submission(f"m{model}", f"h{harness}", "simulated/sums", "1.0.0", counts))
    wall, cpu = time.perf_counter(), time.process_time()
    report = measure("simulated/field", "1.0.0", submissions, TextReport(), datetime.now(UTC))
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    size = len(report.model_dump_json()) / 1e6
    sys.stdout.write(
        f"{models} models x {harnesses} harnesses x {tasks} tasks x {attempts} attempts: "
        f"{cpu:.1f} s of CPU, {wall:.1f} s, {size:.1f} MB\n"
    )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
