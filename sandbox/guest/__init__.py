"""What runs inside a box: the zygote, and ``run_solution`` for authors. Standard library only."""

from sandbox.guest.solution import SolutionResult, SolutionUnavailableError, run_solution

__all__ = ["SolutionResult", "SolutionUnavailableError", "run_solution"]
