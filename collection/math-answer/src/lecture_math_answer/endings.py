"""Answers without what stands beside them: a check, a remark in brackets, a reason, the question, the steps before."""

import re
import unicodedata
from collections.abc import Iterator
from fractions import Fraction

from lecture_math_answer.units import measure

_CHECK = re.compile(
    r"(?<=[\w)}\]$*.!])[\s.!]*(?:\*\*|\()?\b(?:check|verification|proof|test)(?::\*\*|\*\*:|:)"
    r"(?=[^=\n]{1,60}=)(?:[\d\s+\-−–·×*/÷().,=^$²³√✓✔]|\\(?:cdot|times|checkmark)(?![a-zA-Z])){3,120}$",
    re.IGNORECASE,
)
_POLAR = re.compile(r"\W*(yes|no|true|false)\b\W*", re.IGNORECASE)
_POLAR_FIRST = re.compile(r"[\s*]*(yes|no|true|false)\b[\s*]*[,:;.—–-]\s*(.{1,300})", re.IGNORECASE | re.DOTALL)
_TAKES_BACK = re.compile(
    r"\b(?:yes|no|not|or|true|false|but|unless|if|maybe|perhaps|wait|actually|however|wrong|correction|sorry|instead)\b|n['’]t\b",
    re.IGNORECASE,
)
_CASES = re.compile(r"\b(?:for|at|if|when|where|could|might|may|would)\b", re.IGNORECASE)
_REMARK = re.compile(r"(?<=[A-Za-z])\s*\((?=[^()]*[\d=<>≤≥])([A-Za-z][^()]{2,120})\)[\s.]*$")
_LINE = re.compile(
    r"\s*(?:[-*•+]\s+|\d+[.)]\s+)?(?:\*\*)?\$?\s*([a-z](?:_\d)?)\s*=\s*([^=$*,;\n]{1,40}?)\$?(?:\*\*)?[.,;]?\s*"
)
_ROUNDED = re.compile(r"[\s$*]*([^=≈\n]{1,200}?)\s*(?:≈|\\approx(?![a-zA-Z]))[\s$*]*(-?\d[\d.,]*?)[\s$*.]*")
_MIXED = re.compile(r"\s*(\d{1,9})\s*\\[dt]?frac\s*\{\s*(\d{1,9})\s*\}\s*\{\s*(\d{1,9})\s*\}\s*")
_SUM = r"[\d\s+\-−–·×*/÷().,=^]|\\(?:cdot|times|div)(?![a-zA-Z])"
_DEGREES = r"\s*\$?\s*(?:°|degrees?\b|\^\s*\\?\{?\s*\\circ\s*\}?)"
_SUM_IN_DEGREES = re.compile(rf"[\s$]*((?:{_SUM}){{3,200}}){_DEGREES}[\s$.]*")
_GOLD_DEGREES = re.compile(rf"[\s$]*(-?\d+(?:\.\d+)?){_DEGREES}[\s$]*")
_BASED = re.compile(r"\s*(?:\\(?:mathrm|text)\s*\{\s*)?[0-9A-F]+\s*\}?\s*_\s*(?:\{\s*\d+\s*\}|\d)\s*")
_IN_BASE = re.compile(
    r"[0-9A-F]+ in (?:base (?:\d+|two|eight|ten|sixteen)|binary|octal|hexadecimal)(?= *\.?$)", re.IGNORECASE
)
_QUANTITY = re.compile(r"\s*(\d{1,3}(?: \d{3})+|\d[\d,]*(?:\.\d+)?)\s*([A-Za-z]+)[\s.]*")
_DECIMAL = re.compile(r"[\s$]*-?\d+\.(\d+)[\s$]*")
_SOMEBODY_ELSE = re.compile(
    r"(?<=\d)([^\d()\n]{0,20})\((?:and )?[A-Z][a-z]+(?: (?:is|has|was|gets))? \d[\d.,]*[^()\d]{0,20}\)(?=[\s.*]*$)"
)
_DETAIL = re.compile(r"(?<=\d)\s*\((?:the|its|next|first|second|third)\b[^()]{2,80}\)[\s.]*$")
_CONVERGES = re.compile(r"(?:it|the (?:integral|series|sequence|sum|limit))?\s*converges to (\S.{0,60})", re.IGNORECASE)
_SO = re.compile(r".*,\s*(?:and )?(?:so|hence|thus|therefore)\s+([a-z][^,;:\d=$]{3,80})", re.DOTALL)
_ARROW = re.compile(r"\\(?:Rightarrow|implies|Longrightarrow)(?![a-zA-Z])|⇒|⟹")
_AND_SOLVED = re.compile(
    r"[^\n]*?(?P<before>[^,;.\n=]{1,40}=[^,;\n=]{1,40}?)\s*(?:,|,?\s+and)\s+(?P<last>(?P<name>[a-z])\s*=[^=,;\n]{1,40})"
)
_AND_DERIVED = re.compile(
    r"[\s$]*[a-z]('+)(?:\([a-z]\))?\s*=[^=,;\n]{1,80}(?:,|,?\s+and)\s+([a-z]('+)(?:\([a-z]\))?\s*=[^=,;\n]{1,80})"
)
_SINCE = re.compile(r"(?:.*[\s,])?since [^,\n]{1,80},\s*(\S[^,\n]{0,80})", re.DOTALL | re.IGNORECASE)
_CONGRUENT = re.compile(
    r".*\d\}?\s*(?:≡|\\equiv)[^,;\n]*?(\d+)[\s$]*(?:\\pmod\s*\{?\s*(\d+)\s*\}?|\(\s*\\?mod\s*(\d+)\s*\))[\s$.]*",
    re.DOTALL,
)


def without_check(response: str) -> str:
    """``n = 17. Check: 34 + 5 = 39 ✓`` without the check, which must be nothing but a sum."""
    return _CHECK.sub("", response) if len(response) < 30_000 else response


def without_others(gold: str, response: str) -> str:
    """Without somebody else's number in brackets, and without the root beside its rounding for a decimal."""
    if len(response) > 2_000:
        return response
    response = _SOMEBODY_ELSE.sub(r"\1", response)
    wanted, found = _DECIMAL.fullmatch(gold), _ROUNDED.fullmatch(response)
    if wanted and found and len(found[2].partition(".")[2]) < len(wanted[1]):
        return found[2]
    return response


def without_question(response: str, prompt: str) -> str:
    """``\\pi^2 \\approx 9.9`` without what the prompt itself sets: the number is judged, and not the question."""
    found = _ROUNDED.fullmatch(response) if prompt and len(response) < 500 else None
    if found is None:
        return response
    asked = _squeezed(found[1])
    return found[2] if len(asked) > 1 and asked in _squeezed(prompt) else response


def _squeezed(text: str) -> str:
    return re.sub(r"[\s$\\{}*]", "", unicodedata.normalize("NFKC", text).replace("π", "pi"))


def others(gold: str, response: str) -> Iterator[tuple[str, str]]:
    """Other pairs of gold answer and response to judge, each of which says what the first said."""
    if len(response) > 2_000 or "\\boxed" in response:
        return
    polar, first = _POLAR.fullmatch(re.sub(r"\\text\b", "", gold)), _POLAR_FIRST.fullmatch(response)
    if polar and first and not _TAKES_BACK.search(first[2]):
        yield gold, first[1]
    remark = _REMARK.search(response)
    if remark and not re.search(r"\d", gold) and not _TAKES_BACK.search(remark[1]) and not _CASES.search(remark[1]):
        yield gold, response[: remark.start()]
    if values := _assignments(response):
        yield gold, values
    yield from ((gold, clause) for clause in _clauses(gold, response))
    degrees, worked = _GOLD_DEGREES.fullmatch(gold), _SUM_IN_DEGREES.fullmatch(response)
    if degrees and worked and "=" in worked[1]:
        yield degrees[1], worked[1]
    if last := _last_member(gold, response):
        yield gold, last


def _clauses(gold: str, response: str) -> Iterator[str]:
    """Last clauses that hold the answer alone."""
    plain = response.replace("$", "").strip(" .\n")
    if (detail := _DETAIL.search(response)) and not _TAKES_BACK.search(detail[0]) and not _CASES.search(detail[0]):
        yield response[: detail.start()]
    if found := _CONVERGES.fullmatch(plain):
        yield found[1]
    if not re.search(r"\d", gold) and (found := _SO.fullmatch(plain)):
        yield found[1]
    parts = _ARROW.split(plain)
    if len(parts) == 2 and not _ARROW.search(gold) and "\n" not in plain:
        yield parts[1]
    found = _AND_SOLVED.fullmatch(plain)
    if found and re.search(rf"\d\s*{found['name']}|{found['name']}\s*[\^²³]", found["before"]):
        yield found["last"]
    found = _AND_DERIVED.fullmatch(plain)
    if found and len(found[3]) == len(found[1]) + 1:
        yield found[2]
    if found := _SINCE.fullmatch(plain):
        yield found[1]
    if re.fullmatch(r"\s*\d+\s*", gold) and (found := _CONGRUENT.fullmatch(response)):
        rest, modulus = found[1], found[2] or found[3]
        yield from [rest] if len(modulus) < 10 and int(rest[-10:]) < int(modulus) else []
    if "(" in gold and " and at (" in plain:
        yield plain.replace(" and at (", " and (")


def _assignments(response: str) -> str:
    """The last lines, ``- x = 2`` and ``- y = -1``, as one; empty where they are less than two or name one twice."""
    found: list[tuple[str, str]] = []
    for line in reversed([line for line in response.splitlines() if line.strip()]):
        one = _LINE.fullmatch(line)
        if one is None:
            break
        found.insert(0, (one[1], one[2]))
    names = [name for name, _ in found]
    if len(names) < 2 or len(set(names)) < len(names):
        return ""
    return ", ".join(f"{name} = {value}" for name, value in found)


def _last_member(gold: str, response: str) -> str:
    """The end of a chain of equal mixed numbers or quantities, or of a change of base; else empty."""
    body = response.strip().strip("$").strip()
    parts = body.split("=")
    if len(parts) < 2 or "$" in body:
        return ""
    mixed = [_mixed(part) for part in parts]
    if None not in mixed and len(set(mixed)) == 1:
        return parts[-1]
    if _BASED.fullmatch(gold):
        return _in_base(body, parts)
    last = _QUANTITY.fullmatch(parts[-1])
    if last is None or measure(last[2]) is None:
        return ""
    amount = re.sub(r"[, ]", "", last[1])
    before = _QUANTITY.fullmatch(parts[-2])
    units = measure(last[2]), measure(before[2]) if before else None
    if before and units[0] and units[1]:  # 1.4 h = 84 minutes
        same = Fraction(amount) * units[0][1] == Fraction(re.sub(r"[, ]", "", before[1])) * units[1][1]
        steps, is_sound = parts[:-2], same and units[0][0] == units[1][0]
    else:
        steps, is_sound = parts[:-1], re.search(r"[+·×*/÷−-]|\\(?:cdot|times|div)", parts[0]) is not None
    return f"{amount} {last[2]}" if is_sound and all(_is_sum(part) for part in steps) else ""


def _is_sum(text: str) -> bool:
    """Numbers, signs and known units: ``2.75 h × 60 min/h``."""
    words = re.findall(r"(?<![A-Za-z\\])[A-Za-z]+", text)
    plain = re.sub(r"(?<![A-Za-z\\])[A-Za-z]+", " ", text)
    return all(measure(word) for word in words) and re.fullmatch(rf"(?:{_SUM}|[²³])+", plain) is not None


def _mixed(text: str) -> Fraction | None:
    found = _MIXED.fullmatch(text)
    if found is None or int(found[3]) == 0:
        return None
    return int(found[1]) + Fraction(int(found[2]), int(found[3]))


def _in_base(body: str, parts: list[str]) -> str:
    if _BASED.fullmatch(parts[-1]) and all(re.fullmatch(rf"(?:{_SUM})+", part) for part in parts[:-1]):
        return parts[-1]
    found = _IN_BASE.search(body)
    return (
        found[0] if found and re.fullmatch(rf"(?:{_SUM})+,? (?:which|that|and this) is ", body[: found.start()]) else ""
    )
