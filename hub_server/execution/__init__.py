"""Tasks streamed, responses judged, sessions held: through one port to the sandbox."""
