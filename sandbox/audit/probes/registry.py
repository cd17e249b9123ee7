"""Every family of probes, in the order in which reports show them, and which of them a manifest selects."""

from sandbox.audit.errors import SelectionError
from sandbox.audit.probes import (
    algebra,
    answer_listing,
    benign_asked,
    benign_case,
    benign_emphasis,
    benign_key_order,
    benign_notation,
    benign_output_spaces,
    benign_preamble,
    benign_punctuation,
    benign_set_order,
    benign_setting,
    benign_spacing,
    benign_worked,
    benign_writing,
    binary,
    cheat_expression,
    cheat_files,
    cheats,
    code_rewrites,
    conversations,
    empty,
    format_damage,
    fuzz,
    huge,
    injections,
    leak_choice,
    leak_digest,
    leak_letter_case,
    leak_negated,
    leak_no_answer,
    leak_numbers,
    leak_other_values,
    leak_own_words,
    leak_queries,
    leak_question,
    leak_same_mistake,
    leak_stated,
    leak_states,
    leak_task_form,
    leak_task_id,
    leak_text,
    leak_thought,
    leak_together,
    leak_unit,
    leak_unwrapped,
    manners,
    nop,
    oracle,
    oracle_text,
    other_references,
    script_cheats,
    several_answers,
    several_choices,
    surroundings,
    swap,
    swap_record,
    tool_calls,
    wrong_language,
)
from sandbox.audit.probes.family import Family
from schemas.manifest import ProbeSettings
from schemas.wording import nearest

FAMILIES: tuple[Family, ...] = (
    oracle.FAMILY,
    oracle_text.FAMILY,
    benign_asked.FAMILY,
    benign_spacing.FAMILY,
    benign_emphasis.FAMILY,
    benign_punctuation.FAMILY,
    benign_preamble.FAMILY,
    benign_worked.FAMILY,
    benign_notation.FAMILY,
    *benign_writing.FAMILIES,
    *algebra.BENIGN,
    benign_setting.FAMILY,
    benign_case.FAMILY,
    benign_set_order.FAMILY,
    *benign_key_order.FAMILIES,
    *tool_calls.BENIGN,
    *code_rewrites.FAMILIES,
    benign_output_spaces.FAMILY,
    nop.FAMILY,
    empty.FAMILY,
    huge.FAMILY,
    binary.FAMILY,
    wrong_language.FAMILY,
    format_damage.FAMILY,
    *fuzz.FAMILIES,
    swap.FAMILY,
    swap_record.FAMILY,
    several_answers.FAMILY,
    several_choices.FAMILY,
    leak_thought.FAMILY,
    answer_listing.FAMILY,
    *leak_numbers.FAMILIES,
    *algebra.LEAKS,
    leak_unit.FAMILY,
    leak_unwrapped.FAMILY,
    leak_same_mistake.FAMILY,
    leak_choice.FAMILY,
    leak_letter_case.FAMILY,
    *other_references.FAMILIES,
    leak_other_values.FAMILY,
    *surroundings.FAMILIES,
    *manners.FAMILIES,
    leak_together.FAMILY,
    *leak_text.FAMILIES,
    leak_negated.FAMILY,
    leak_no_answer.FAMILY,
    leak_question.FAMILY,
    leak_stated.FAMILY,
    *leak_own_words.FAMILIES,
    leak_digest.FAMILY,
    leak_task_id.FAMILY,
    leak_task_form.FAMILY,
    leak_queries.FAMILY,
    *leak_states.FAMILIES,
    *conversations.FAMILIES,
    *injections.FAMILIES,
    *cheats.FAMILIES,
    *script_cheats.FAMILIES,
    cheat_expression.FAMILY,
    *cheat_files.FAMILIES,
    tool_calls.CHEAT,
)


def select(settings: ProbeSettings) -> list[Family]:
    """The families that a manifest's ``[probes]`` selects, by name or by kind (``leak``, ``benign``, ``cheat`` …).

    Raises :class:`~sandbox.audit.errors.SelectionError` for a name that is neither.
    """
    wanted, unwanted = _expanded(settings.families), _expanded(settings.exclude)
    return [family for family in FAMILIES if (not wanted or family.name in wanted) and family.name not in unwanted]


def _expanded(names: list[str]) -> set[str]:
    known = {family.name: {family.name} for family in FAMILIES}
    for family in FAMILIES:
        known.setdefault(family.group, set()).add(family.name)
    for name in names:
        if name not in known:
            raise SelectionError(f"[probes] names the family {name!r}; {nearest(name, known)}")
    return {member for name in names for member in known[name]}
