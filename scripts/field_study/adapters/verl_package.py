"""verl: the files of ``reward_score``, without the trainer around them."""


def _score(name):
    from adapters.framework_files import part

    return part(f"verl.utils.reward_score.{name}", "verl", "verl.utils", "verl.utils.reward_score").compute_score


def gsm8k(task, response, method="strict"):
    """``gsm8k.compute_score``."""
    return _score("gsm8k")(response, str(task["answer"]), method=method)


def math_reward(task, response):
    """``math_reward.compute_score``: texts after normalization."""
    from adapters.extract import without_dollars

    return _score("math_reward")(response, without_dollars(task["answer"]))


def math_dapo(task, response):
    """``math_dapo.compute_score``: 1 or -1."""
    from adapters.extract import without_dollars

    return _score("math_dapo")(response, without_dollars(task["answer"]))["score"]


def geo3k(task, response):
    """``geo3k.acc_reward``, the part of its score that is about the answer."""
    from adapters.extract import without_dollars
    from adapters.framework_files import part

    module = part("verl.utils.reward_score.geo3k", "verl", "verl.utils", "verl.utils.reward_score")
    return module.acc_reward(response, without_dollars(task["answer"]))


def search_r1(task, response):
    """``search_r1_like_qa_em.compute_score``: what the last answer tag holds."""
    return _score("search_r1_like_qa_em")(response, {"target": task["answer"]})
