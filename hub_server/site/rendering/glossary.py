"""The words that pages explain: lines of docs/reference/glossary.md."""

WORDS: tuple[tuple[str, str], ...] = (
    ("package", "owner/name, of one kind; has releases"),
    ("release", "one version of a package: one wheel, which never changes"),
    ("task", "one row: what the model is asked, and what only the verifier may see"),
    ("environment", "tasks with a verifier, and optionally a session and tools"),
    ("verifier", "looks at a task and what the model did; returns a verdict"),
    ("reward", "one named number of a verdict, in its declared range; null = could not be judged"),
    ("role", "of a reward: score adds up, gate makes the sum 0 when it fails, metric is only logged"),
    ("verdict", "the rewards, plus info, or an error that says whose fault it was"),
    ("harness", "the loop that drives a model through a task"),
    ("benchmark", "a pinned set of environments, harnesses and splits"),
    ("recipe", "a training method as data: which components, which parameters"),
    ("audit", "labelled cases run through a verifier: rates with intervals, robustness, cost"),
    ("case", "a task, what a model did, and a label: must be accepted, or must be rejected"),
    ("probe", "a generated case whose label is certain; never part of a rate"),
    ("counter-example", "a case that somebody submitted against a verifier"),
    ("rollout", "what the model did on one task, with its verdict"),
    ("run", "one training or evaluation: its settings, metrics and rollouts"),
)
