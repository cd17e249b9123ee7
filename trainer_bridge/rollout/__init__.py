"""From tasks to judged samples: drawing tasks, decoding, scoring while others are still being written."""
