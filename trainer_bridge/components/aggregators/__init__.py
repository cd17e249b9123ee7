"""Reward vector to one number a row: rewards_BK -> utility_B (NaN = leave the row out)."""
