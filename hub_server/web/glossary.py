"""The hub's words, as the pages explain them."""

WORDS: tuple[tuple[str, str], ...] = (
    ("package", "owner/name, of one kind; has releases"),
    ("release", "one version of a package: one wheel, closed at birth, named by its digest"),
    ("task", "one row: what the model is asked, and what only the verifier may see"),
    ("environment", "tasks, and optionally state, tools and turns around them"),
    ("verifier", "looks at a task and what the model did; returns a verdict"),
    ("reward", "one named component of a verdict, in its declared range; null = could not be judged"),
    ("verdict", "the reward vector, plus info, or an error that says whose fault it was"),
    ("score, gate, metric", "the role of a reward: adds up; zeroes the sum when it fails; is only logged"),
    ("harness", "the loop that drives a model through an environment"),
    ("benchmark", "a pinned set of environments and harnesses"),
    ("recipe", "a training method as data"),
    ("audit", "labelled cases run through a verifier"),
    ("audit case", "a task, a response, and the verdict that it must get"),
    ("probe", "a generated audit case whose label is certain by construction"),
    ("counter-example", "an audit case that somebody else submitted against a verifier; can be disputed"),
    ("rollout", "what the model did on one task, with its verdicts"),
    ("run", "one training or evaluation run: its lock, its metrics, its rollouts"),
)
