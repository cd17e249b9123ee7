"""Whether a response's answer is the gold answer: labels, lists, tuples, sets, relations, matrices, values."""

import re

from lecture_math_answer.equal import same_family
from lecture_math_answer.equations import FLIP, consistent, same_equations, solved
from lecture_math_answer.items import (
    brackets_agree,
    distinct,
    have_an_order,
    items,
    kind,
    letters,
    numbered,
    spread,
    unique,
)
from lecture_math_answer.labels import Labelled, arguments_renamed, labelled, parameters_renamed, same_labels, strip
from lecture_math_answer.node import Node, symbols, walk
from lecture_math_answer.number import same_value
from lecture_math_answer.realset import NotASet, real_set, same_set
from lecture_math_answer.shapes import in_unit_vectors
from lecture_math_answer.tidy import BRACKETS, expand, is_bare, member, tidy, without_domain

_ORDER = ("<", ">", "<=", ">=")


def same_answer(gold: Node, response: Node) -> bool:
    """The whole comparison."""
    gold, response = tidy(gold), tidy(response)
    if _other_unknown(gold, response):
        return False
    cores = without_domain(gold), without_domain(response)
    if (cores[0] is gold) != (cores[1] is response):  # where both say it, it must be the same
        gold, response = cores
    gold, response = member(gold), member(response)
    response = arguments_renamed(gold, response)
    if gold == response or _same(gold, response):
        return True
    one, two = labelled(gold).value, labelled(response).value
    others = parameters_renamed(gold, response)
    return any(_same(one, other) or same_family(one, other) for other in others) or same_family(one, two)


def _other_unknown(gold: Node, response: Node) -> bool:
    """``x in S`` beside ``y in S``."""
    names = [
        side.args[0].name.lower() if side.op == "rel" and side.name == "in" and side.args[0].op == "sym" else ""
        for side in (gold, response)
    ]
    return all(names) and names[0] != names[1]


def _same(gold: Node, response: Node) -> bool:
    gold, response = expand(gold), expand(response)
    if gold.op == "matrix":
        response = _matrix_at_end(response)
    if _is_set(gold) or _is_set(response):
        verdict = _same_as_sets(gold, response)
        if verdict is not None:
            return verdict
    if gold.op == "rel" and response.op == "rel":
        return _same_relations(gold, response)
    if gold.op == "seq" or response.op == "seq":
        return _same_sequences(gold, response) or _vector_beside_matrix(gold, response)
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


def _is_set(node: Node) -> bool:
    if node.op in ("union", "inter", "minus", "builder", "set"):
        return True
    if node.op == "rel":
        return any(op in (*_ORDER, "!=") for op in node.name.split())
    if is_bare(node):
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
    if node.op == "builder" and (node.args[0].op == "sym" or all(part.op == "sym" for part in node.args[0].args)):
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


def _one_relation(gold: Node, response: Node) -> bool:
    """A relation on one side only: a name before the value, or an approximation behind it."""
    one, two = labelled(gold), labelled(response)
    if gold.op == "rel" and two.value.op != "seq" and solved(gold, response):
        return True
    if one.value.op != "rel" and two.value.op != "rel":
        return _same(*strip(one, two))
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
        members = consistent(relation)
        if members and gold_side:
            return any(_same(member, other) or same_value(member, other, rough=True) for member in members)
        if members:
            return _same(other, members[0]) or any(
                _same(other, member) for member in members[1:] if any(part.places for part in walk(other))
            )
    return False


def _same_relations(gold: Node, response: Node) -> bool:
    one, two = labelled(gold), labelled(response)
    if one.label is not None and two.label is not None:
        if not same_labels(one.label, two.label):
            return same_equations(gold, response)
        if _same(*strip(one, two)):
            return True
        return same_equations(gold, response)
    if one.label is not None or two.label is not None:
        return bool(
            _chains(one.value, two.value)
            or same_equations(gold, response)
            or solved(gold, response)
            or solved(response, gold)
        )
    chains = consistent(gold), consistent(response)
    if all(chains) and not symbols(gold) and not symbols(response):
        return _same(chains[0][0], chains[1][0])
    return _same_chain(gold, response) or same_equations(gold, response)


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
    if len(operators) > 1 and set(operators) == {"="} == set(gold.name.split()) and symbols(gold):
        return _match_all(list(gold.args), list(response.args))  # what is equal is so in any order
    turned = [FLIP.get(operator, "") for operator in reversed(operators)]
    return gold.name.split() == turned and all(
        _same(one, two) for one, two in zip(gold.args, reversed(response.args), strict=True)
    )


def _same_sequences(gold: Node, response: Node) -> bool:
    named_gold, named_response = spread(gold), spread(response)
    gold_items, response_items = items(named_gold), items(named_response)
    if not gold_items or not response_items:
        return not gold_items and not response_items
    if len(gold_items) == 1 or len(response_items) == 1:
        return _against_single(gold_items, response_items, named_gold, named_response)
    labels = [item.label for item in gold_items], [item.label for item in response_items]
    if distinct(labels[0]) and distinct(labels[1]):
        matched = _by_label(gold_items, response_items)
        if matched is not None:
            return matched
    brackets = kind(named_gold), kind(named_response)
    ones, twos = [item.value for item in gold_items], [item.value for item in response_items]
    if not brackets_agree(*brackets, len(ones)):
        return False
    if brackets[0] in BRACKETS and have_an_order(labels[1]):
        return _in_label_order(gold_items, response_items)
    if brackets[0] in BRACKETS or brackets[1] in BRACKETS:
        return _in_order(ones, twos) or _in_label_order(gold_items, response_items)
    if (
        distinct(labels[0]) != distinct(labels[1])
        and not numbered(labels[0] if distinct(labels[0]) else labels[1])
        and letters(labels[0] if distinct(labels[0]) else labels[1])
    ):
        return _in_order(ones, twos) or _in_label_order(gold_items, response_items)
    if "{}" in brackets:  # a set holds a thing once; a list may say a value twice
        ones, twos = unique(ones), unique(twos)
    if brackets == ("{}", "{}"):  # {1} is a member, and 1 another
        return all(
            _match_all(*([node for node in side if (kind(node) == "{}") is of_sets] for side in (ones, twos)))
            for of_sets in (True, False)
        )
    return _match_all(ones, twos)


def _by_label(gold: list[Labelled], response: list[Labelled]) -> bool | None:
    """Value for value by name; None where the names are not the same names."""
    theirs = {item.label: item.value for item in response}
    mine = {item.label for item in gold}
    if mine != set(theirs):
        return False if _at_numbers(mine) and _at_numbers(set(theirs)) else None
    return all(_same(item.value, theirs[item.label]) for item in gold)


def _at_numbers(labels: set[Node | None]) -> bool:
    """f(1), f(2), f(3): values of one function, each at a number."""
    return len({label.name for label in labels if label}) == 1 and all(
        label is not None and label.op == "app" and len(label.args) == 1 and _is_a_place(label.args[0])
        for label in labels
    )


def _is_a_place(node: Node) -> bool:
    """``1`` of f(1), ``X = 1`` of P(X = 1)."""
    return node.op == "num" or (node.op == "rel" and node.name == "=" and node.args[-1].op == "num")


def _in_label_order(gold: list[Labelled], response: list[Labelled]) -> bool:
    """Names on one side only: in the order of the alphabet."""
    for named, other in ((gold, response), (response, gold)):
        labels = [item.label for item in named]
        if distinct(labels) and letters(labels) and all(item.label is None for item in other):
            ordered = sorted(named, key=lambda item: item.label.name if item.label else "")
            pairs = zip(other, ordered, strict=False) if named is response else zip(ordered, other, strict=False)
            return len(named) == len(other) and all(_same(one.value, two.value) for one, two in pairs)
    return False


def _in_order(ones: list[Node], twos: list[Node]) -> bool:
    return len(ones) == len(twos) and all(_same(one, two) for one, two in zip(ones, twos, strict=True))


def _match_all(ones: list[Node], twos: list[Node]) -> bool:
    """Each of one side is one of the other."""
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


def _against_single(gold: list[Labelled], response: list[Labelled], gold_node: Node, response_node: Node) -> bool:
    """A list beside one value: only where every member is that value (50 cm or 0.5 m), never one of several."""
    if max(len(gold), len(response)) == 1:
        loose = {"", "{}"}
        same_kind = kind(gold_node) == kind(response_node) or {kind(gold_node), kind(response_node)} <= loose
        return same_kind and _same(*strip(gold[0], response[0]))
    if len(gold) == 1 and _is_last_term(gold[0], response):
        return _same(gold[0].value, response[-1].value)
    gold_several, response_several = (distinct([item.label for item in side]) for side in (gold, response))
    if {kind(gold_node), kind(response_node)} - {"", "{}"}:
        return _vector_beside_matrix(gold_node, response_node)
    if (len(gold) > 1 and gold_several and response[0].label) or (
        len(response) > 1 and response_several and gold[0].label
    ):
        return False  # a = 1 beside a = 1 and b = 1
    return all(_same(*strip(one, two)) for one in gold for two in response)


_TERM = re.compile(r"([a-zA-Z])_\{?(\d+)\}?")


def _is_last_term(gold: Labelled, response: list[Labelled]) -> bool:
    """``a_4`` beside ``a_2 = 5, a_3 = 14, a_4 = 41``: terms of one sequence in their order, and it is the last."""
    terms = [_TERM.fullmatch(item.label.name) if item.label is not None else None for item in response]
    if gold.label is None or gold.label != response[-1].label:
        return False
    places = [int(term[2]) for term in terms if term]
    return len({term[1] for term in terms if term}) == 1 and len(places) == len(terms) and places == sorted(set(places))


def _same_matrices(gold: Node, response: Node) -> bool:
    gold, response = labelled(gold).value, labelled(response).value
    if gold.op == response.op and gold.op in ("matrix", "det", "cases"):
        rows = list(zip(gold.args, response.args, strict=False))
        same_shape = len(gold.args) == len(response.args) and all(len(one.args) == len(two.args) for one, two in rows)
        if not same_shape:
            return False
        if gold.op == "cases":
            return _match_all([_row(row) for row in gold.args], [_row(row) for row in response.args])
        return all(_same(a, b) for one, two in rows for a, b in zip(one.args, two.args, strict=True))
    return _vector_beside_matrix(gold, response)


def _matrix_at_end(node: Node) -> Node:
    """``A^{-1} = 2B = M`` as M, unless the chain holds another matrix than M."""
    if node.op != "rel" or set(node.name.split()) != {"="} or node.args[-1].op != "matrix":
        return node
    last = node.args[-1]
    return last if all(_same_matrices(last, part) for part in node.args if part.op == "matrix") else node


def _row(node: Node) -> Node:
    return Node("seq", node.args, name="()")


def _vector_beside_matrix(gold: Node, response: Node) -> bool:
    """A row or column matrix beside a tuple."""
    ones, twos = _vector(gold), _vector(response)
    written = {"matrix", "add", "mul", "neg", "sym"} & {gold.op, response.op}
    return bool(ones and twos and written) and _in_order(ones or [], twos or [])


def _vector(node: Node) -> list[Node] | None:
    if node.op == "seq" and node.name in ("", "()", "[]"):
        items = [labelled(part) for part in node.args]
        if all(item.label is not None and item.label.op == "sym" for item in items):
            items = sorted(items, key=lambda item: item.label.name if item.label else "")
        return [item.value for item in items]
    if node.op in ("add", "mul", "neg", "sym"):
        return in_unit_vectors(node)
    if node.op == "matrix" and (len(node.args) == 1 or all(len(row.args) == 1 for row in node.args)):
        return [cell for row in node.args for cell in row.args]
    return None


def _same_ratios(gold: Node, response: Node) -> bool:
    if len(gold.args) != len(response.args):
        return False
    ones = [Node("div", (part, gold.args[0])) for part in gold.args[1:]]
    twos = [Node("div", (part, response.args[0])) for part in response.args[1:]]
    return all(same_value(one, two) for one, two in zip(ones, twos, strict=True))
