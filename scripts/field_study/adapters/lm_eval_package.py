"""lm-evaluation-harness: its filters and metrics, with the settings of its task files."""

import functools


def _gsm8k(pattern, group, task, response):
    from lm_eval.api.metrics import exact_match_hf_evaluate
    from lm_eval.filters.extraction import RegexFilter

    ((found,),) = RegexFilter(pattern, group).apply([[response]], [task])
    ignored = [",", "\\$", "(?s).*#### ", "\\.$"]
    return exact_match_hf_evaluate([found], [str(task["answer"])], ignored, ignore_case=True)["exact_match"]


def gsm8k_strict(task, response):
    """The filter ``strict-match`` of gsm8k.yaml, then ``exact_match``."""
    return _gsm8k("#### (\\-?[0-9\\.\\,]+)", 0, task, response)


def gsm8k_flexible(task, response):
    """The filter ``flexible-extract`` of gsm8k.yaml, then ``exact_match``."""
    return _gsm8k("(-?[$0-9.,]{2,})|(-?[0-9]+)", -1, task, response)


def hendrycks_math(task, response):
    """``is_equiv`` of hendrycks_math on what the box holds: the comparison alone."""
    from adapters.extract import last_boxed, without_dollars
    from adapters.framework_files import part

    utils = part("lm_eval.tasks.hendrycks_math.utils", "lm_eval", "lm_eval.tasks", "lm_eval.tasks.hendrycks_math")
    return utils.is_equiv(last_boxed(response) or "", without_dollars(task["answer"]))


def minerva(task, response):
    """``is_equiv`` of minerva_math after its normalization, on what the box holds."""
    from adapters.extract import last_boxed, without_dollars
    from adapters.framework_files import part

    utils = part("lm_eval.tasks.minerva_math.utils", "lm_eval", "lm_eval.tasks", "lm_eval.tasks.minerva_math")
    given, gold = last_boxed(response) or "", without_dollars(task["answer"])
    return utils.is_equiv(utils.normalize_final_answer(given), utils.normalize_final_answer(gold))


@functools.cache
def _instructions():
    from adapters.framework_files import part

    return part(
        "lm_eval.tasks.ifeval.instructions_registry", "lm_eval", "lm_eval.tasks", "lm_eval.tasks.ifeval"
    ).INSTRUCTION_DICT


def ifeval(task, response):
    """``check_following`` of every rule, as the strict test of ifeval. None for a rule that IFEval does not have."""
    from adapters.tinker_package import RULES, ifeval_arguments

    if any(rule["rule"] not in RULES for rule in task["answer"]):
        return None
    kept = []
    for rule in task["answer"]:
        name, given = ifeval_arguments(rule, {})
        checker = _instructions()[name](name)
        checker.build_description(**given)
        kept.append(bool(response.strip()) and bool(checker.check_following(response)))
    return all(kept)
