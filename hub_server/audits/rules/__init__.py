"""Pure decisions about measurements: cases, agreement, uncertainty, near-duplicates."""
