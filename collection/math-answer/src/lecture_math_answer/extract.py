"""Where in a response its final answer stands: the last box, a marked line, a final sentence, or the whole of it."""
# ruff: noqa: E501 -- word lists and patterns read better whole

import re

from lecture_math_answer.clean import unescape

_THINK = re.compile(r"^.*</(?:think|thinking|reasoning)>", re.DOTALL | re.IGNORECASE)
_STOP_TOKENS = re.compile(r"<\|(?:im_start|im_end|endoftext|eot_id|end_of_text)[^>]*\|>.*$", re.DOTALL)
_BOX = re.compile(r"\\(?:boxed|fbox|framebox)\s*(?=[{\s\w])")
_ANSWER = re.compile(
    r"(?:final\s+answers?|correct\s+(?:answers?|options?|choices?)|answers?)\s*(?:\(s\))?(?:\s+(?:to|for|of)\s+[^.:\n]{0,80}?)?(?:\s*\*{1,2})?\s*(?:is|are|be|=|:|：|was|will be)(?:\s*\*{1,2})?\s*:?\s*",
    re.IGNORECASE,
)
_ANSWER_ELSEWHERE = re.compile(
    r"(?:\brespuesta(?:\s+(?:final|correcta))?\s*(?:es|:)|\b(?:antwort|lösung|ergebnis)\s*(?:ist|lautet|:)(?:\s+das\s+ergebnis)?|\bréponse(?:\s+finale)?\s*(?:est|:)"
    r"|\brisposta(?:\s+(?:finale|corretta))?\s*(?:è|:)|\bresposta(?:\s+final)?\s*(?:é|:)|\bответ\s*(?::|—|-)|\b(?:het\s+)?antwoord\s*(?:is|:)|\bodpowiedź\s*:|\bcevap\s*:|\bsvar(?:et)?\s*(?:är|er|:)"
    r"|(?:答案|结果|总数|总和)\s*(?:是|为|等于|：|:)|(?:^|\n)[ \t*]*(?:∴|\$?\\therefore(?![a-zA-Z]))|答えは|解答\s*(?:は|:|：)|(?:정답|답)\s*(?:은|:))\s*",
    re.IGNORECASE,
)
_TAGGED = re.compile(r"<answer>(.{0,4000}?)</answer>", re.DOTALL | re.IGNORECASE)
_MEMBER = re.compile(r"\"(?:final[_ ]?)?answer\"\s*:\s*(?:\"([^\"]{1,400})\"|([-+\d.][^,}\s]{0,60}))", re.IGNORECASE)
_HASHES = re.compile(r"####\s*(.+)")
_LINE_MARK = re.compile(
    r"(?:^|\n)[ \t]*(?:\*{0,2})(?:A|Ans|Answer|Result|Solution)(?:\*{0,2})\s*[:：]\s*(?:\*{0,2})\s*(\S[^\n]*)",
    re.IGNORECASE,
)
_MATH = re.compile(
    r"\$\$(.{1,1500}?)\$\$|\\\[(.{1,1500}?)\\\]|\\\((.{1,1500}?)\\\)|(?<!\\)\$([^$]{1,1500}?)(?<!\\)\$", re.DOTALL
)
_CONCLUSION = re.compile(
    r"(?:therefore|thus|hence|so|in conclusion|consequently|we (?:get|find|have|obtain|conclude))\b", re.IGNORECASE
)
_EXPLANATION = re.compile(
    r"(?:(?:,\s*|\s+)(?:because|since|as\s+(?:we|the|it)|which\s+(?:is|means|gives|equals)|hence|so\s+that|I hope)\b"
    r"|\s*[,;(]\s*(?:and\s+|but\s+)?(?:certainly\s+|definitely\s+|surely\s+)?(?:(?:not|nicht|no|non|pas|não|не|rather\s+than|instead\s+of|as\s+opposed\s+to)\s+|而不是|不是)(?=.*\d)).*$",
    re.DOTALL | re.IGNORECASE,
)
_NUMBER = re.compile(
    r"(?<![A-Za-z0-9_.])[-−]?\$?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:\s*/\s*\d+)?(?:\s?(?:%|\\%))?|(?<![A-Za-z0-9_.])[-−]?\.\d+"
)
_JOINTS = frozenset("and or for part a b c d as well with also x y z n m k the other second".split())
_NAME = re.compile(r"\b[a-zA-Z](?:_\s*\w|_\s*\d+)?\s*(?:\([a-z]\))?\s*=(?=\s*$)")
_HOPE = re.compile(r"I hope (?:it|this) (?:is correct|helps)[.!]?\s*$", re.IGNORECASE)
_FINAL = re.compile(r"final\s+answer", re.IGNORECASE)
BARE_LIMIT = 400


def final_answer(response: str) -> tuple[str, bool]:
    """(the text of the final answer, whether it was marked as such). Unmarked: the text as it is."""
    text = _without_reasoning(response)
    end = _BOLD_END.search(text.rstrip())
    if end and _CALLED_WRONG.search(end[1]):
        return "", True
    marked = (
        _later(text)
        or _boxes(text)
        or _tagged(text)
        or _named(text)
        or _hashed(text)
        or _stated(text)
        or _headed(text)
        or _bold_end(text)
    )
    return (marked, True) if marked else (_TALK.sub("", text.strip()), False)


_TALK = re.compile(
    r"^(?:h+m+|ok(?:ay)?|well|sure|yes|easy)\s*[,:]\s*(?=[-$\\\d][^,]*$)|^I(?:['’]d| would)? (?:got|get|say|guess|answer)\s+(?=[-$\\\d])|^tl;?dr:?\s*(?=[-$\\\d])"
    r"|,\s*I (?:think|believe|guess|suppose|say)\s*[.!]?$",
    re.IGNORECASE,
)
"""Talk around an unmarked answer, which would be read as names: "42, I think"."""


def _without_reasoning(response: str) -> str:
    text = _HOPE.sub("", _STOP_TOKENS.sub("", unescape(response))) or response
    rest = _THINK.sub("", text)
    return rest if rest.strip() else re.sub(r"</?(?:think|thinking|reasoning)>", " ", text)


# marked answers


def boxes(text: str) -> list[tuple[int, int, str]]:
    r"""(start, end, content) of every ``\boxed{…}``; of nested ones only the outer."""
    found = []
    position = 0
    while match := _BOX.search(text, position):
        start = match.end()
        if text[start : start + 1] != "{":
            token = re.match(r"\s*([^\s{}$]+)", text[start:])
            if token:
                found.append((match.start(), start + token.end(), token[1].rstrip(".,$")))
            position = start + (token.end() if token else 1)
            continue
        end = _closing(text, start)
        found.append((match.start(), end, text[start + 1 : end - 1]))
        position = end
    return found


def _closing(text: str, start: int) -> int:
    depth = 0
    for index in range(start, len(text)):
        if text[index - 1 : index] == "\\" and text[index - 2 : index] != "\\\\":
            continue
        depth += {"{": 1, "}": -1}.get(text[index], 0)
        if depth == 0:
            return index + 1
    return len(text) + 1  # never closed: the answer was cut off


def _boxes(text: str) -> str:
    """The last box, with those directly before it: ``\\boxed{1} and \\boxed{2}`` is a list."""
    found = [box for box in boxes(text) if box[2].strip()]
    if not found:
        return ""
    group = [found[-1]]
    for earlier, later in zip(reversed(found[:-1]), reversed(found), strict=False):
        between = re.sub(r"\\(?:text|quad|qquad|mbox)\b|[${}\\()\[\]]", " ", text[earlier[1] : later[0]])
        if not _is_joint(between):
            break
        group.insert(0, earlier)
    contents = [content for _, _, content in group]
    distinct = list(dict.fromkeys(content.strip() for content in contents))
    tail = text[group[-1][1] :]
    unit = re.match(r"\s*\$?\s*(%|\\%|\^\s*\{?\\circ\}?)", tail)
    return ", ".join(distinct) + (unit[1] if unit and len(distinct) == 1 and unit[1][-1:] == "%" else "")


def _later(text: str) -> str:
    """A final answer in words behind the last box: it is the one that counts."""
    found = boxes(text)
    if not found or not _FINAL.search(text, found[-1][1]):
        return ""
    stated = _stated(text[found[-1][1] :])
    return stated if re.search(r"\d|\$", stated) else ""


def _is_joint(between: str) -> bool:
    between = _NAME.sub(" ", between)
    words = re.sub(r"[^a-z]+", " ", between.lower()).split()
    return (
        len(between) < 60
        and not re.search(r"\d|=.*=|\.\s", between)
        and all(word in _JOINTS for word in words)
        and between.count("\n") < 3
    )


def _tagged(text: str) -> str:
    found = _TAGGED.findall(text)
    return found[-1].strip() if found else ""


def _named(text: str) -> str:
    """The member ``answer`` of a JSON object."""
    found = _MEMBER.findall(text)
    return (found[-1][0] or found[-1][1]).strip() if found else ""


def _hashed(text: str) -> str:
    found = _HASHES.findall(text)
    return found[-1].strip().strip("*").strip() if found else ""


def _stated(text: str) -> str:
    """What follows the last ``the answer is`` or a line that begins with ``A:``."""
    starts = [(match.end(), True) for match in _ANSWER.finditer(text)]
    starts += [(match.end(), True) for match in _ANSWER_ELSEWHERE.finditer(text)]
    starts += [(match.start(1), False) for match in _LINE_MARK.finditer(text)]
    for start, in_prose in sorted(starts, reverse=True)[:20]:
        found = sentence(text[start : start + 1500]) if in_prose else text[start:].split("\n", 1)[0]
        found = found + _parts_below(text, start, found)
        if found.strip(" *.\n"):
            return _recanted(text[start:]) or _ASIDE.sub("", found.strip().strip("*").strip())
    return ""


_PART_MARK = re.compile(r"\s*(?:\*\*)?\(?(?:[a-h]|i{1,3}|iv|v|[1-9])\)")


def _parts_below(text: str, start: int, found: str) -> str:
    """The lines below that go on with ``(ii) …`` or ``(b) …`` where the answer begins with such a part."""
    if not _PART_MARK.match(found):
        return ""
    below = text[text.find(found, start) + len(found) :].split("\n")[1:]
    parts = []
    for line in below:
        if not _PART_MARK.match(line):
            break
        parts.append(line.strip())
    return "".join(f", {part}" for part in parts)


_HEADING = re.compile(
    r"(?:^|\n)[ \t]*(?:#{1,6}[ \t]*(?:\*\*)?|\*\*)(?:the[ \t]+)?(?:final[ \t]+)?(?:answer|result)(?:\*\*)?[ \t]*[:.]?(?:\*\*)?[ \t]*\n\s*([^\n]{1,120}?)[ \t]*$",
    re.IGNORECASE,
)


def _headed(text: str) -> str:
    """The one line below a heading ``Final Answer`` that ends the response. A sentence is read as one."""
    found = _HEADING.search(text.rstrip())
    if not found or "$" in found[1] or re.search(_VERB, found[1], re.IGNORECASE) or _LEADS_AWAY.search(found[1]):
        return ""
    return found[1].strip().strip("*").strip()


_BOLD_END = re.compile(r"(?:^|\n)([^\n]*)\n+[ \t]*(?:\*\*|__)([^*_\n]{1,120}?)(?:\*\*|__)[ \t]*\.?\s*$")
_BARE_WORD = re.compile(r"(?<![\\A-Za-z])(?!(?:and|or|pi)\b)[A-Za-z]{2,}")
_LEADS_AWAY = re.compile(
    r"\b(?:not|never|cannot|wrong|false|incorrect|mistake|unless|if|whether|than|about|around|approximately|roughly|nearly|almost|near|at least|at most|exclud\w+|rul\w+ out|suppose|assume|instead of|unlike|except|multiples? of|square of|divid\w+|guess)\b|n['’]t\b|\?\s*$",
    re.IGNORECASE,
)


_CALLED_WRONG = re.compile(r"\b(?:wrong|false|incorrect)(?:\s+[a-z]+)?\s*:?\s*$", re.IGNORECASE)


def _bold_end(text: str) -> str:
    """A last line that is nothing but a bold formula: the line before it may lead to it, and must not lead away."""
    found = _BOLD_END.search(text.rstrip())
    if not found or not re.search(r"\d", found[2]) or _BARE_WORD.search(found[2]):
        return ""
    return "" if _LEADS_AWAY.search(last_sentence(found[1])) else found[2].strip().rstrip(".")


_ASIDE = re.compile(
    r"\s*\(\s*(?:we|i|check|since|because|as|note|verify|verified|which|this|that)\b[^()]*\)\s*\.?$", re.IGNORECASE
)
_RECANT = re.compile(
    r"\b(?:on (?:second thought|reflection)|edit:|wait\b|hold on|actually,|correction\b|i (?:made|was|am) (?:a mistake|an error|mistaken|wrong)|that(?:'s| is| was) (?:wrong|incorrect|not right)|let me (?:correct|redo|reconsider))",
    re.IGNORECASE,
)


def _recanted(rest: str) -> str:
    """The last statement behind "on second thought": it is the one that counts, where it names a value."""
    cues = list(_RECANT.finditer(rest[:3000]))
    if not cues:
        return ""
    tail = last_sentence(rest[cues[-1].start() :])
    stated = re.search(r"(?:\b(?:is|are|equals|be|gives|get|got)|\bit['’]s)\s+([^.]*?\d[^.]*?)\s*$", tail)
    return stated[1] if stated else ""


def sentence(text: str) -> str:
    """The text up to the end of its sentence or line, without an explanation behind it."""
    text = text.lstrip(" \n*")
    display = re.match(r"(\\\[.+?\\\]|\$\$.+?\$\$)", text, re.DOTALL)
    if display:
        return display[1]
    end = len(text)
    inside = 0
    for index, character in enumerate(text):
        if character == "$":
            inside ^= 1
        if inside:
            continue
        if character == "!" and not re.search(r"[A-Za-z]{3}$", text[:index]):
            continue  # a factorial
        if character == "\n" and text[:index].strip():
            end = index
            break
        if character in "。！？":
            end = index
            break
        if (
            character in ".!?"
            and re.match(r"[.!?][\"'”*)]*(?:\s+|$)", text[index:])
            and not re.match(r"\.\s*\d", text[index:])
        ):
            end = index
            break
    text = _EXPLANATION.sub("", text[:end]).strip()
    text = re.sub(r"(?<=[\d$)}])\s*(?:です|でした|입니다|이다|个|种)$", "", text)
    return re.sub(r'^["“]|\?["”]$', "", text).strip()


# unmarked answers


def fallbacks(text: str) -> list[str]:
    """Places of a long unmarked response to look at, most promising first; the first that can be read is the answer."""
    found: list[str] = []
    tail = last_sentence(text)
    matches = list(_MATH.finditer(tail))
    formulas = [next(group for group in match.groups() if group is not None) for match in matches]
    behind = (
        re.search(r"\b(?:is|are|equals|be)\s+([^.$]*?\d[^.$]*?)\s*$", tail[matches[-1].end() :]) if matches else None
    )
    if behind:
        found.append(behind[1])
    if formulas:
        found.append(_with_neighbours(tail) or formulas[-1])
    if "=" in tail and not formulas:
        found.append(tail.rsplit("=", 1)[1])
    if not formulas:
        found += _behind_verbs(tail)
    counted = _COUNTED.match(tail)
    if counted:
        found.insert(0, counted[1])
    formulas = [next(group for group in match.groups() if group is not None) for match in _MATH.finditer(text)]
    if formulas:
        found.append(formulas[-1])
    return found


_VERB = r"\b(?:is|are|equals|be|was|total of|has|have|takes?|took|lasts?|weighs?|costs?|measures?|gives?(?:\s+(?:us|me|you))?|get|got|makes?|(?:meets?|intersects?|cross(?:es)?|touch(?:es)?)\s+at(?:\s+the\s+points?)?|(?:diverges?|converges?|tends?)\s+to)\s+"
_COUNTED = re.compile(
    r"(?:(?:so|thus|hence|therefore),?\s+)?there\s+(?:are|is)\s+(?:exactly\s+|only\s+)?(\$?\d+\$?)\s+[a-z][\w\s]*(?::|,\s*(?:namely|i\.e\.)|\()",
    re.IGNORECASE,
)


def _behind_verbs(tail: str) -> list[str]:
    """What stands behind the first verb of a sentence, then what stands behind its last."""
    first = re.search(_VERB + r"((?:[^.]|\.(?=\d))*?)\s*$", tail, re.IGNORECASE)
    last = re.search(r"^.*" + _VERB + r"((?:[^.]|\.(?=\d))*?)\s*$", tail, re.IGNORECASE | re.DOTALL)
    return list(dict.fromkeys(match[1] for match in (first, last) if match))


def _with_neighbours(tail: str) -> str:
    """Formulas joined by and/or/commas as one list: ``$12$ and $13$``."""
    matches = list(_MATH.finditer(tail))
    group = [matches[-1]]
    for earlier, later in zip(reversed(matches[:-1]), reversed(matches), strict=False):
        if re.fullmatch(r"\s*(?:,|and|or|,\s*and|,\s*or|;)\s*", tail[earlier.end() : later.start()]) is None:
            break
        group.insert(0, earlier)
    return (
        ", ".join(next(part for part in match.groups() if part is not None) for match in group)
        if len(group) > 1
        else ""
    )


def last_sentence(text: str) -> str:
    lines = [line for line in re.split(r"(?<=[.!?])\s{1,40}(?=[A-Z])|\n", text.strip()) if line.strip(" .*_$")]
    return lines[-1].strip().rstrip(".").strip() if lines else text


def numbers(text: str) -> list[str]:
    """Every number written in digits."""
    return [match[0] for match in _NUMBER.finditer(text)]


def last_number(text: str) -> str:
    """The last number of the text, empty when two are offered as alternatives (``4 or 7``)."""
    found = list(_NUMBER.finditer(text))
    if found and re.match(r"\s*(?:factorial|squared|cubed)\b|:\d|[eE]\d", text[found[-1].end() :], re.IGNORECASE):
        return ""  # the word changes the number
    if re.search(r"\d\s*\.\.+\s*\d", text):
        return ""  # a range
    if not found or (len(found) > 1 and not re.search(r"[A-Za-z=]", text)):
        return ""  # a row of numbers commits to none
    if len(found) > 1 and _is_alternative(text, found[-2].span(), found[-1].start()):
        return ""
    return found[-1][0]


def _is_alternative(text: str, earlier: tuple[int, int], later: int) -> bool:
    """``4 or 7``, ``between 3 and 4``: two numbers of which neither is the answer."""
    joint = text[earlier[1] : later]
    if re.search(r"\b(?:versus|vs|alternatively|might also|could also)\b|^\W*(?:and )?then\W*$", joint, re.IGNORECASE):
        return True
    if re.fullmatch(
        r"\s*(?:\w+\s*){0,2}?\b(?:or|oder|ou|o|или|eller|of)\b(?:\s+\w+){0,2}?\s*|\s*(?:或者?|或者|または)\s*", joint
    ):
        return True
    return joint.strip() == "and" and bool(re.search(r"\bbetween\s*$", text[: earlier[0]], re.IGNORECASE))
