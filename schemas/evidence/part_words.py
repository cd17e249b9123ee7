"""What the parts of the evidence are called for readers: on pages and in terminals."""

ORIGIN_WORDS = {
    "held": "held by the hub",
    "suite": "independent suites",
    "rollout": "labelled rollouts",
    "community": "seconded counter-examples",
    "author": "the author’s cases",
    "reported": "reported, not counted yet",
    "probe": "generated probes",
}
"""Where cases come from."""


def part_words(name: str) -> str:
    """The words for a slice of the evidence: ``origin:suite`` -> *independent suites*, ``cluster:form hashes`` ->
    *form hashes*.
    """
    kind, _, what = name.partition(":")
    if kind == "origin":
        return ORIGIN_WORDS.get(what, what)
    what = what.removeprefix("form ") if kind == "cluster" else what
    return {"tag": f"tag {what}", "cluster": f"form {what}", "probe": f"probe {what.replace('_', ' ')}"}.get(kind, name)
