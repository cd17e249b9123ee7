r"""Answers in letters and words: several choices, statements by number, truth values, quadrants, what does not exist."""

from random import Random

from tests.collection.strangers.contest.kinds import Made, kind


@kind
def several_letters(r: Random) -> Made:
    a, b, c = sorted(r.sample("ABCD", 3))
    d = next(letter for letter in "ABCD" if letter not in (a, b, c))
    return (
        {"a": a, "b": b, "c": c, "d": d}, "<a><b><c>", frozenset({a, b, c}),
        ["~<a>, <b>, <c>", "~<a>, <b> and <c>", r"\text{<a><b><c>}", "~(<a>), (<b>), (<c>)"],
        [("~<a>, <b>", frozenset({a, b})), ("~<a><b><d>", frozenset({a, b, d})), ("~<a>, <b>, <c>, <d>", frozenset({a, b, c, d})), ("~<d>", frozenset({d}))],
    )  # fmt: skip


@kind
def circled_numbers(r: Random) -> Made:
    marks = "①②③④"
    a, b = sorted(r.sample(range(4), 2))
    c = next(n for n in range(4) if n not in (a, b))
    return (
        {"a": marks[a], "b": marks[b], "c": marks[c]}, "<a><b>", frozenset({a, b}),
        ["~<a><b>", "~<a>, <b>", "~<a> and <b>", r"\text{<a><b>}"],
        [("~<a><c>", frozenset({a, c})), ("~<a>", frozenset({a})), ("~<a><b><c>", frozenset({a, b, c})), ("~<c>", frozenset({c}))],
    )  # fmt: skip


@kind
def roman_statements(r: Random) -> Made:
    a, b = r.choice([("I", "II"), ("I", "III"), ("II", "III")])
    c = next(x for x in ("I", "II", "III") if x not in (a, b))
    return (
        {"a": a, "b": b, "c": c}, r"\text{<a> and <b> only}", frozenset({a, b}),
        ["~<a> and <b> only", "~only <a> and <b>", "~<a> and <b>", r"\text{<a>, <b>}"],
        [("~<a> and <c> only", frozenset({a, c})), ("~<a> only", frozenset({a})), ("~I, II, and III", frozenset({"I", "II", "III"})), ("~none of them", frozenset())],
    )  # fmt: skip


@kind
def true_false_list(r: Random) -> Made:
    v = tuple(r.choice([(True, False, True), (False, True, True), (True, False, False), (False, False, True)]))

    def text(values: tuple[bool, ...], yes: str, no: str, between: str = ", ") -> str:
        return between.join(yes if value else no for value in values)

    w, turned = v[::-1], tuple(not x for x in v)
    if w == v:
        w = (*v[:2], not v[2])
    return (
        {}, rf"\text{{{text(v, 'True', 'False')}}}", v,
        [f"~{text(v, 'True', 'False')}", f"~{text(v, 'T', 'F')}", f"~{text(v, 'true', 'false')}", f"~(1) {'True' if v[0] else 'False'} (2) {'True' if v[1] else 'False'} (3) {'True' if v[2] else 'False'}"],
        [(f"~{text(w, 'True', 'False')}", w), (f"~{text(turned, 'T', 'F')}", turned), (f"~{text(v[:2], 'True', 'False')}", v[:2]), (f"~{text(turned, 'true', 'false')}", turned)],
    )  # fmt: skip


@kind
def quadrant(r: Random) -> Made:
    n = r.randrange(4)
    words, romans, ordinals = (
        ("first", "second", "third", "fourth"),
        ("I", "II", "III", "IV"),
        ("1st", "2nd", "3rd", "4th"),
    )
    m = (n + r.randint(1, 3)) % 4
    return (
        {"w": words[n], "r": romans[n], "o": ordinals[n], "w2": words[m], "r2": romans[m], "o2": ordinals[m]}, r"\text{the <w> quadrant}", n,
        ["~Quadrant <r>", "~the <o> quadrant", "~the <w> quadrant", "~It lies in the <w> quadrant."],
        [("~Quadrant <r2>", m), ("~the <o2> quadrant", m), ("~the <w2> quadrant", m), ("~the <w> or <w2> quadrant", "two")],
    )  # fmt: skip


@kind
def odd_or_even(r: Random) -> Made:
    a, b = r.choice([("odd", "even"), ("even", "odd")])
    return (
        {"a": a, "b": b}, r"\text{<a>}", a,
        ["~an <a> function", "~f is <a>", "~<a>", "~It is an <a> function."],
        [("~an <b> function", b), ("~neither odd nor even", "neither"), ("~f is not <a>", "not"), ("~f is <b>", b)],
    )  # fmt: skip


@kind
def does_not_exist(r: Random) -> Made:
    n = r.randint(0, 5)
    return (
        {"n": n}, r"\text{does not exist}", "none",
        ["~DNE", "~The limit does not exist.", r"\text{The limit does not exist}", "~does not exist"],
        [("<n>", n), (r"\infty", "infinite"), ("~The limit exists.", "some"), ("~The limit is <n>.", n)],
    )  # fmt: skip


@kind
def diverges(r: Random) -> Made:
    n = r.randint(1, 4)
    return (
        {"n": n}, r"\text{diverges}", "div",
        ["~The series diverges.", "~divergent", "~It diverges", "~the series does not converge"],
        [("~converges", "conv"), ("~The series converges to <n>.", n), ("~It converges absolutely", "abs"), ("~does not diverge", "conv")],
    )  # fmt: skip


@kind
def monotone_on(r: Random) -> Made:
    a = r.randint(1, 9)
    return (
        {"a": a, "b": a + 1}, r"\text{increasing on } (<a>,\infty)", ("up", a),
        ["~It is increasing for x > <a>", r"\text{increasing for } x><a>", "~f is increasing on (<a>, ∞)", r"\text{increasing on } (<a>,+\infty)"],
        [(r"\text{decreasing on } (<a>,\infty)", ("down", a)), (r"\text{increasing on } (<b>,\infty)", ("up", a + 1)), (r"\text{increasing on } (-\infty,<a>)", ("up below", a)), ("~f is decreasing on (<a>, ∞)", ("down", a))],
    )  # fmt: skip


@kind
def all_but(r: Random) -> Made:
    a, b = sorted(r.sample(range(2, 9), 2))
    v = frozenset({a, b})
    return (
        {"a": a, "b": b, "c": b + 1}, r"\text{all positive integers except } <a> \text{ and } <b>", v,
        ["~all positive integers n except n = <a> and n = <b>", "~every positive integer except <a> and <b>", r"n\in\mathbb{Z}_{>0}\setminus\{<a>,<b>\}", "~all positive integers other than <a> and <b>"],
        [("~all positive integers except <a>", frozenset({a})), (r"n\in\{<a>,<b>\}", "those"), ("~all positive integers except <a> and <c>", frozenset({a, b + 1})), ("~all positive integers", frozenset())],
    )  # fmt: skip


@kind
def winner_by_parity(r: Random) -> Made:
    a, b = r.sample(["Alice", "Bob"], 2)
    p, q = r.sample(["even", "odd"], 2)
    v = (a, p)
    return (
        {"a": a, "b": b, "p": p, "q": q}, r"\text{<a> wins if and only if } n \text{ is <p>}", v,
        [r"\text{<a> wins iff } n \text{ is <p>}", "~<a> wins if and only if n is <p>.", "~<a> wins exactly when n is <p>", "~<a> wins for <p> n and <b> wins for <q> n"],
        [("~<b> wins if and only if n is <p>.", (b, p)), (r"\text{<a> wins if and only if } n \text{ is <q>}", (a, q)), ("~<a> always wins", (a, "all")), ("~<b> wins for <p> n and <a> wins for <q> n", (a, q))],
    )  # fmt: skip


@kind
def hypotheses(r: Random) -> Made:
    n = r.randint(2, 30) * 5
    return (
        {"n": n, "m": n + 5}, r"H_0:\mu=<n>,\ H_1:\mu><n>", (n, ">"),
        [r"H_0\colon \mu=<n>,\ H_1\colon \mu><n>", r"H_0: \mu = <n>;\ H_1: \mu > <n>", "~H₀: μ = <n>, H₁: μ > <n>", r"H_0:\mu=<n>\text{ and }H_1:\mu><n>"],
        [(r"H_0:\mu=<n>,\ H_1:\mu\neq <n>", (n, "!=")), (r"H_0:\mu=<n>,\ H_1:\mu< <n>", (n, "<")), (r"H_0:\mu=<m>,\ H_1:\mu><m>", (n + 5, ">")), (r"H_0:\mu><n>,\ H_1:\mu=<n>", "turned")],
    )  # fmt: skip
