"""From tasks to judged samples: drawing tasks, generating, and judging while other samples are still generated."""
