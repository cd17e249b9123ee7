"""How good a benchmark is: pure functions of outcomes, each with its formula and source in its docstring."""
