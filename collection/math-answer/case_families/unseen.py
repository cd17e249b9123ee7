r"""A last round, counted once before anybody read a case of it: what the checker did on notations that it had not met."""
# fmt: off
# ruff: noqa: E501 -- one spelling after another reads better on a line

from random import Random

from case_families.listings import two
from case_families.numbers import linear, nonzero, proper
from case_families.registry import Row, family, fill_all


@family("half-plane")
def half_plane(random: Random) -> Row:
    a, b, c = random.randint(2, 5), random.randint(2, 5), random.randint(2, 9)
    values = {"a": a, "b": b, "c": c, "A": 2 * a, "B": 2 * b, "C": 2 * c, "x": c + 1}
    right = fill_all([r"@ax+@by\ge @c", r"@c\le @ax+@by", r"@Ax+@By\geq @C", r"@ax+@by-@c\ge 0", r"-@ax-@by\le -@c", r"@by \geq @c-@ax", r"@by+@ax \geqslant @c"], **values)
    wrong = fill_all([r"@ax+@by>@c", r"@ax+@by\le @c", r"@ax+@by\ge @x", r"@ax-@by\ge @c", r"@ax+@by=@c", r"@ax+@by", r"-@ax-@by\ge -@c"], **values)
    return Row(right[0], right, wrong)


@family("vertical-line")
def vertical_line(random: Random) -> Row:
    place = nonzero(random, -9, 9)
    values = {"a": place, "b": -place, "m": linear(1, -place)}
    right = fill_all(["x=@a", r"\text{the line } x=@a", "@m=0", r"x = @a \text{ (a vertical line)}", "the vertical line x = @a", r"\boxed{x=@a}"], **values)
    wrong = fill_all(["y=@a", "x=@b", "x>@a", "@m", r"\text{the line } y=@a", "x=y"], **values)
    return Row("x=" + str(place), right, wrong)


@family("sum-of-surds")
def sum_of_surds(random: Random) -> Row:
    one, other = random.sample([2, 3, 5, 7], 2)
    p, q = random.randint(2, 6), random.randint(2, 6)
    values = {"a": one, "b": other, "p": p, "q": q, "A": p * p * one, "B": q * q * other, "r": p + 1, "s": p + q, "t": one + other}
    right = fill_all([r"@p\sqrt{@a}+@q\sqrt{@b}", r"@q\sqrt{@b}+@p\sqrt{@a}", r"\sqrt{@A}+\sqrt{@B}", "@p*sqrt(@a)+@q*sqrt(@b)", r"@p\sqrt @a + @q\sqrt @b", "@p√@a+@q√@b", r"@p\cdot @a^{1/2}+@q\cdot @b^{1/2}"], **values)
    wrong = fill_all([r"@r\sqrt{@a}+@q\sqrt{@b}", r"@p\sqrt{@b}+@q\sqrt{@a}" if p != q else "0", r"@s\sqrt{@t}", r"@p\sqrt{@a}-@q\sqrt{@b}", r"@p\sqrt{@a}", r"\sqrt{@A+@B}", r"@p\sqrt{@a}, @q\sqrt{@b}"], **values)
    return Row(right[0], right, wrong)


@family("fractional-power")
def fractional_power(random: Random) -> Row:
    top, bottom = random.choice([(2, 3), (3, 2), (3, 4), (5, 2), (4, 3)])
    values = {"t": top, "b": bottom, "r": top + bottom}
    root = r"\sqrt{x^@t}" if bottom == 2 else r"\sqrt[@b]{x^@t}"
    power = r"(\sqrt{x})^@t" if bottom == 2 else r"\left(\sqrt[@b]{x}\right)^@t"
    right = fill_all([r"x^{@t/@b}", r"x^{\frac{@t}{@b}}", root, power, "x^(@t/@b)", "x**(@t/@b)", r"\frac{1}{x^{-@t/@b}}"], **values)
    wrong = fill_all([r"x^{@b/@t}", r"\frac{x^@t}{@b}", r"x^@t", r"x^{-@t/@b}", r"\sqrt[@t]{x^@b}" if top != 2 else r"\sqrt{x^@b}", r"x^{@r/@b}", "x^@t/@b"], **values)
    return Row(right[1], right, wrong)


@family("decimal-ends")
def decimal_ends(random: Random) -> Row:
    low, high = two(random, -9, 9)
    values = {"a": f"{low}.5", "b": f"{high}.25", "A": f"{2 * low + (1 if low > 0 else -1)}/2", "B": f"{4 * high + (1 if high > 0 else -1)}/4", "c": f"{high}.75"}
    right = fill_all([r"[@a,@b)", r"[@A,@B)", r"@a\le x<@b", r"@A \leq x < @B", r"x\in[@a,@b)", r"\left[@a,\, @b\right)", r"\{x: @A\le x<@B\}"], **values)
    wrong = fill_all([r"(@a,@b)", r"[@a,@b]", r"[@a,@c)", r"@a<x\le @b", r"[@b,@a)", r"x\ge @a", r"@a,@b"], **values)
    return Row(right[0], right, wrong)


@family("measured-things", wraps=False)
def measured_things(random: Random) -> Row:
    one, other = two(random, 3, 60)
    values = {"a": one, "b": other, "x": other + 2}
    right = fill_all(["length @b cm, width @a cm", "@b cm and @a cm", "The length is @b cm and the width is @a cm.", "length: @b cm; width: @a cm", "@b cm, @a cm", r"\text{length } = @b \text{ cm, width } = @a \text{ cm}"], **values)
    wrong = fill_all(["length @x cm, width @a cm", "@b cm", "length @a cm, width @b cm", "@b cm and @x cm", "length @b m, width @a m"], **values)
    return Row(f"length {other} cm, width {one} cm", right, wrong)


@family("checked-afterwards", wraps=False)
def checked_afterwards(random: Random) -> Row:
    one, other = two(random, 4, 60)
    values = {"a": one, "b": other, "t": one + other, "w": one + other + 2}
    right = fill_all([r"So $x=\boxed{@t}$. Check: $@t-@a=@b$, as wanted.", "The answer is @t.\n\nCheck: @t - @b = @a.", "#### @t\n\nVerification: @a + @b = @t, correct.", "**Answer: @t**\n\n*(Check: @t - @a = @b)*", "Answer: @t (we verify that @t - @b = @a)", r"\boxed{@t}" + "\n\nLet me double-check: @a plus @b is @t. Yes.", "Final answer: @t. This took 3 steps."], **values)
    wrong = fill_all([r"So $x=\boxed{@w}$. Check: $@w-@a=@b+2$, and not @t.", "The answer is @w.\n\nCheck: @t - @b = @a.", "#### @w\n\nVerification: @a + @b = @t.", "Answer: @a (we verify that @a + @b = @t)", "Final answer: @w. This took @t steps."], **values)
    return Row(str(values["t"]), right, wrong)


@family("bullets-and-tables", wraps=False)
def bullets(random: Random) -> Row:
    one, other = two(random, 4, 60)
    values = {"a": one, "b": other, "t": one + other, "w": one + other + 3}
    right = fill_all(["- first part: @a\n- second part: @b\n- **total: @t**", "| part | value |\n|---|---|\n| one | @a |\n| two | @b |\n\nTotal: @t", "1. Take @a.\n2. Add @b.\n3. The result is @t.", "* @a + @b = @t\n\nSo the answer is **@t**.", "> The answer is @t.", "Solution:\n\n@a + @b = @t"], **values)
    wrong = fill_all(["- first part: @a\n- second part: @b\n- **total: @w**", "1. Take @a.\n2. Add @b.\n3. The result is @w.", "| one | @a |\n| two | @b |\n\nTotal: @w", "- it may be @t\n- it may be @w", "Solution:\n\n@a + @b = @w"], **values)
    return Row(str(values["t"]), right, wrong)


@family("roots-of-unity")
def roots_of_unity(random: Random) -> Row:
    size = random.randint(1, 5)
    values = {"r": size if size > 1 else "", "n": size, "h": f"{size}/2"}
    right = fill_all([r"@n, -\frac{@n}{2}+\frac{@r\sqrt{3}}{2}i, -\frac{@n}{2}-\frac{@r\sqrt{3}}{2}i", r"@n, \frac{-@n\pm @n i\sqrt{3}}{2}", r"@n, @ne^{2\pi i/3}, @ne^{4\pi i/3}", r"\left\{@n, -\frac{@n}{2}\pm\frac{@n\sqrt{3}}{2}i\right\}", r"z=@n \text{ or } z = \frac{-@n\pm @n\sqrt{3}i}{2}", r"@ne^{\frac{2k\pi i}{3}}, k=0,1,2"], **values)
    wrong = fill_all(["@n", r"@n, \frac{@n\pm @n i\sqrt{3}}{2}", r"@n, -@n", r"\frac{-@n\pm @n i\sqrt{3}}{2}", r"@n, \frac{-@n\pm @n\sqrt{3}}{2}", r"@n, @ne^{\pi i/3}, @ne^{2\pi i/3}"], **values)
    return Row(right[0], right, wrong)


@family("percentage-change", wraps=False)
def percentage_change(random: Random) -> Row:
    share = random.randint(11, 79)
    values = {"p": share, "x": share + 4}
    right = fill_all([r"@p\%", "@p%", "an increase of @p%", "It increased by @p%.", r"\text{a } @p\% \text{ increase}", "@p percent", r"increased by $@p\%$"], **values)
    wrong = fill_all([r"@x\%", "an increase of @x%", "a decrease of @p%", "It decreased by @p%.", r"-@p\%", "@p.5%"], **values)
    return Row(f"an increase of {share}\\%", right, wrong)


@family("powers-of-ten-product")
def powers_of_ten(random: Random) -> Row:
    power, digit = random.randint(6, 12), random.randint(2, 9)
    values = {"k": power, "d": digit, "m": power + 1, "z": "0" * power}
    right = fill_all([r"@d\cdot 10^{@k}", r"@d \times 2^{@k}\times 5^{@k}", "@d@z", r"@d\cdot 2^@k\cdot 5^@k", r"\frac{@d\cdot 10^{@m}}{10}", "@de@k", r"@d(10)^{@k}", r"@d * 10**@k"], **values)
    wrong = fill_all([r"@d\cdot 10^{@m}", r"@d\cdot 7^{@k}", "@d@z0", r"@d+10^{@k}", r"10^{@k}", r"@d\cdot 10^{-@k}", r"(@d\cdot 10)^{@k}"], **values)
    return Row(right[0], right, wrong)


@family("by-parity-of-n")
def by_parity(random: Random) -> Row:
    value = random.randint(2, 9)
    values = {"a": value, "b": value + 1}
    right = fill_all([r"\begin{cases} @an & n \text{ even} \\ n+@a & n \text{ odd} \end{cases}", r"\begin{cases} @an, & \text{if } n \text{ is even} \\ n+@a, & \text{if } n \text{ is odd} \end{cases}", r"\begin{cases} n+@a & \text{if } n \text{ is odd} \\ @an & \text{if } n \text{ is even} \end{cases}", r"a_n=\begin{cases} @an & n \text{ even} \\ @a+n & n \text{ odd} \end{cases}"], **values)
    wrong = fill_all([r"\begin{cases} @an & n \text{ odd} \\ n+@a & n \text{ even} \end{cases}", r"\begin{cases} @bn & n \text{ even} \\ n+@a & n \text{ odd} \end{cases}", "@an", r"n+@a", r"\begin{cases} @an & n \text{ even} \\ n-@a & n \text{ odd} \end{cases}"], **values)
    return Row(right[0], right, wrong)


@family("worded-comparison")
def worded_comparison(random: Random) -> Row:
    top, bottom = proper(random)
    values = {"t": top, "b": bottom, "v": f"{top}/{bottom}", "x": bottom + 1}
    right = fill_all([r"x>\frac{@t}{@b}", r"x > @v", r"\text{all } x \text{ greater than } \frac{@t}{@b}", r"x \text{ is greater than } \frac{@t}{@b}", r"(\frac{@t}{@b}, \infty)", r"\frac{@t}{@b}<x", r"@bx>@t", r"x \in \left(\frac{@t}{@b},+\infty\right)"], **values)
    wrong = fill_all([r"x<\frac{@t}{@b}", r"x\ge\frac{@t}{@b}", r"x>\frac{@t}{@x}", r"x \text{ is less than } \frac{@t}{@b}", r"\frac{@t}{@b}", r"x=\frac{@t}{@b}", r"x \text{ is at least } \frac{@t}{@b}"], **values)
    return Row(right[0], right, wrong)
