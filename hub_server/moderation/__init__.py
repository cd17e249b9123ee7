"""Reports, quarantine and decisions."""
