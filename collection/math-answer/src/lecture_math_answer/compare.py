"""Whether a response's answer is the gold answer: labels, lists, tuples, sets, relations, matrices, values."""

from dataclasses import dataclass
from itertools import product

from lecture_math_answer.equal import close, number_of, renamed, same_expression, same_family
from lecture_math_answer.evaluate import EvaluationError, Evaluator
from lecture_math_answer.node import Node, number, substitute, symbols, walk
from lecture_math_answer.number import same_value
from lecture_math_answer.realset import NotASet, real_set, same_set
from lecture_math_answer.units import measure

MAX_ITEMS = 60
_FLIP = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "=": "=", "!=": "!=", "~": "~"}
_BRACKETS = ("()", "[]", "(]", "[)")
_ORDER = ("<", ">", "<=", ">=")


@dataclass(frozen=True)
class Labelled:
    """A value and the name that stood before its equals sign."""

    label: Node | None
    value: Node


def same_answer(gold: Node, response: Node) -> bool:
    """The whole comparison."""
    gold, response = _member(_tidy(gold)), _member(_tidy(response))
    if gold == response or _same(gold, response):
        return True
    one, two = _labelled(gold).value, _labelled(response).value
    others = _parameters_renamed(gold, response)
    return any(_same(one, other) or same_family(one, other) for other in others) or same_family(one, two)


_PARAMETERS = frozenset("knmtcCabdlsjpqKrAB")


def _parameters_renamed(gold: Node, response: Node) -> list[Node]:
    """The response with its parameters called as in the gold: pi/4 + k pi, f(x) = c x; not the unknowns themselves."""
    if not all(_has_parameters(side) or _has_parameters(_labelled(side).value) for side in (gold, response)):
        return []
    gold, response = _labelled(gold).value, _labelled(response).value
    if gold.op == response.op == "seq" and gold.name == "()":
        return renamed(gold, response)
    different = symbols(gold) ^ symbols(response)
    return renamed(gold, response) if different and different <= _PARAMETERS else []


def _has_parameters(node: Node) -> bool:
    """Families of solutions: a period of pi or degrees beside a letter, or a function with letters besides its argument."""
    parts = walk(node)
    if node.op == "seq" and node.name == "()" and len(node.args) > 1 and len(symbols(node)) == 1:
        return True
    if any(
        part.op == "rel" and part.args[0].op == "app" and symbols(part.args[-1]) - symbols(part.args[0])
        for part in parts
    ):
        return True
    return any(
        part.op == "mul" and symbols(part) and any(inner.op == "deg" or inner.name == "pi" for inner in walk(part))
        for part in parts
    )


def _same(gold: Node, response: Node) -> bool:
    gold, response = _expand(gold), _expand(response)
    if _is_set(gold) or _is_set(response):
        verdict = _same_as_sets(gold, response)
        if verdict is not None:
            return verdict
    if gold.op == "rel" and response.op == "rel":
        return _same_relations(gold, response)
    if gold.op == "seq" or response.op == "seq":
        return _same_sequences(gold, response)
    if gold.op == "rel" or response.op == "rel":
        return _one_relation(gold, response)
    if gold.op in ("matrix", "det", "cases") or response.op in ("matrix", "det", "cases"):
        return _same_matrices(gold, response)
    if gold.op == "ratio" and response.op == "ratio" and len(gold.args) > 2:
        return _same_ratios(gold, response)
    if gold.op in ("set", "builder", "union", "inter", "minus", "dots", "inf") or response.op in (
        "set",
        "builder",
        "union",
        "inter",
        "minus",
        "dots",
    ):
        return _same_parts(gold, response)
    return same_value(gold, response)


def _same_parts(gold: Node, response: Node) -> bool:
    """The same operation over the same parts: for sets with symbols in them."""
    if gold.op != response.op or len(gold.args) != len(response.args) or gold.name != response.name:
        return False
    if not gold.args:
        return True
    if gold.op in ("union", "inter"):
        return _match_all(list(gold.args), list(response.args))
    return all(_same(one, two) for one, two in zip(gold.args, response.args, strict=True))


# tidying


def _tidy(node: Node) -> Node:
    """Without the side remarks of a list: ``k in Z``, ``for all x in R``."""
    if node.args:
        node = node.having(
            *(_tidy(part) if part.op in ("seq", "rel", "builder", "union") else part for part in node.args)
        )
    if node.op == "seq" and node.name in ("", "and") and (total := _compound(node.args)):
        return total
    if node.op == "seq" and node.name in ("", "and", "or"):
        kept = [part for part in node.args if not _is_remark(part)]
        if len(kept) == 1:
            return kept[0]
        if kept and len(kept) < len(node.args):
            node = node.having(*kept)
    return node


def _member(node: Node) -> Node:
    """``x in S`` as S."""
    kinds = ("seq", "union", "minus", "builder", "inter", "set")
    if node.op == "rel" and node.name == "in" and node.args[1].op in kinds and node.args[0].op in ("sym", "mul", "app"):
        return node.args[1]
    return node


def _compound(parts: tuple[Node, ...]) -> Node | None:
    """``3 hours 20 minutes`` as one quantity: the same dimension, each unit smaller than the one before."""
    measures = [measure(part.name) if part.op == "quantity" else None for part in parts]
    known = [found for found in measures if found]
    if len(known) != len(parts) or len(parts) < 2 or len({dimension for dimension, _ in known}) > 1:
        return None
    sizes = [size for _, size in known]
    if sizes != sorted(set(sizes), reverse=True):
        return None
    total = parts[0].args[0]
    for part, size in zip(parts[1:], sizes[1:], strict=True):
        total = Node("add", (total, Node("mul", (part.args[0], number(size / sizes[0])))))
    return parts[0].having(total)


def _is_remark(node: Node) -> bool:
    """Which numbers a parameter runs over."""
    return node.op == "rel" and node.name.split()[-1] in ("in", "notin") and node.args[-1].op == "set"


def _expand(node: Node) -> Node:
    """``±`` as two answers; a list of lists as one list."""
    if node.op == "rel" and node.name.split()[0] == "=" and _has_sign(node.args[-1]):
        values = _signs(node.args[-1])
        label = node.args[0]
        return Node("seq", tuple(Node("rel", (label, value), name="=") for value in values))
    if node.op in ("pm", "mp", "add", "mul", "div", "neg", "pow", "fn", "quantity") and _has_sign(node):
        return Node("seq", tuple(_signs(node)))
    if node.op == "seq" and node.name in _BRACKETS and any(_has_sign(part) for part in node.args):
        choices = [_signs(part) if _has_sign(part) else [part] for part in node.args]
        if 2 ** sum(len(choice) > 1 for choice in choices) > MAX_ITEMS:
            return node
        return Node("seq", tuple(node.having(*choice) for choice in product(*choices)))
    if node.op == "seq" and node.name not in _BRACKETS and any(_has_sign(part) or _is_bare(part) for part in node.args):
        flat: list[Node] = []
        for part in node.args:
            wide = _expand(part)
            flat.extend(wide.args if _is_bare(wide) else [wide])
        return node.having(*flat[:MAX_ITEMS])
    return node


def _is_bare(node: Node) -> bool:
    return node.op == "seq" and node.name in ("", "and", "or")


def _has_sign(node: Node) -> bool:
    return any(part.op in ("pm", "mp") for part in walk(node)) if node.op != "seq" else False


def _signs(node: Node) -> list[Node]:
    """Both readings of ``±`` (upper signs together, lower signs together), without doubles."""

    def chosen(part: Node, upper: bool) -> Node:
        args = tuple(chosen(inner, upper) for inner in part.args)
        if part.op in ("pm", "mp"):
            positive = upper == (part.op == "pm")
            return Node("add", (args[0], args[1] if positive else Node("neg", (args[1],))))
        return part.having(*args) if args else part

    upper, lower = chosen(node, True), chosen(node, False)
    return [upper] if upper == lower else [upper, lower]


# sets


def _is_set(node: Node) -> bool:
    if node.op in ("union", "inter", "minus", "builder", "set"):
        return True
    if node.op == "rel":
        return any(op in (*_ORDER, "!=") for op in node.name.split())
    if _is_bare(node):
        return all(part.op == "rel" and any(op in (*_ORDER, "!=") for op in part.name.split()) for part in node.args)
    return False


def _same_as_sets(gold: Node, response: Node) -> bool | None:
    """The verdict where both sides are sets of real numbers; None where they are not."""
    try:
        return same_set(real_set(gold), real_set(response))
    except NotASet:
        pass
    stripped_gold, stripped_response = _as_interval(_bare_set(gold)), _as_interval(_bare_set(response))
    if (stripped_gold, stripped_response) != (gold, response):
        return _same(stripped_gold, stripped_response)
    return None


def _bare_set(node: Node) -> Node:
    """``x in S`` and ``A = S`` as S; a builder as its condition."""
    if (
        node.op == "rel"
        and node.name in ("in", "=")
        and node.args[1].op in ("union", "inter", "minus", "builder", "set", "seq")
    ):
        return node.args[1]
    if node.op == "builder" and node.args[0].op in ("sym",):
        return node.args[1]
    return node


def _as_interval(node: Node) -> Node:
    """``a < x < 2a`` as (a, 2a), for ends that are not numbers; anything else as it is."""
    operators = node.name.split()
    if (
        node.op != "rel"
        or len(operators) != 2
        or node.args[1].op != "sym"
        or node.args[1].name in symbols(node.args[0]) | symbols(node.args[2])
    ):
        return node
    if set(operators) <= {"<", "<="}:
        return Node("seq", (node.args[0], node.args[2]), name="(["[operators[0] == "<="] + ")]"[operators[1] == "<="])
    if set(operators) <= {">", ">="}:
        return Node("seq", (node.args[2], node.args[0]), name="(["[operators[1] == ">="] + ")]"[operators[0] == ">="])
    return node


# labels


def _labelled(node: Node) -> Labelled:
    """``x = 3`` as value 3 named x. Chains count by their last exact member: ``x = 2 + 1 = 3``."""
    if node.op != "rel":
        return Labelled(None, node)
    operators = node.name.split()
    if set(operators) - {"=", "~"}:
        return Labelled(None, node)
    head = node.args[0]
    if not _is_label(head):
        return Labelled(None, node)
    exact = [node.args[index + 1] for index, operator in enumerate(operators) if operator == "="]
    return Labelled(head, exact[-1] if exact else node.args[1])


def _is_label(node: Node) -> bool:
    """A name: a symbol, f(x), words, P(A), AB, S_1 : S, a tuple of names."""
    if node.op in ("sym", "word"):
        return node.name not in ("pi", "e", "i")
    if node.op == "app":
        return True
    if node.op == "mul":
        return all(part.op in ("sym", "mul", "app") for part in walk(node)) and (
            any(part.name[:1].isupper() for part in walk(node))
        )
    if node.op == "div" and all(
        {"d"} <= symbols(part) <= {"d", "x", "y", "t", "z", "u", "v", "s", "r"} for part in node.args
    ):
        return True
    if node.op in ("seq", "ratio", "div", "deg"):
        return bool(node.args) and all(_is_label(part) for part in node.args)
    return node.op == "fn" and node.name in ("max", "min", "sin", "cos", "tan", "abs") and _is_label(node.args[0])


def _same_labels(gold: Node | None, response: Node | None) -> bool:
    """Names agree, or one of them is silent or of a free kind (words, subscripted, a function's name)."""
    if gold is None or response is None or gold == response:
        return True
    if gold.op == response.op == "sym" and len(gold.name) == len(response.name) == 1:
        return gold.name.lower() == response.name.lower()
    return True


def _strip(gold: Labelled, response: Labelled) -> tuple[Node, Node]:
    """Both values, the response's function argument renamed to the gold's: f(m) = 2m beside f(n) = 2n."""
    one, two = gold.value, response.value
    if gold.label is not None and response.label is not None and gold.label.op == response.label.op == "app":
        mine = [part.name for part in gold.label.args if part.op == "sym"]
        theirs = [part.name for part in response.label.args if part.op == "sym"]
        if len(mine) == len(theirs) and mine != theirs and not set(mine) & symbols(two):
            two = substitute(two, dict(zip(theirs, mine, strict=True)))
    return one, two


# relations


def _one_relation(gold: Node, response: Node) -> bool:
    """A relation on one side only: a name before the value, or an approximation behind it."""
    one, two = _labelled(gold), _labelled(response)
    if one.value.op != "rel" and two.value.op != "rel":
        return _same(*_strip(one, two))
    if response.op == "rel" and response.name == "=" and _is_sought(response.args[0]):
        return _same(gold, response.args[1])
    return _chains(one.value, two.value)


def _is_sought(node: Node) -> bool:
    """What a task may ask for: x + y, a^2 + b^2, xyz: several symbols, no numbers but exponents."""
    numbers = [part for part in walk(node) if part.op == "num"]
    exponents = [part.args[1] for part in walk(node) if part.op == "pow"]
    return (
        len(symbols(node)) > 1
        and node.op in ("add", "mul")
        and all(any(one is power for power in exponents) for one in numbers)
    )


def _chains(gold: Node, response: Node) -> bool:
    """``1/3 ~ 0.333`` beside 1/3 or 0.333; ``6 * 7 = 42`` beside 42."""
    for relation, other, gold_side in ((gold, response, True), (response, gold, False)):
        if relation.op != "rel" or other.op == "rel" or set(relation.name.split()) - {"=", "~"}:
            continue
        members = _consistent(relation)
        if members and gold_side:
            return any(_same(member, other) or same_value(member, other, rough=True) for member in members)
        if members:
            return _same(other, members[0]) or any(
                _same(other, member) for member in members[1:] if any(part.places for part in walk(other))
            )
    return False


def _consistent(relation: Node) -> list[Node]:
    """Members of a numeric chain that holds true, the last exact one first; empty when it contradicts itself (41 = 42)."""
    operators = relation.name.split()
    if set(operators) - {"=", "~"}:
        return []
    exact = [relation.args[0]] + [
        relation.args[index + 1] for index, operator in enumerate(operators) if operator == "="
    ]
    rough = [relation.args[index + 1] for index, operator in enumerate(operators) if operator == "~"]
    if len(exact) > 2 and symbols(exact[0]) and not any(symbols(member) for member in exact[1:]):
        exact = exact[1:]  # "x + y = 3 + 4 = 7"
    if any(symbols(member) for member in exact):
        same = all(member.op != "seq" and same_expression(exact[0], member) for member in exact)
        return [exact[-1], *rough] if same else []
    values = [number_of(_value(member)) for member in (*exact, *rough)]
    if any(value is None for value in values):
        return []
    first = values[0]
    if not all(close(first, value) or _percent_close(first, value) for value in values[1 : len(exact)]):
        return []
    if not all(
        abs(complex(value) - complex(first)) <= 0.03 * abs(complex(first)) + 1e-9 for value in values[len(exact) :]
    ):
        return []
    return [exact[-1], *rough]


def _value(node: Node) -> Node:
    return node.args[0] if node.op == "quantity" else node


def _percent_close(one: object, two: object) -> bool:
    return close(one * 100, two) or close(one, two * 100)  # type: ignore[operator]


def _same_relations(gold: Node, response: Node) -> bool:
    one, two = _labelled(gold), _labelled(response)
    if one.label is not None and two.label is not None:
        if not _same_labels(one.label, two.label):
            return _same_equations(gold, response)
        if _same(*_strip(one, two)):
            return True
        return _same_equations(gold, response)
    if one.label is not None or two.label is not None:
        if _chains(one.value, two.value) or _same_equations(gold, response):
            return True
        return False
    chains = _consistent(gold), _consistent(response)
    if all(chains) and not symbols(gold) and not symbols(response):
        return _same(chains[0][0], chains[1][0])
    return _same_chain(gold, response) or _same_equations(gold, response)


def _same_chain(gold: Node, response: Node) -> bool:
    """Equal member by member, in this order or the other way round."""
    if len(gold.args) != len(response.args):
        return False
    operators = response.name.split()
    if "word" in (gold.args[0].op, response.args[0].op) and set(operators) <= {"<", ">", "<=", ">="}:
        rest = zip(gold.args[1:], response.args[1:], strict=True)
        return gold.name == response.name and all(_same(one, two) for one, two in rest)
    if gold.name.split() == operators and all(
        _same(one, two) for one, two in zip(gold.args, response.args, strict=True)
    ):
        return True
    turned = [_FLIP.get(operator, "") for operator in reversed(operators)]
    return gold.name.split() == turned and all(
        _same(one, two) for one, two in zip(gold.args, reversed(response.args), strict=True)
    )


def _same_equations(gold: Node, response: Node) -> bool:
    """left − right of one is a constant multiple of the other's; a positive one for inequalities."""
    if len(gold.args) != 2 or len(response.args) != 2 or symbols(gold) != symbols(response) or not symbols(gold):
        return False
    operator, other = gold.name, response.name
    if operator not in _FLIP or other not in (operator, _FLIP[operator]):
        return False
    ratio = _constant_ratio(_difference(gold), _difference(response))
    if ratio is None:
        return False
    return operator in ("=", "!=") or (ratio > 0) == (operator == other)


def _difference(relation: Node) -> Node:
    return Node("add", (relation.args[0], Node("neg", (relation.args[1],))))


def _constant_ratio(gold: Node, response: Node) -> float | None:
    """The factor between two expressions where it is the same at every point (of x, y, z, where these occur)."""
    names = sorted(symbols(gold))
    moving = [name for name in names if name[0] in "xyz"] or names
    evaluator = Evaluator()
    ratios = []
    for index in range(6):
        point = {name: number(0).value + (3 + 2 * position) for position, name in enumerate(names)}
        point |= {name: _sample(index, position) for position, name in enumerate(moving)}
        try:
            one, two = evaluator(gold, point), evaluator(response, point)
            ratios.append(evaluator._div(two, one))  # noqa: SLF001 -- the same arithmetic
        except EvaluationError:
            continue
    if len(ratios) < 3 or not all(close(ratios[0], ratio) for ratio in ratios) or abs(ratios[0]) < 1e-30:
        return None
    return float(ratios[0].real)


def _sample(index: int, position: int):
    return number(1).value * (17 + 31 * index + 7 * position * (index + 1)) / 23


# sequences


def _same_sequences(gold: Node, response: Node) -> bool:
    named_gold, named_response = _spread(gold), _spread(response)
    gold_items, response_items = _items(named_gold), _items(named_response)
    if not gold_items or not response_items:
        return not gold_items and not response_items
    if len(gold_items) == 1 or len(response_items) == 1:
        return _against_single(gold_items, response_items, named_gold, named_response)
    labels = [item.label for item in gold_items], [item.label for item in response_items]
    if _distinct(labels[0]) and _distinct(labels[1]):
        matched = _by_label(gold_items, response_items)
        if matched is not None:
            return matched
    brackets = _kind(named_gold), _kind(named_response)
    ones, twos = [item.value for item in gold_items], [item.value for item in response_items]
    if not _brackets_agree(*brackets, len(ones)):
        return False
    if brackets[0] in _BRACKETS or brackets[1] in _BRACKETS:
        return _in_order(ones, twos) or _in_label_order(gold_items, response_items)
    if _distinct(labels[0]) != _distinct(labels[1]) and _letters(labels[0] if _distinct(labels[0]) else labels[1]):
        return _in_order(ones, twos) or _in_label_order(gold_items, response_items)
    return _match_all(ones, twos)


def _spread(node: Node) -> Node:
    """``(x, y) = (1, 2)`` and ``x = {1, 2}`` as what they name; ``x = 1, 2`` as a list of values of x."""
    if node.op == "rel":
        named = _labelled(node)
        if named.label is not None and named.value.op == "seq":
            return named.value
    return node


def _items(node: Node) -> list[Labelled]:
    parts = node.args if node.op == "seq" else (node,)
    items = [_labelled(_spread(part) if part.op == "rel" else part) for part in parts[:MAX_ITEMS]]
    names = [item.label for item in items]
    if names and names[0] is not None and all(name is None for name in names[1:]):
        items[0] = Labelled(None, items[0].value)
    if len(names) > 1 and all(name is not None and name == names[0] for name in names):
        items = [Labelled(None, item.value) for item in items]
    return items


def _kind(node: Node) -> str:
    return node.name if node.op == "seq" and node.name not in ("and", "or") else ""


def _distinct(labels: list[Node | None]) -> bool:
    return all(label is not None for label in labels) and len(set(labels)) == len(labels) and len(labels) > 1


def _letters(labels: list[Node | None]) -> bool:
    return all(label is not None and label.op == "sym" for label in labels)


def _by_label(gold: list[Labelled], response: list[Labelled]) -> bool | None:
    """Value for value by name; None where the names are not the same names."""
    theirs = {item.label: item.value for item in response}
    if {item.label for item in gold} != set(theirs):
        return None
    return all(_same(item.value, theirs[item.label]) for item in gold)


def _in_label_order(gold: list[Labelled], response: list[Labelled]) -> bool:
    """Names on one side only: in the order of the alphabet."""
    for named, other in ((gold, response), (response, gold)):
        labels = [item.label for item in named]
        if _distinct(labels) and _letters(labels) and all(item.label is None for item in other):
            ordered = sorted(named, key=lambda item: item.label.name if item.label else "")
            pairs = zip(other, ordered, strict=False) if named is response else zip(ordered, other, strict=False)
            return len(named) == len(other) and all(_same(one.value, two.value) for one, two in pairs)
    return False


def _brackets_agree(gold: str, response: str, size: int) -> bool:
    if gold == response:
        return True
    if "{}" in (gold, response):
        return "" in (gold, response)
    if "" in (gold, response):
        return "()" in (gold, response) or "[]" in (gold, response)
    return {gold, response} == {"()", "[]"} and size >= 3


def _in_order(ones: list[Node], twos: list[Node]) -> bool:
    return len(ones) == len(twos) and all(_same(one, two) for one, two in zip(ones, twos, strict=True))


def _match_all(ones: list[Node], twos: list[Node]) -> bool:
    """Each of one side is one of the other; doubles count once."""
    ones, twos = _unique(ones), _unique(twos)
    if len(ones) != len(twos):
        return False
    left = list(twos)
    for one in ones:
        for index, two in enumerate(left):
            if _same(one, two):
                del left[index]
                break
        else:
            return False
    return True


def _unique(nodes: list[Node]) -> list[Node]:
    kept: list[Node] = []
    for node in nodes:
        if not any(node == other for other in kept):
            kept.append(node)
    return kept


def _against_single(gold: list[Labelled], response: list[Labelled], gold_node: Node, response_node: Node) -> bool:
    """A list beside one value: only where every member is that value (50 cm or 0.5 m), never one of several."""
    if max(len(gold), len(response)) == 1:
        loose = {"", "{}"}
        same_kind = _kind(gold_node) == _kind(response_node) or {_kind(gold_node), _kind(response_node)} <= loose
        return same_kind and _same(*_strip(gold[0], response[0]))
    if {_kind(gold_node), _kind(response_node)} - {"", "{}"}:
        return _vector_beside_matrix(gold_node, response_node)
    return all(_same(*_strip(one, two)) for one in gold for two in response)


# matrices and ratios


def _same_matrices(gold: Node, response: Node) -> bool:
    gold, response = _labelled(gold).value, _labelled(response).value
    if gold.op == response.op and gold.op in ("matrix", "det", "cases"):
        rows = list(zip(gold.args, response.args, strict=False))
        same_shape = len(gold.args) == len(response.args) and all(len(one.args) == len(two.args) for one, two in rows)
        return same_shape and all(_same(a, b) for one, two in rows for a, b in zip(one.args, two.args, strict=True))
    return _vector_beside_matrix(gold, response)


def _vector_beside_matrix(gold: Node, response: Node) -> bool:
    """A row or column matrix beside a tuple."""
    ones, twos = _vector(gold), _vector(response)
    return bool(ones and twos) and "matrix" in (gold.op, response.op) and _in_order(ones or [], twos or [])


def _vector(node: Node) -> list[Node] | None:
    if node.op == "seq" and node.name in ("", "()", "[]"):
        return list(node.args)
    if node.op == "matrix" and (len(node.args) == 1 or all(len(row.args) == 1 for row in node.args)):
        return [cell for row in node.args for cell in row.args]
    return None


def _same_ratios(gold: Node, response: Node) -> bool:
    if len(gold.args) != len(response.args):
        return False
    ones = [Node("div", (part, gold.args[0])) for part in gold.args[1:]]
    twos = [Node("div", (part, response.args[0])) for part in response.args[1:]]
    return all(same_value(one, two) for one, two in zip(ones, twos, strict=True))
