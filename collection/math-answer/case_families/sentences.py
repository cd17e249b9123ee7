r"""Answers as sentences and classes: numbers that people describe, gold answers that explain themselves, numbered parts."""
# fmt: off
# ruff: noqa: E501 -- one spelling after another reads better on a line

from random import Random

from case_families.listings import two
from case_families.registry import Row, family, fill_all


@family("permutations")
def permutations(random: Random) -> Row:
    one, other = random.sample(range(1, 9), 2)
    values = {"a": one, "b": other, "c": other + 9}
    right = fill_all(["(@a,@a,@b),(@a,@b,@a),(@b,@a,@a)", r"(@b,@a,@a) \text{ and its permutations}", r"(@a,@a,@b) \text{ and all permutations}", r"\{(@b,@a,@a),(@a,@a,@b),(@a,@b,@a)\}", r"(@a,@a,@b) \text{ and permutations thereof}", r"(@a, @a, @b) \text{ and its cyclic permutations}", r"(@a,@b,@a) \text{ and any permutation of it}"], **values)
    wrong = fill_all(["(@a,@a,@b)", "(@a,@a,@b),(@b,@a,@a)", r"(@a,@b,@b) \text{ and its permutations}", r"(@a,@a,@c) \text{ and all permutations}", "(@a,@b)", r"(@a,@a,@b),(@a,@b,@a),(@b,@a,@a),(@a,@a,@a)"], **values)
    return Row(right[random.randrange(3)], right, wrong)


@family("powers-described", wraps=False)
def powers_described(random: Random) -> Row:
    base = random.choice([2, 3, 5, 10])
    values = {"b": base, "w": {2: "two", 3: "three", 5: "five", 10: "ten"}[base], "c": base + 1}
    right = fill_all(["n=@b^k", r"n = @b^k, k\ge 0", "all powers of @b", "powers of @w", "n is a power of @b", r"\text{all powers of } @b", r"n = @b^m \text{ for a nonnegative integer } m", r"@b^k", "n must be a power of @w."], **values)
    wrong = fill_all(["n=@c^k", "all powers of @c", "n=@bk", "multiples of @b", "n=k^@b", "n is not a power of @b", "@b", "all perfect squares", "n=@b^k+1"], **values)
    return Row(random.choice([f"n={base}^k", f"all powers of {base}", f"\\text{{powers of }} {base}"]), right, wrong)


@family("squares-described", wraps=False)
def squares_described(random: Random) -> Row:
    word, power, other = random.choice([("perfect squares", 2, "perfect cubes"), ("perfect cubes", 3, "perfect squares")])
    values = {"w": word, "p": power, "o": other, "q": 5 - power, "s": word[:-1]}
    right = fill_all(["n=k^@p", "all @w", "the @w", "n is a @s", r"n = m^@p, m\in\mathbb{N}", r"\text{@w}", "@w", r"n=k^@p \text{ for some integer } k", "n must be a @s."], **values)
    wrong = fill_all(["n=k^@q", "all @o", "n=@pk", "n is not a @s", "n=@p^k", "n=k^@p+1", "all integers", "all primes"], **values)
    return Row(random.choice([f"n=k^{power}", f"all {word}"]), right, wrong)


@family("number-sets-described", wraps=False)
def number_sets_described(random: Random) -> Row:
    rows = [
        (r"\mathbb{Z}", ["all integers", r"x \in \mathbb{Z}", "any integer", "the set of integers", r"\text{all integers}", "every integer"], [r"\mathbb{N}", r"\mathbb{R}", "all even integers", "all positive integers", r"\mathbb{Q}", "no integers"]),
        (r"(0,\infty)", ["all positive real numbers", "x>0", r"\mathbb{R}^+", r"\mathbb{R}_{>0}", "all positive reals", r"\text{all } x>0", "x is positive"], [r"[0,\infty)", "all real numbers", "x<0", "all positive integers", r"x\ge 0", "all nonnegative real numbers"]),
        (r"[0,\infty)", ["all nonnegative real numbers", r"x \ge 0", r"\mathbb{R}_{\ge 0}", "all non-negative reals", "x is nonnegative"], [r"(0,\infty)", "all real numbers", "x>0", "all positive real numbers", r"\mathbb{R}"]),
        (r"\mathbb{Z}^+", ["all positive integers", r"n \in \mathbb{Z}^+", r"n\ge 1", r"\{1,2,3,\ldots\}", "every positive integer n", r"\text{all positive integers } n", r"\mathbb{Z}_{>0}"], ["all integers", r"\mathbb{Z}", r"n \ge 2", "all nonnegative integers", "all primes", "all positive real numbers"]),
    ]
    gold, right, wrong = random.choice(rows)
    return Row(random.choice([gold, right[0]]), [gold, *right], wrong)


@family("sentence-gold", wraps=False)
def sentence_gold(random: Random) -> Row:
    value = random.randint(7, 90)
    gold = random.choice(["The minimum number is @v.", "The area of the triangle is @v square units.", "There are @v such numbers.", "The largest possible value is @v", "It takes @v minutes.", "The answer is @v.", r"\text{The maximum is } @v", "At least @v moves are needed."])
    values = {"v": value, "w": value + 2}
    right = fill_all(["@v", r"\boxed{@v}", "The answer is @v.", "x=@v", "There are @v.", r"$@v$", "Therefore the value is @v."], **values)
    wrong = fill_all(["@w", r"\boxed{@w}", "The answer is @w.", "-@v", "@v or @w", "@v.5", "not @v"], **values)
    return Row(fill_all([gold], **values)[0], right, wrong)


@family("explained-gold")
def explained_gold(random: Random) -> Row:
    value = random.randint(7, 90)
    values = {"v": value, "w": value + 2, "a": value - 3, "b": 3}
    gold = random.choice([r"@v \text{ (when } x=2)", r"@v, \text{ attained at } x=0", r"@a+@b=@v", r"@v \text{ (minimum)}", r"x=@v \text{ (double root)}", r"@v \text{, where equality holds for } a=b=1"])
    right = fill_all(["@v", "x=@v", r"@v \text{ (when } x=2)", "@a+@b=@v", r"@v \text{ at } x=0"], **values)
    wrong = fill_all(["@w", "2", "0", "x=@w", "@v, 2", "@a", r"@w \text{ (when } x=2)", "-@v"], **values)
    return Row(fill_all([gold], **values)[0], right, wrong)


@family("numbered-parts", wraps=False)
def numbered_parts(random: Random) -> Row:
    one, other = two(random, 2, 60)
    values = {"a": one, "b": other, "c": other + 1}
    right = fill_all(["(1) @a; (2) @b", "(a) @a (b) @b", "@a, @b", "Part 1: @a, Part 2: @b", "(i) @a, (ii) @b", "1. @a\n2. @b", "a) @a b) @b", r"\boxed{@a} and \boxed{@b}", r"(a) \boxed{@a} (b) \boxed{@b}", "(1) @a (2) @b", "Part (a): @a; Part (b): @b", r"\text{(a) } @a \quad \text{(b) } @b"], **values)
    wrong = fill_all(["(1) @a; (2) @c", "@a", "@b", "(a) @c (b) @a", r"\boxed{@b}", "(1) @a (2) @a", "@a, @c", "(1) @a; (2) @b; (3) @c"], **values)
    return Row(fill_all([random.choice(["(1) @a; (2) @b", "(a) @a (b) @b", "@a, @b"])], **values)[0], right, wrong)


@family("longer-yes-no", wraps=False)
def longer_yes_no(random: Random) -> Row:
    gold, right, wrong = random.choice([
        ("Yes, it is possible.", ["Yes", "yes, it is possible", "It is possible.", r"\text{Yes}", "possible", "Yes, they can."], ["No", "It is not possible.", "impossible", "No, it is impossible", "maybe"]),
        ("No, it is impossible.", ["No", "It is impossible.", "impossible", "It is not possible.", r"\text{No}", "no, this cannot be done"], ["Yes", "It is possible.", "possible", "Yes, it is", "maybe"]),
        ("True", ["true", "The statement is true.", "Yes", r"\text{True}", "It is true.", "correct"], ["False", "The statement is false.", "It is not true.", "No", "neither"]),
        ("False", ["false", "The statement is false.", "No", r"\text{False}", "It is not true.", "incorrect"], ["True", "The statement is true.", "It is not false.", "Yes", "both"]),
    ])
    return Row(gold, [gold, *right], wrong)


@family("quantity-words", wraps=False)
def quantity_words(random: Random) -> Row:
    tenths = random.choice([15, 25, 35, 12, 18, 24, 36])
    whole = tenths * 100_000
    values = {"m": f"{tenths / 10}", "v": whole, "c": f"{whole:,}", "k": whole // 1000, "x": f"{(tenths + 1) / 10}"}
    right = fill_all(["@v", "@c", "@m million", r"@m \times 10^6", "@k thousand", r"@m \text{ million}", "@m million people", "The population is @c."], **values)
    wrong = fill_all(["@x million", "@m billion", "@m thousand", "@m", "@k", r"@m \times 10^5", "@c,000"], **values)
    return Row(random.choice([str(whole), f"{values['m']} million"]), right, wrong)


@family("strings-of-letters", wraps=False)
def strings_of_letters(random: Random) -> Row:
    letters = random.sample("PQRSTUVW", 4)
    text, turned = "".join(letters), "".join(letters[::-1])
    swapped = "".join([letters[1], letters[0], *letters[2:]])
    values = {"t": text, "r": turned, "s": swapped, "c": ", ".join(letters), "h": text[:3]}
    return Row(text, fill_all(["@t", r"\text{@t}", r"\boxed{@t}", "The order is @t.", r"\mathrm{@t}", "**@t**"], **values), fill_all(["@r", "@s", r"\text{@s}", "@h", r"\boxed{@r}", "The order is @s."], **values))


@family("condition-behind")
def condition_behind(random: Random) -> Row:
    number = random.randint(2, 9)
    values = {"a": number, "b": number + 1}
    right = fill_all([r"f(x)=x^@a \text{ for all } x\in\mathbb{R}", "f(x)=x^@a", r"f(x)=x^@a \text{ for every real } x", r"f(x) = x^@a, \forall x \in \mathbb{R}", r"f(x)=x^{@a} \ (x \in \mathbb{R})", r"f(x) = x^@a \text{ for all real numbers } x", "the function f(x)=x^@a", r"f(t)=t^@a \text{ for all } t", r"f: \mathbb{R} \to \mathbb{R}, f(x) = x^@a"], **values)
    wrong = fill_all([r"f(x)=x^@b \text{ for all } x", "f(x)=@ax", r"f(x)=x^@a+1 \text{ for all } x \in \mathbb{R}", "x", r"f(x)=x^@a \text{ and } f(x)=0", r"f(x)=-x^@a \text{ for every } x", r"f(@a)=x"], **values)
    return Row(right[random.randrange(2)], right, wrong)


@family("geometry-names")
def geometry_names(random: Random) -> Row:
    value = random.randint(5, 70)
    values = {"v": value, "w": value + 1}
    right = fill_all(["@v", "AB=@v", r"|AB| = @v", r"\overline{AB}=@v", r"S_{\triangle ABC}=@v", r"\text{Area} = @v", r"[ABC]=@v", r"m\angle ABC = @v^\circ", r"\angle A=@v^\circ", r"AB + BC = @v", r"\text{Area of } ABC = @v \text{ square units}", r"V = @v\text{ cm}^3", r"\|v\| = @v", r"AB \cdot CD = @v", r"BC^2 = @v", r"x+y+z=@v", r"\frac{AB}{CD}=@v"], **values)
    wrong = fill_all(["AB=@w", r"[ABC]=@w", r"\angle A=@w^\circ", r"\text{Area} = @w", "AB", r"@v AB", r"AB > @v", r"\frac{AB}{@v}"], **values)
    return Row(str(value), right, wrong)


@family("both-orders")
def both_orders(random: Random) -> Row:
    low, high = two(random, 2, 40)
    values = {"a": low, "b": high, "c": high + 1}
    right = fill_all(["(@a,@b),(@b,@a)", r"(@a,@b) \text{ and } (@b,@a)", r"(@b,@a),(@a,@b)", r"\{(@a,@b),(@b,@a)\}", r"(x,y)=(@a,@b),(@b,@a)", r"(@a,@b) \text{ or } (@b,@a)", r"(@a, @b) \text{ and its permutations}"], **values)
    wrong = fill_all(["(@a,@b)", "(@b,@a)", r"\{@a,@b\}", "(@a,@c),(@c,@a)", "(@a,@a),(@b,@b)", "@a,@b"], **values)
    return Row(right[0], right, wrong)
