"""Pure decisions of the catalogue."""
