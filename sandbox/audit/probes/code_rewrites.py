"""Right programs with comments, and programs that solve something else or nothing."""

from collections.abc import Iterator
from random import Random

from sandbox.audit.probes.family import Draft, Family
from sandbox.audit.probes.material import Material
from schemas.manifest import RewardRole

_STUB = 'raise NotImplementedError("not written yet")'
_OTHERS = 3
"""Tasks that one program is put to."""


def _with_comments(material: Material, random: Random) -> Iterator[Draft]:
    """Comments and blank lines before and behind the code; only where one reward decides, so that none is for style."""
    del random
    deciding = [reward for reward in material.declared.values() if reward.role is not RewardRole.METRIC]
    if not material.wants_code or len(deciding) != 1:
        return
    for item, program in material.programs:
        if item.is_accepted:
            yield Draft(item.task, program.with_code(f"# A comment.\n\n{program.code.rstrip()}\n\n\n# The end.\n"))
    functions = {id(item) for item, _ in material.programs}
    for item, script, _ in material.scripts:
        if item.is_accepted and id(item) not in functions:
            yield Draft(item.task, script.with_code(f"# A comment.\n\n{script.code.rstrip()}\n\n\n# The end.\n"))


def _stub(material: Material, random: Random) -> Iterator[Draft]:
    """Every function is there, and says that nobody has written it."""
    del random
    if material.wants_code:
        for item, program in material.programs:
            yield Draft(item.task, program.same_names(_STUB))


def _of_another_task(material: Material, random: Random) -> Iterator[Draft]:
    """The right program of another task, which defines none of the functions that this task's right programs define."""
    if not material.wants_code:
        return
    names: dict[str, set[str]] = {}
    for item, program in material.programs:
        names.setdefault(str(item.task.get("id")), set()).update(program.functions)
    tasks = {str(item.task.get("id")): item.task for item, _ in material.programs}
    for item, program in material.programs:
        strangers = [one for one, known in names.items() if known.isdisjoint(program.functions)]
        for one in random.sample(strangers, min(_OTHERS, len(strangers))):
            yield Draft(tasks[one], item.response, note=f"right for task {item.task.get('id')}")


FAMILIES = (
    Family(
        name="benign_comments",
        expects="correct",
        rule="comments and blank lines around a program change nothing that it does",
        make=_with_comments,
    ),
    Family(
        name="leak_stub",
        expects="incorrect",
        rule="functions that only raise that nobody has written them compute nothing",
        make=_stub,
    ),
    Family(
        name="leak_other_program",
        expects="incorrect",
        rule="the program of another task defines none of the functions that the right ones define",
        make=_of_another_task,
    ),
)
