"""How things are measured: intervals, error rates, grades, pass@k, gates. Pure arithmetic that all layers import."""
