"""Pure decisions about runs."""
