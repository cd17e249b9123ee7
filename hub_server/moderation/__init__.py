"""Reports about packages, quarantine, and moderators' decisions."""
