"""tinker-cookbook: the checks of its benchmarks and its grader for mathematics."""

BENCHMARKS = ("tinker_cookbook", "tinker_cookbook.eval", "tinker_cookbook.eval.benchmarks")
RULES = {
    "bullets": ("detectable_format:number_bullet_lists", {"count": "num_bullets"}),
    "forbidden word": ("keywords:forbidden_words", {"word": "forbidden_words"}),
    "in quotation marks": ("startend:quotation", {}),
    "json object": ("detectable_format:json_format", {}),
    "keyword": ("keywords:existence", {"word": "keywords"}),
    "last words": ("startend:end_checker", {"phrase": "end_phrase"}),
    "lowercase": ("change_case:english_lowercase", {}),
    "no comma": ("punctuation:no_comma", {}),
    "uppercase": ("change_case:english_capital", {}),
}
"""Rule of the suite -> the instruction of IFEval that says the same, and the names of its arguments there."""


def _common():
    from adapters.framework_files import part, stand_in

    stand_in("datasets", Dataset=object)  # both only for signatures of functions that are not called
    stand_in("tinker_cookbook.renderers.base", Message=dict)
    return part("tinker_cookbook.eval.benchmarks._common", *BENCHMARKS)


def check_gsm8k(task, response):
    """``check_gsm8k``."""
    return _common().check_gsm8k(response, str(task["answer"]))


def mcq(task, response):
    """``extract_mcq_answer`` with the letters of the task's options, compared as ``mmlu_redux`` does."""
    letters = "ABCDEFGH"[: len(task["info"]["choices"])]
    return _common().extract_mcq_answer(response, letters) == task["answer"]


def grade_answer(task, response):
    """``grade_answer(extract_boxed(response), answer)``; a response without a box is wrong, as in its environment."""
    from adapters.extract import without_dollars
    from adapters.framework_files import part

    grading = part(
        "tinker_cookbook.recipes.math_rl.math_grading",
        "tinker_cookbook",
        "tinker_cookbook.recipes",
        "tinker_cookbook.recipes.math_rl",
    )
    try:
        given = grading.extract_boxed(response)
    except ValueError:
        return 0.0
    return grading.grade_answer(given, without_dollars(task["answer"]))


def ifeval_arguments(rule, names):
    """The instruction's id and arguments for a rule of the suite; a list where the instruction wants one."""
    instruction, renamed = RULES[rule["rule"]]
    arguments = {names.get(renamed[name], renamed[name]): value for name, value in rule["args"].items()}
    listed = ("keywords", "forbidden_words")
    return instruction, {name: [value] if name in listed else value for name, value in arguments.items()}


def verify_instruction(task, response):
    """``verify_instruction`` of every rule. None for a rule that IFEval does not have."""
    from adapters.framework_files import part

    if any(rule["rule"] not in RULES for rule in task["answer"]):
        return None
    verify = part("tinker_cookbook.eval.benchmarks._ifeval_verify", *BENCHMARKS).verify_instruction
    return all(verify(name, response, given) for name, given in (ifeval_arguments(one, {}) for one in task["answer"]))
