r"""Expressions, equations and functions: the same thing rearranged, and near misses."""
# fmt: off
# ruff: noqa: E501 -- one spelling after another reads better on a line

from random import Random

from case_families.numbers import linear, nonzero, proper
from case_families.registry import Row, family, fill_all


@family("quadratic-forms")
def quadratic_forms(random: Random) -> Row:
    one, other = random.sample([value for value in range(-7, 8) if value], 2)
    while one == -other:
        one, other = random.sample([value for value in range(-7, 8) if value], 2)
    values = {"f": linear(1, one), "g": linear(1, other), "s": f"{one + other:+d}", "p": f"{one * other:+d}", "q": f"{one * other + 1:+d}", "n": f"{-one - other:+d}", "a": one + other }
    right = fill_all(["(@f)(@g)", "x^2@sx@p", "(@g)(@f)", "x^{2}@sx@p", r"x(x@s)@p", "x²@sx@p", "x^2 @p @sx", "x*x@s*x@p", r"\left(@f\right)\left(@g\right)", r"(@f) \cdot (@g)", "-(@f)(-(@g))", r"P(x) = x^2@sx@p", "x**2@s*x@p", "y = (@f)(@g)"], **values)
    wrong = fill_all(["x^2@nx@p", "x^2@sx@q", "(@f)^2", "x^2@sx", "x^3@sx@p", "(@f)+(@g)", "y^2@sy@p", "-x^2@sx@p", "(@f)(@g)+1", "(@f)(@g) = 1"], **values)
    return Row(random.choice(right[:2]), right, wrong)


@family("rational-expression")
def rational_expression(random: Random) -> Row:
    one, other = random.sample([1, 2, 3, 4, 5, 6], 2)
    values = {"a": one, "b": other, "s": one + other, "p": one * other, "d": other - one, "w": f"{other - one:+d}"[1:] if other > one else f"({other - one})" }
    right = fill_all([r"\frac{1}{x+@a}+\frac{1}{x+@b}", r"\frac{2x+@s}{(x+@a)(x+@b)}", r"\frac{2x+@s}{x^2+@sx+@p}", "(2x+@s)/((x+@a)(x+@b))", r"\frac{x+@a+x+@b}{(x+@b)(x+@a)}", r"(x+@a)^{-1}+(x+@b)^{-1}", r"\dfrac{2x + @s}{(x + @a)(x + @b)}", "1/(x+@a) + 1/(x+@b)", r"\frac{-2x-@s}{-(x+@a)(x+@b)}"], **values)
    wrong = fill_all([r"\frac{2}{2x+@s}", r"\frac{1}{x+@a}-\frac{1}{x+@b}", r"\frac{2x+@p}{(x+@a)(x+@b)}" if one + other != one * other else "1", r"\frac{1}{(x+@a)(x+@b)}", "1/x+@a + 1/x+@b", r"\frac{2x-@s}{(x+@a)(x+@b)}", r"\frac{2x+@s}{x^2+@sx-@p}", r"\frac{(x+@a)(x+@b)}{2x+@s}"], **values)
    return Row(right[random.randrange(2)], right, wrong)


@family("line-equation")
def line_equation(random: Random) -> Row:
    slope, constant = random.randint(2, 7), nonzero(random, -9, 9)
    values = {"l": linear(slope, constant), "m": slope, "n": linear(-slope, constant), "c": constant, "k": f"{constant:+d}", "j": f"{-constant:+d}", "d": 2 * slope, "e": f"{2 * constant:+d}", "x": linear(slope + 1, constant), "r": linear(slope, -constant) }
    right = fill_all(["y = @l", "y=@l", "@mx - y @k = 0", "y - @mx = @c", "@mx-y=@j" if constant < 0 else "y @j = @mx", "@dx - 2y @e = 0", "y @j=@mx", "@l = y", "-y + @mx @k=0", "0 = @mx-y@k", r"y = @c + @mx", r"\frac{y@j}{@m}=x", r"y - (@c) = @m(x-0)"], **values)
    wrong = fill_all(["y = @n", "y=@x", "y=@r", "x = @my@k", "@mx + y @k = 0", "@l > y", "y=@c", "@m", "@l = 0", "0", "y^2 = @l"], **values)
    return Row(random.choice(["y=@l", "@mx-y@k=0"]) .replace("@l", values["l"]) .replace("@m", str(slope)) .replace("@k", values["k"]), right, wrong)


@family("circle-equation")
def circle_equation(random: Random) -> Row:
    a, b, r = random.randint(1, 6), random.randint(1, 6), random.randint(2, 7)
    while a * a + b * b == r * r or a == b:
        a, b, r = random.randint(1, 6), random.randint(1, 6), random.randint(2, 7)
    values = {"a": a, "b": b, "r": r, "s": r * r, "A": 2 * a, "B": 2 * b, "k": f"{a * a + b * b - r * r:+d}", "q": f"{a * a + b * b + r * r:+d}" }
    right = fill_all(["(x-@a)^2+(y+@b)^2=@s", "(x-@a)^2 + (y+@b)^2 = @r^2", "x^2+y^2-@Ax+@By@k=0", "(y+@b)^2+(x-@a)^2=@s", r"\left(x-@a\right)^{2}+\left(y+@b\right)^{2}=@s", "@s=(@a-x)^2+(-@b-y)^2", "(x - @a)² + (y + @b)² = @s", r"x^{2}-@Ax+y^{2}+@By@k=0", r"\frac{(x-@a)^2}{@s}+\frac{(y+@b)^2}{@s}=1"], **values)
    wrong = fill_all(["(x+@a)^2+(y-@b)^2=@s", "(x-@a)^2+(y+@b)^2=@r", "(x-@b)^2+(y+@a)^2=@s", "x^2+y^2-@Ax+@By@q=0", "(x-@a)^2-(y+@b)^2=@s", "(x-@a)^2+(y+@b)^2", "@r", "(x-@a)^2+(y+@b)^2<@s", "(x-@a)^2+(y+@b)^2=1"], **values)
    return Row(right[0], right, wrong)


@family("conic-equation")
def conic_equation(random: Random) -> Row:
    a, b = random.sample([2, 3, 4, 5, 6, 7], 2)
    values = {"a": a * a, "b": b * b, "p": a * a * b * b, "x": a * a + 1}
    right = fill_all([r"\frac{x^2}{@a}+\frac{y^2}{@b}=1", "@bx^2+@ay^2=@p", r"\frac{y^{2}}{@b}+\frac{x^{2}}{@a}=1", "x^2/@a + y^2/@b = 1", r"\dfrac{x^2}{@a} + \dfrac{y^2}{@b} = 1", r"@b x^2 + @a y^2 - @p = 0", r"1-\frac{x^2}{@a}=\frac{y^2}{@b}"], **values)
    wrong = fill_all([r"\frac{x^2}{@b}+\frac{y^2}{@a}=1", r"\frac{x^2}{@a}-\frac{y^2}{@b}=1", "@ax^2+@by^2=@p", r"\frac{x^2}{@x}+\frac{y^2}{@b}=1", "1", r"\frac{x^2}{@a}+\frac{y^2}{@b}=0", r"\frac{x}{@a}+\frac{y}{@b}=1"], **values)
    return Row(right[0], right, wrong)


@family("function-names")
def function_names(random: Random) -> Row:
    slope, constant = random.randint(2, 9), nonzero(random, -9, 9)
    values = {"l": linear(slope, constant), "t": linear(slope, constant, "t"), "n": linear(slope, constant, "n"), "m": slope, "c": constant, "z": linear(slope, -constant), "s": linear(-slope, constant), "y": linear(slope, constant, "y"), "j": f"{constant:+d}" }
    right = fill_all(["f(x)=@l", "@l", "f(t)=@t", "y=@l", r"f: x \mapsto @l", r"f(x) = @c+@mx \text{ for all } x", r"f(n) = @n", "f(x)=@l for all real x", r"f(x) = @l, \; x \in \mathbb{R}", r"f(x) \equiv @l", r"\boxed{f(x)=@l}", r"f(y) = @y", r"f(x) = @l \text{ for all } x \in \mathbb{R}", r"\text{The only solution is } f(x)=@l"], **values)
    wrong = fill_all(["f(x)=@z", "f(x)=@s", "f(x)=x", "@m", "f(x)=@l, f(x)=0", "f(x)=@l+x", r"f(x)=@l \text{ or } f(x)=x", "f(x)=@c", "f(x)=@mx", "f(@m)=@c"], **values)
    return Row(f"f(x)={values['l']}", right, wrong)


@family("several-functions")
def several_functions(random: Random) -> Row:
    one, other = random.randint(1, 9), random.randint(2, 9)
    values = {"a": one, "b": other, "x": one + 1}
    right = fill_all([r"f(x)=0, f(x)=@bx+@a", r"f(x)=@bx+@a \text{ and } f(x)=0", r"f(x)=0 \text{ or } f(x)=@a+@bx", r"f(x) = 0 \text{ for all } x, \text{ and } f(x) = @bx+@a \text{ for all } x", r"f(t)=@bt+@a, f(t)=0", r"f \equiv 0 \text{ and } f(x)=@bx+@a", r"f(x)=@bx+@a; f(x)=0"], **values)
    wrong = fill_all(["f(x)=@bx+@a", "f(x)=0", "f(x)=0, f(x)=@bx+@x", "f(x)=@a, f(x)=@bx", "f(x)=0, f(x)=@bx-@a", "f(x)=0, f(x)=@bx+@a, f(x)=x"], **values)
    return Row(right[0], right, wrong)


@family("free-constant")
def free_constant(random: Random) -> Row:
    power = random.randint(2, 5)
    values = {"p": power, "q": power + 1, "r": power - 1}
    right = fill_all(["f(x)=cx^@p", "f(x)=kx^@p", r"f(x)=ax^@p \text{ for any constant } a", r"f(x)=c x^{@p}, c \in \mathbb{R}", r"f(x)=kx^{@p}, \text{ where } k \text{ is a real constant}", r"f(x) = C x^@p", r"f(x) = \lambda x^{@p}", r"f(t)=ct^@p"], **values)
    wrong = fill_all(["f(x)=cx^@q", "f(x)=cx^@p+1", "f(x)=x^@p", "f(x)=cx", "f(x)=c+x^@p", "f(x)=c", "f(x)=cx^@p+d", "f(x)=2x^@p"], **values)
    return Row(f"f(x)=cx^{power}", right, wrong)


@family("sequence-formula")
def sequence_formula(random: Random) -> Row:
    base, extra = random.randint(2, 5), random.randint(1, 7)
    values = {"b": base, "c": extra, "d": base + 1, "e": extra + 1}
    right = fill_all(["a_n = @b^n-@c", "@b^n - @c", r"a_n=@b\cdot @b^{n-1}-@c", "a_{n}=@b^{n}-@c", r"a_n = -@c+@b^n", r"a_n = @b^n-@c, n \ge 1", r"a_n = @b^n-@c \text{ for all } n \in \mathbb{N}", r"\{a_n\} = @b^n-@c", "a(n) = @b^n - @c", r"a_n = \frac{@b^{n+1}}{@b}-@c", r"a_k = @b^k-@c"], **values)
    wrong = fill_all(["a_n = @b^n+@c", "a_n=@b^{n-1}-@c", "a_n = @d^n-@c", "a_n = n^@b-@c", "a_n=@bn-@c", "@b^n-@e", "a_n = @b^{n-@c}", "@b^n", "a_n = -@b^n-@c"], **values)
    return Row(f"a_n={base}^n-{extra}", right, wrong)


@family("letters-matter")
def letters_matter(random: Random) -> Row:
    one, other, third = random.sample(["a", "b", "c", "m", "p", "q", "r"], 3)
    number = random.randint(2, 9)
    values = {"a": one, "b": other, "c": third, "k": number, "j": number + 1}
    right = fill_all([r"\frac{@a+@b}{@k}", r"\frac{@b+@a}{@k}", r"\frac{1}{@k}(@a+@b)", "(@a+@b)/@k", r"\frac{@a}{@k}+\frac{@b}{@k}", r"\frac{1}{@k}@a+\frac{1}{@k}@b", r"\frac{-@a-@b}{-@k}", r"\dfrac{@a + @b}{@k}", r"\tfrac1@k(@a+@b)"], **values)
    wrong = fill_all([r"\frac{@a+@c}{@k}", r"\frac{@a-@b}{@k}", r"\frac{@a@b}{@k}", r"\frac{@a+@b}{@j}", r"@a+\frac{@b}{@k}", r"\frac{@k}{@a+@b}", r"\frac{@a}{@k}", "@a+@b/@k", r"\frac{@a+@b+@c}{@k}", r"\frac{x+y}{@k}"], **values)
    return Row(fill_all([r"\frac{@a+@b}{@k}"], **values)[0], right, wrong)


@family("trigonometric-identity")
def trigonometric_identity(random: Random) -> Row:
    number = random.randint(2, 5)
    values = {"k": number, "d": 2 * number}
    right = fill_all([r"\sin @dx", r"2\sin @kx\cos @kx", r"\sin(@dx)", r"2\sin(@kx)\cos(@kx)", "2 sin(@kx) cos(@kx)", r"2\cos @kx \sin @kx", r"\cos(\frac{\pi}{2}-@dx)", r"-\sin(-@dx)", r"\frac{2\tan @kx}{1+\tan^2 @kx}", r"\sin\left(@d x\right)"], **values)
    wrong = fill_all([r"\cos @dx", r"\sin @kx", r"2\sin @dx", r"\sin^2 @kx", r"\sin @kx\cos @kx", r"\sin @d", r"\sin(@d+x)", r"\sin @dy", r"-\sin @dx", r"2\sin @kx+\cos @kx"], **values)
    return Row(right[random.randrange(2)], right, wrong)


@family("exponent-identity")
def exponent_identity(random: Random) -> Row:
    number = random.randint(2, 6)
    values = {"k": number, "j": number + 1}
    right = fill_all([r"e^{@kx}", r"(e^x)^{@k}", r"\exp(@kx)", r"e^{@k x}", r"\left(e^{x}\right)^@k", r"\frac{1}{e^{-@kx}}", r"e^{x} \cdot e^{(@k-1)x}", r"\mathrm{e}^{@kx}", "e^(@kx)", "exp(@kx)", r"\text{e}^{@kx}"], **values)
    wrong = fill_all([r"e^{@jx}", r"@ke^{x}", r"e^{x^@k}", r"e^{-@kx}", r"e^@k x", r"e^{@k}+x", r"@k^{x}", r"e^{@ky}", r"x^{@k}", r"e^{@k+x}"], **values)
    return Row(right[0], right, wrong)


@family("chained-equality")
def chained_equality(random: Random) -> Row:
    one, other = random.randint(3, 30), random.randint(3, 30)
    other += other == one
    total = one + other
    values = {"a": one, "b": other, "t": total, "x": total + 1}
    right = fill_all(["x = @a+@b = @t", "@a+@b=@t", r"S = @a + @b = @t", r"x+y = @a+@b = @t", "@t = @a + @b", r"N = @t = @a+@b", r"@a + @b = \boxed{@t}", r"\text{Total} = @a + @b = @t", r"@t=@t"], **values)
    wrong = fill_all(["@a+@b=@x", "x=@a+@b=@x", "@t=@x", "@a = @t", "@x=@t", "x = @t = @x", "@a+@t=@b", "@t+1", r"@t \ne @t", "@a+@b=@t=@x"], **values)
    return Row(str(total), right, wrong)


@family("piecewise")
def piecewise(random: Random) -> Row:
    a, b = random.sample(range(2, 9), 2)
    values = {"a": a, "b": b, "x": b + 10}
    right = fill_all([r"\begin{cases} x+@a, & x>0 \\ -@bx, & x \le 0 \end{cases}", r"f(x)=\begin{cases} @a+x & \text{if } x > 0 \\ -@bx & \text{if } x \leq 0 \end{cases}", r"\begin{cases} -@bx & x \le 0 \\ x+@a & x > 0 \end{cases}", r"\left\{\begin{array}{ll} x+@a, & x>0, \\ -@bx, & x\le 0. \end{array}\right.", r"\begin{cases} x+@a & \text{for } x > 0, \\ -@bx & \text{for } x \leqslant 0. \end{cases}"], **values)
    wrong = fill_all([r"\begin{cases} x+@a, & x \le 0 \\ -@bx, & x > 0 \end{cases}", r"\begin{cases} x-@a, & x>0 \\ -@bx, & x \le 0 \end{cases}", r"\begin{cases} x+@a, & x\ge 0 \\ -@bx, & x < 0 \end{cases}", "x+@a", r"\begin{cases} x+@a, & x>0 \\ -@xx, & x \le 0 \end{cases}", "-@bx"], **values)
    return Row(right[0], right, wrong)


@family("absolute-values")
def absolute_values(random: Random) -> Row:
    number = random.randint(2, 12)
    values = {"a": number, "b": number + 1}
    right = fill_all(["|x-@a|", "|@a-x|", r"\lvert x-@a \rvert", r"\left|x-@a\right|", r"\sqrt{(x-@a)^2}", r"\mid x - @a \mid", r"|-(x-@a)|", "abs(x-@a)", r"\lvert @a - x\rvert", r"\vert x-@a \vert"], **values)
    wrong = fill_all(["x-@a", "|x+@a|", "|x|-@a", "|x-@b|", "-|x-@a|", r"\sqrt{x-@a}", "@a-x", "|y-@a|", "|x-@a|+1"], **values)
    return Row(right[0], right, wrong)


@family("implicit-curve")
def implicit_curve(random: Random) -> Row:
    number = random.randint(2, 15)
    values = {"a": number, "b": number + 1}
    right = fill_all(["xy=@a", r"y=\frac{@a}{x}", "y = @a/x", "yx = @a", r"x = \frac{@a}{y}", "xy - @a = 0", r"x \cdot y = @a", r"y=@ax^{-1}"], **values)
    wrong = fill_all(["xy=@b", "y=@ax", "y=x/@a", r"\frac{@b}{x}", "x+y=@a", "@a", "xy=-@a", "x^2y=@a", "xy"], **values)
    return Row(f"xy={number}", right, wrong)


@family("antiderivative")
def antiderivative(random: Random) -> Row:
    power = random.randint(3, 7)
    values = {"p": power, "q": power + 1}
    right = fill_all([r"\frac{x^@p}{@p}+C", r"\frac{1}{@p}x^{@p}+c", "x^@p/@p + C", r"C+\frac{x^{@p}}{@p}", r"\frac{x^@p}{@p}+C, C\in\mathbb{R}", r"\dfrac{x^@p}{@p} + K", r"\frac{x^@p}{@p}+\text{C}", r"\frac{x^@p}{@p} + \text{constant}"], **values)
    wrong = fill_all([r"\frac{x^@q}{@q}+C", r"\frac{x^@p}{@q}+C", r"@px^{@p}+C", r"x^@p+C", r"-\frac{x^@p}{@p}+C", r"\frac{x^@p}{@p}+x+C", "C"], **values)
    return Row(right[0], right, wrong)


@family("sums-and-products")
def sums_and_products(random: Random) -> Row:
    last = random.randint(6, 20)
    total = last * (last + 1) // 2
    values = {"n": last, "t": total, "m": last + 1, "x": total + 1}
    right = fill_all(["@t", r"\frac{@n \cdot @m}{2}", r"\sum_{k=1}^{@n} k", r"1+2+\cdots+@n", r"\frac{@n(@m)}{2}", r"\binom{@m}{2}", r"\sum_{i=1}^{@n} i = @t", r"\sum\limits_{k=1}^{@n}k", r"\frac{@n\times @m}{2} = @t"], **values)
    wrong = fill_all(["@x", r"\frac{@n}{2}", r"\sum_{k=1}^{@m} k", r"\frac{@n \cdot @m}{3}", r"\binom{@n}{2}", "@n(@m)", r"\prod_{k=1}^{@n} k", r"1+2+\cdots+@m"], **values)
    return Row(str(total), right, wrong)


@family("dots-expression")
def dots_expression(random: Random) -> Row:
    letter = random.choice(["a", "b", "x", "p"])
    values = {"a": letter}
    right = fill_all([r"@a_1+@a_2+\cdots+@a_n", r"@a_1 + @a_2 + \ldots + @a_n", r"@a_n+@a_{n-1}+\cdots+@a_1", r"@a_{1}+@a_{2}+\dots+@a_{n}", "@a_1+@a_2+...+@a_n", r"(@a_1+@a_2+\cdots+@a_n)"], **values)
    wrong = fill_all([r"@a_1+@a_2+\cdots+@a_{n-1}", r"@a_1@a_2\cdots @a_n", r"@a_1-@a_2+\cdots+@a_n", "@a_n", r"@a_0+@a_1+\cdots+@a_n", r"@a_1+@a_2+\cdots+@a_m"], **values)
    return Row(right[0], right, wrong)


@family("fraction-of-symbols")
def fraction_of_symbols(random: Random) -> Row:
    top, bottom = proper(random)
    values = {"t": top if top > 1 else "", "n": top, "b": bottom, "c": bottom + 1, "d": 2 * bottom, "e": 2 * top}
    right = fill_all([r"\frac{@t\pi a^2}{@b}", r"\frac{@n}{@b}\pi a^2", r"\frac{@n\pi}{@b}a^{2}", r"@n\pi a^2/@b", r"\frac{@e}{@d}a^2\pi", r"\dfrac{@t\pi a^2}{@b}", r"\tfrac{@n}{@b} π a²", r"\frac{@n \pi \cdot a^{2}}{@b}", r"\frac{@n}{@b} \cdot \pi \cdot a \cdot a"], **values)
    wrong = fill_all([r"\frac{@t\pi a}{@b}", r"\frac{@n}{@b} a^2", r"\frac{@t\pi a^2}{@c}", r"\frac{@n}{@b}\pi^2 a^2", r"\frac{@n}{@b}\pi b^2", r"-\frac{@n}{@b}\pi a^2", r"\frac{@b}{@n}\pi a^2", r"\frac{@n}{@b}\pi a^3"], **values)
    return Row(right[0], right, wrong)


@family("commands-spelled")
def commands_spelled(random: Random) -> Row:
    one, other = random.sample([2, 3, 5, 6, 7, 11], 2)
    values = {"a": one, "b": other, "c": one + 1}
    right = fill_all([r"\frac{@a\sqrt{@b}}{x}", r"\dfrac{@a\sqrt{@b}}{x}", r"\cfrac{@a \sqrt{@b}}{x}", r"{@a\sqrt{@b} \over x}", r"\frac {@a \sqrt {@b}} {x}", r"@a\sqrt{@b}/x", r"\displaystyle\frac{@a\sqrt{@b}}{x}", r"\frac{@a\sqrt@b}x", r"\left(\frac{@a\sqrt{@b}}{x}\right)", r"\frac{@a\cdot\sqrt{@b}}{x}", r"\frac{@a \, \sqrt{@b}}{x}", r"\mathrm{\frac{@a\sqrt{@b}}{x}}", r"@a\sqrt{@b}\,x^{-1}", r"\frac{1}{x}\,@a\sqrt{@b}", r"\frac{@a\cdot @b^{1/2}}{x}", r"\color{red}{\frac{@a\sqrt{@b}}{x}}", r"\textcolor{blue}{\frac{@a\sqrt{@b}}{x}}", r"\mathbf{\frac{@a\sqrt{@b}}{x}}"], **values)
    wrong = fill_all([r"\frac{@a\sqrt{@b}}{y}", r"\frac{@a\sqrt{x}}{@b}", r"\frac{x}{@a\sqrt{@b}}", r"\frac{@c\sqrt{@b}}{x}", r"\frac{@a@b}{x}", r"@a\sqrt{\frac{@b}{x}}", r"\frac{@a\sqrt{@b}}{x^2}", r"\sqrt{\frac{@a@b}{x}}"], **values)
    return Row(right[0], right, wrong)


@family("kind-of-thing")
def kind_of_thing(random: Random) -> Row:
    value = random.randint(3, 40)
    values = {"a": value, "b": value + 1}
    right = fill_all(["@a", "x=@a", "@a.0", r"\boxed{@a}", "+@a"], **values)
    wrong = fill_all(["x>@a", "[@a,@b]", "(@a,@b)", "@ax", "@a=@b", r"x\ne @a", r"\sqrt{@a}", "@a!", "@a^2", "1/@a", "@ai", "@a:1:1", "@a+x", r"x\le @a", r"\{@a,@b\}", r"\pm @a", r"@a\pi", "@a, @a, @b", r"\frac{@a}{@b}", r"\approx @b", r"n \equiv @a \pmod{@b}", r"f(@a)", "|@a|+1", r"\log @a", r"@a\cdot 10", r"\{x \mid x > @a\}", r"x_@a", "2@a", "@a.5", r"-@a", r"\int_0^@a dx + 1", r"\lim_{x\to @a} 2x"], **values)
    return Row(str(value), right, wrong)


@family("pair-is-not-interval")
def pair_is_not_interval(random: Random) -> Row:
    low = random.randint(-9, 5)
    high = low + random.randint(3, 9)
    values = {"a": low, "b": high, "m": low + 1}
    right = fill_all(["[@a,@b]", r"@a \le x \le @b", r"\left[@a,@b\right]"], **values)
    wrong = fill_all(["@a", "@b", "@m", r"\{@a,@b\}", "@a, @b", "(@a,@b)", "[@b,@a]", "[@m,@b]", r"x\ge @a", r"x \le @b", "-[@a,@b]" if low != -high else "0", r"[@a,@b] \cup \{99\}", r"[@a,@m]", r"(-\infty,@a]\cup[@b,\infty)", r"[@a,@b)\cup(@b,99]", r"[@a,@b]\setminus\{@m\}"], **values)
    return Row(f"[{low},{high}]", right, wrong)
