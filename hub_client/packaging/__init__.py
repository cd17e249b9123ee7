"""From a project folder to the wheel that is published."""
