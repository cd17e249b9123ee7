"""SkyRL-Gym: the scoring of its environments."""


def _utils(name):
    from adapters.framework_files import part

    return part(f"skyrl_gym.envs.{name}.utils", "skyrl_gym", "skyrl_gym.envs", f"skyrl_gym.envs.{name}")


def gsm8k(task, response, method="strict"):
    """``gsm8k.utils.compute_score``."""
    return _utils("gsm8k").compute_score(response, str(task["answer"]), method=method)


def aime(task, response):
    """``aime.utils.compute_score``: 1 or -1."""
    return _utils("aime").compute_score(response, str(task["answer"]))["score"]


def search(task, response):
    """``search.utils.compute_score``: what the last answer tag holds."""
    return _utils("search").compute_score(response, {"target": task["answer"]})
