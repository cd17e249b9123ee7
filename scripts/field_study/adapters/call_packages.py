"""bfcl-eval and agentevals: function calls beside those that were expected."""

import json


def bfcl(task, response):
    """``ast_checker`` of the Berkeley Function-Calling Leaderboard, for calls that were decoded from JSON.

    The file wants the table of all models for names with a full stop in them. No name here has one.
    """
    from adapters.framework_files import part, stand_in

    stand_in("bfcl_eval.constants.model_config", MODEL_CONFIG_MAPPING={})
    checker = part("bfcl_eval.eval_checker.ast_eval.ast_checker", "bfcl_eval", "bfcl_eval.eval_checker")
    language = part("bfcl_eval.constants.enums").Language.PYTHON
    info = task["info"]
    category = "parallel_multiple" if len(info["possible"]) > 1 else "multiple"
    found = checker.ast_checker(info["functions"], json.loads(response), info["possible"], language, category, "none")
    return found["valid"]


def agentevals(task, response, mode="unordered"):
    """``create_trajectory_match_evaluator`` of agentevals: the calls as one turn of an assistant."""
    from agentevals.trajectory.match import create_trajectory_match_evaluator

    judge = create_trajectory_match_evaluator(trajectory_match_mode=mode)
    calls, expected = json.loads(response), json.loads(task["answer"])
    return judge(outputs=[_turn(calls)], reference_outputs=[_turn(expected)])["score"]


def _turn(calls):
    functions = [{"name": name, "arguments": json.dumps(given)} for one in calls for name, given in one.items()]
    return {
        "role": "assistant",
        "content": "",
        "tool_calls": [{"id": str(n), "type": "function", "function": one} for n, one in enumerate(functions)],
    }
