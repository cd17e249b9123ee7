"""TRL: its reward functions, without the trainer around them."""


def _rewards(name):
    from adapters.framework_files import part

    return part(f"trl.rewards.{name}", "trl", "trl.rewards")


def accuracy_reward(task, response):
    """``accuracy_reward``, the reference answer in dollar signs, as its documents have solutions."""
    from adapters.extract import in_dollars

    found = _rewards("accuracy_rewards").accuracy_reward([[{"content": response}]], [in_dollars(task["answer"])])
    return found[0]


def reasoning_accuracy_reward(task, response):
    """``reasoning_accuracy_reward`` on the response after a closed block of thinking."""
    from adapters.extract import in_dollars

    whole = f"<think>I work it out.</think>\n{response}"
    reward = _rewards("accuracy_rewards").reasoning_accuracy_reward
    return reward([[{"content": whole}]], [in_dollars(task["answer"])])[0]


def think_format_reward(task, response):  # noqa: ARG001 -- every adapter has both
    """``think_format_reward``: the form alone."""
    return _rewards("format_rewards").think_format_reward([[{"content": response}]])[0]
