"""Right programs whose output has other spaces, where the task says that its words alone are compared."""

import re
from collections.abc import Iterator
from random import Random

from sandbox.audit.probes.family import Draft, Family
from sandbox.audit.probes.material import Material
from sandbox.audit.probes.script_cheats import KEPT
from schemas.manifest import RewardRole

_BY_WORDS = frozenset({"tokens", "numbers"})
"""What ``info.program.compare`` says where the space between words has no meaning."""
_IS_IN_THE_WAY = re.compile(r"__future__|\b(?:sys|io|_text|_kept)\s*=(?!=)")
"""What would not run, or not alike, between our lines."""
_PRINTED = {
    "spaces at line ends": r"'\n'.join(line + '  ' for line in _text.splitlines()) + '\n'",
    "no line end": "_text.rstrip()",
    "empty lines at the end": r"_text.rstrip() + '\n\n\n'",
    "two spaces between words": "_text.replace(' ', '  ')",
}


def make(material: Material, random: Random) -> Iterator[Draft]:
    """Each way of every script that prints all of its output; only where one reward decides, none of them for style."""
    del random
    deciding = [reward for reward in material.declared.values() if reward.role is not RewardRole.METRIC]
    if len(deciding) != 1:
        return
    for item, script, _ in material.scripts:
        program = (item.task.get("info") or {}).get("program")
        is_by_words = isinstance(program, dict) and program.get("compare") in _BY_WORDS
        if not (is_by_words and item.is_accepted and script.prints_only) or _IS_IN_THE_WAY.search(script.code):
            continue
        kept = KEPT.replace("{code}", script.code.rstrip())
        for way, text in _PRINTED.items():
            yield Draft(item.task, script.with_code(f"{kept}print({text}, end='')\n"), note=way, way=way)


FAMILY = Family(
    name="benign_output_spaces",
    expects="correct",
    rule="where a task says that the words of an output are compared, the spaces between them have no meaning",
    make=make,
)
