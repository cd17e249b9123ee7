r"""Further forms: mathematics as programs, Unicode and old habits write it; polar numbers, planes, scaled matrices, mixed sets."""
# fmt: off
# ruff: noqa: E501 -- one spelling after another reads better on a line

import math
from fractions import Fraction
from random import Random

from case_families.listings import two
from case_families.numbers import linear, nonzero, proper
from case_families.registry import Row, family, fill_all


@family("as-code")
def as_code(random: Random) -> Row:
    top, power = random.choice([2, 4, 5, 7]), random.randint(2, 5)
    values = {"a": top, "p": power, "q": power + 1}
    right = fill_all([r"\frac{@a\pi x^@p}{3}", "@a*pi*x**@p/3", "(@a*pi*x^@p)/3", "@a/3*pi*x^@p", "pi*@a*x**@p/3", "(@a/3)*pi*x**@p", "@aπx^@p/3", "x^@p*@a*pi/3", "(@a pi x^@p)/3"], **values)
    wrong = fill_all(["@a*pi*x**@q/3", "@a*pi*x**@p", "@a*x**@p/3", "3*pi*x**@p/@a", "@a*pi*y**@p/3", "@a*pi**x*@p/3", "@a+pi*x**@p/3", "-@a*pi*x**@p/3"], **values)
    return Row(right[0], right, wrong)


@family("unicode-formula")
def unicode_formula(random: Random) -> Row:
    one, other = random.sample([2, 3, 5, 6, 7], 2)
    values = {"a": one, "b": other, "c": other + 1}
    right = fill_all([r"\frac{\sqrt{@a}}{@b}x^2-1", "√@a/@b·x²−1", "(√@a/@b)x² - 1", "√(@a)/@b × x² − 1", r"\frac{√@a}{@b}x²−1", "(x²√@a)/@b − 1", "−1 + √@a x²/@b"], **values)
    wrong = fill_all(["√@a/@c·x²−1", "√@a/@b·x³−1", "√@a/@b·x²+1", "√(@a/@b)·x²−1", "@a/@b·x²−1", "√@a/@b·x²"], **values)
    return Row(right[0], right, wrong)


@family("polar-complex")
def polar_complex(random: Random) -> Row:
    size, (angle, degrees, real, imaginary) = random.randint(2, 6) * 2, random.choice([(r"\frac{\pi}{3}", 60, "1", r"\sqrt{3}"), (r"\frac{\pi}{6}", 30, r"\sqrt{3}", "1")])
    values = {"r": size, "h": size // 2, "t": angle, "d": degrees, "x": real, "y": imaginary, "o": 90 - degrees, "s": size + 2}
    right = fill_all([r"@re^{i@t}", r"@h(@x+@yi)" if imaginary == "1" else r"@h(@x+i@y)", r"@r(\cos @t+i\sin @t)", r"@r(\cos @d^\circ + i\sin @d^\circ)", r"@r\left(\cos@t+i\sin@t\right)", r"@r e^{@t i}", r"@r\operatorname{cis}@d^\circ", r"@r\exp\left(i@t\right)"], **values)
    wrong = fill_all([r"@re^{-i@t}", r"@se^{i@t}", r"@r(\cos @o^\circ + i\sin @o^\circ)", r"@h(@x-i@y)", r"@r\cos @t", r"@re^{@t}", r"@r(\sin @d^\circ - i\cos @d^\circ)"], **values)
    return Row(right[0], right, wrong)


@family("nested-radical")
def nested_radical(random: Random) -> Row:
    one, other = random.choice([(2, 3), (2, 5), (3, 5), (3, 7), (2, 7), (5, 7)])
    values = {"a": one, "b": other, "s": one + other, "p": one * other, "q": 4 * one * other}
    right = fill_all([r"\sqrt{@a}+\sqrt{@b}", r"\sqrt{@s+2\sqrt{@p}}", r"\sqrt{@b}+\sqrt{@a}", r"\sqrt{@s+\sqrt{@q}}", r"\sqrt @a + \sqrt @b", "sqrt(@a)+sqrt(@b)", r"\frac{@b-@a}{\sqrt{@b}-\sqrt{@a}}"], **values)
    wrong = fill_all([r"\sqrt{@s}", r"\sqrt{@s-2\sqrt{@p}}", r"\sqrt{@s+\sqrt{@p}}", r"\sqrt{@p}", r"\sqrt{@b}-\sqrt{@a}", r"@s+2\sqrt{@p}", r"\sqrt{@a}+@b"], **values)
    return Row(right[random.randrange(2)], right, wrong)


@family("prime-factorisation")
def prime_factorisation(random: Random) -> Row:
    twos, threes, prime = random.randint(2, 5), random.randint(1, 3), random.choice([5, 7, 11, 13])
    value = 2**twos * 3**threes * prime
    values = {"a": twos, "b": threes, "p": prime, "v": value, "c": twos + 1, "s": prime * 3**threes}
    right = fill_all([r"2^@a \cdot 3^@b \cdot @p", "@v", r"2^{@a}\times 3^{@b}\times @p", r"@p \cdot 2^@a \cdot 3^@b", "2^@a * 3^@b * @p", r"2^{@a} \cdot @s", "2**@a*3**@b*@p", "2^@a·3^@b·@p"], **values)
    wrong = fill_all([r"2^@c \cdot 3^@b \cdot @p", r"2^@a + 3^@b + @p", r"2^@b \cdot 3^@a \cdot @p" if twos != threes else "1", r"2^@a, 3^@b, @p", r"2^@a \cdot 3^@b"], **values)
    return Row(right[random.randrange(2)], right, wrong)


@family("plane-equation")
def plane_equation(random: Random) -> Row:
    a, b, c = random.sample([2, 3, 4, 5, 7], 3)
    d = random.randint(1, 9)
    values = {"a": a, "b": b, "c": c, "d": d, "A": 2 * a, "B": 2 * b, "C": 2 * c, "D": 2 * d, "x": d + 1}
    right = fill_all(["@ax-@by+@cz=@d", "@ax - @by + @cz - @d = 0", "@Ax-@By+@Cz=@D", "-@ax+@by-@cz+@d=0", r"z=\frac{@d-@ax+@by}{@c}", "@ax+@cz=@d+@by", r"\frac{@ax}{@d}-\frac{@by}{@d}+\frac{@cz}{@d}=1"], **values)
    wrong = fill_all(["@ax+@by+@cz=@d", "@ax-@by+@cz=@x", "@bx-@ay+@cz=@d", "@ax-@by+@cz=-@d", "@ax-@by=@d", "@ax-@by+@cz", "@ax-@by+@cz>@d", "(@a,-@b,@c)"], **values)
    return Row(random.choice(right[:2]), right, wrong)


@family("scaled-matrix")
def scaled_matrix(random: Random) -> Row:
    a, b, c, d = random.sample([1, 3, 5, 7, 9, 11, -1, -3, -5], 4)
    values = {"a": a, "b": b, "c": c, "d": d, "h": f"{a / 2}", "i": f"{b / 2}", "j": f"{c / 2}", "k": f"{d / 2}"}
    right = fill_all([r"\frac{1}{2}\begin{pmatrix}@a&@b\\@c&@d\end{pmatrix}", r"\begin{pmatrix}\frac{@a}{2}&\frac{@b}{2}\\\frac{@c}{2}&\frac{@d}{2}\end{pmatrix}", r"\begin{bmatrix}@h&@i\\@j&@k\end{bmatrix}", r"\begin{pmatrix}@a/2&@b/2\\@c/2&@d/2\end{pmatrix}", r"\frac12\begin{bmatrix} @a & @b \\ @c & @d \end{bmatrix}", r"0.5\begin{pmatrix}@a&@b\\@c&@d\end{pmatrix}"], **values)
    wrong = fill_all([r"\begin{pmatrix}@a&@b\\@c&@d\end{pmatrix}", r"\frac{1}{2}\begin{pmatrix}@a&@c\\@b&@d\end{pmatrix}", r"\frac{1}{3}\begin{pmatrix}@a&@b\\@c&@d\end{pmatrix}", r"-\frac{1}{2}\begin{pmatrix}@a&@b\\@c&@d\end{pmatrix}", r"2\begin{pmatrix}@a&@b\\@c&@d\end{pmatrix}", r"\frac{1}{2}"], **values)
    return Row(right[random.randrange(2)], right, wrong)


@family("point-beside-interval")
def point_beside_interval(random: Random) -> Row:
    low, high = two(random)
    values = {"a": low, "b": high, "c": high + 1, "x": low - 3}
    right = fill_all([r"(-\infty,@a)\cup\{@b\}", r"x<@a \text{ or } x=@b", r"x = @b \text{ or } x < @a", r"\{@b\}\cup(-\infty,@a)", r"x \in (-\infty, @a) \cup \{@b\}", r"\{x \mid x<@a \text{ or } x=@b\}", r"x<@a \lor x=@b"], **values)
    wrong = fill_all([r"(-\infty,@a)", r"x<@a \text{ or } x=@c", r"(-\infty,@a]\cup\{@b\}", r"(-\infty,@a)\cup(@b,\infty)", r"x=@b", r"(-\infty,@b]", r"x<@a", r"x<@x \text{ or } x=@b"], **values)
    return Row(right[random.randrange(2)], right, wrong)


@family("domain-with-gap")
def domain_with_gap(random: Random) -> Row:
    low = random.randint(-8, 3)
    gap = low + random.randint(1, 6)
    values = {"a": low, "b": gap, "c": gap + 1}
    right = fill_all([r"[@a,@b)\cup(@b,\infty)", r"x\ge @a, x\ne @b", r"x \geq @a \text{ and } x \neq @b", r"\{x \mid x \ge @a, x\ne @b\}", r"[@a,\infty)\setminus\{@b\}", r"@a\le x<@b \text{ or } x>@b", r"x\in[@a,@b)\cup(@b,+\infty)", r"\{x \in \mathbb{R} : x \ge @a \text{ and } x \ne @b\}"], **values)
    wrong = fill_all([r"[@a,\infty)", r"(@a,@b)\cup(@b,\infty)", r"x\ge @a, x\ne @c", r"[@a,@b)", r"x \ge @b", r"x\ne @b", r"[@a,@b]\cup(@b,\infty)", r"(@b,\infty)"], **values)
    return Row(right[random.randrange(2)], right, wrong)


@family("absolute-inequality")
def absolute_inequality(random: Random) -> Row:
    centre, radius = random.randint(-6, 6) or 2, random.randint(2, 9)
    distance = f"|x{-centre:+d}|"
    values = {"D": distance, "r": radius, "a": centre - radius, "b": centre + radius, "c": centre + radius + 1, "h": f"{-2 * centre:+d}", "k": f"{centre * centre - radius * radius:+d}"}
    right = fill_all(["(@a,@b)", "@D<@r", "@a<x<@b", r"x \in (@a,@b)", "@r>@D", r"\{x: @D < @r\}", "x^2@hx@k<0" if centre * centre != radius * radius else "@D<@r", r"x>@a \text{ and } x<@b"], **values)
    wrong = fill_all(["[@a,@b]", "@D>@r", r"@D\le @r", "(@a,@c)", "x>@a", "x<@b", r"(-\infty,@a)\cup(@b,\infty)", r"@D=@r", r"\{@a,@b\}"], **values)
    return Row(right[0], right, wrong)


@family("interval-with-surds")
def interval_with_surds(random: Random) -> Row:
    inside, top = random.choice([2, 3, 5, 7]), random.randint(3, 9)
    values = {"a": inside, "b": top, "s": top * top, "c": inside + 1, "q": 4 * inside}
    right = fill_all([r"(-\sqrt{@a},@b]", r"-\sqrt{@a}<x\le @b", r"\left(-\sqrt{@a},\,@b\right]", r"(-√@a, @b]", r"x\in(-\sqrt{@a}, \sqrt{@s}]", r"(-\frac{\sqrt{@q}}{2}, @b]", r"@b \geq x > -\sqrt{@a}"], **values)
    wrong = fill_all([r"(-\sqrt{@c},@b]", r"[-\sqrt{@a},@b]", r"(\sqrt{@a},@b]", r"(-\sqrt{@a},@b)", r"(-@a,@b]", r"(-\sqrt{@a},@s]", r"-\sqrt{@a}<x", r"@b"], **values)
    return Row(right[0], right, wrong)


@family("derivative-names")
def derivative_names(random: Random) -> Row:
    number = random.randint(2, 8)
    values = {"a": number, "b": number + 1}
    right = fill_all(["f'(x)=@ax", "@ax", "f^{\\prime}(x)=@ax", r"\frac{dy}{dx}=@ax", "y'=@ax", r"\frac{d}{dx}f(x)=@ax", "f′(x) = @ax", r"\frac{\mathrm{d}y}{\mathrm{d}x}=@ax", r"f'(x) = @a \cdot x"], **values)
    wrong = fill_all(["f'(x)=@bx", "f'(x)=@a", "@ax^2", "f'(x)=-@ax", "f'(x)=@ax+1", "@a", "x"], **values)
    return Row(right[0], right, wrong)


@family("recurrence")
def recurrence(random: Random) -> Row:
    factor, extra = random.randint(2, 6), random.randint(1, 8)
    values = {"a": factor, "b": extra, "c": extra + 1}
    right = fill_all(["a_{n+1}=@aa_n+@b", "a_{n+1} = @b+@aa_n", "a_{n+1} = @a a_{n} + @b", r"a_{n+1}=@a\cdot a_n+@b", "a_{n+1}-@aa_n=@b", r"a_{n+1} - @a a_n - @b = 0"], **values)
    wrong = fill_all(["a_{n+1}=@aa_n+@c", "a_{n+1}=@ba_n+@a" if factor != extra else "a_n", "a_{n}=@aa_{n+1}+@b", "a_{n+1}=@aa_n", "a_{n+1}=a_n^@a+@b", "a_{n+1} = @an+@b"], **values)
    return Row(right[0], right, wrong)


@family("swapped-names")
def swapped_names(random: Random) -> Row:
    one, other = two(random)
    values = {"a": one, "b": other}
    right = fill_all(["(x,y)=(@a,@b)", "(y,x)=(@b,@a)", "x=@a,y=@b", "y=@b and x=@a", r"x = @a \text{ and } y = @b", "(x, y) = (@a, @b)"], **values)
    wrong = fill_all(["(y,x)=(@a,@b)", "(x,y)=(@b,@a)", "x=@b,y=@a", "y=@a, x=@b", "(x,y)=(@a,@a)"], **values)
    return Row(right[0], right, wrong)


@family("parametric-line")
def parametric_line(random: Random) -> Row:
    a, b, c, d = random.sample([1, 2, 3, 4, 5, 6, 7, -2, -3, -4], 4)
    values = {"f": linear(b, a, "t"), "g": linear(d, c, "t"), "F": linear(b, a, "s"), "G": linear(d, c, "s"), "h": linear(d, c + 1, "t")}
    right = fill_all(["(@f, @g)", "x=@f, y=@g", "(x,y)=(@f,@g)", "(@F, @G)", r"\begin{cases} x=@f \\ y=@g \end{cases}", r"\begin{pmatrix} @f \\ @g \end{pmatrix}", r"x=@f, y=@g, t\in\mathbb{R}"], **values)
    wrong = fill_all(["(@g, @f)", "(@f, @h)", "(@f, @G)", "x=@g, y=@f", "@f", "(@f, @f)"], **values)
    return Row(right[0], right, wrong)


@family("greek-letters")
def greek_letters(random: Random) -> Row:
    letter, glyph, other = random.choice([(r"\varphi", "φ", r"\psi"), (r"\alpha", "α", r"\beta"), (r"\theta", "θ", r"\alpha"), (r"\lambda", "λ", r"\mu"), (r"\omega", "ω", r"\theta"), (r"\varepsilon", "ε", r"\delta")])
    number = random.randint(2, 9)
    plain = {r"\varphi": r"\phi", r"\varepsilon": r"\epsilon"}.get(letter, letter)
    values = {"g": letter, "u": glyph, "o": other, "p": plain, "n": number}
    right = fill_all([r"@n\sin @g", r"@n\sin @u", r"@n \sin(@g)", r"@n\sin @p", r"\sin @g \cdot @n", r"@n\sin{@g}", "@n sin(@u)"], **values)
    wrong = fill_all([r"@n\sin @o", r"\sin @n@g", r"@n\cos @g", r"\sin @g", r"-@n\sin @g", r"@n@g"], **values)
    return Row(right[0], right, wrong)


@family("vectors-by-name")
def vectors_by_name(random: Random) -> Row:
    (top, bottom) = proper(random)
    values = {"t": top, "b": bottom, "c": bottom + 1}
    right = fill_all([r"\frac{@t}{@b}\vec{a}+\vec{b}", r"\frac{@t}{@b}\overrightarrow{a}+\overrightarrow{b}", r"\vec{b}+\frac{@t}{@b}\vec{a}", r"\frac{@t}{@b}\mathbf{a}+\mathbf{b}", r"\frac{@t\vec{a}+@b\vec{b}}{@b}", r"\frac{@t}{@b}\boldsymbol{a}+\boldsymbol{b}", r"\frac{@t}{@b}a+b"], **values)
    wrong = fill_all([r"\frac{@t}{@c}\vec{a}+\vec{b}", r"\frac{@t}{@b}\vec{b}+\vec{a}", r"\frac{@t}{@b}\vec{a}-\vec{b}", r"\frac{@t}{@b}(\vec{a}+\vec{b})", r"\frac{@t}{@b}\vec{a}", r"\frac{@t}{@b}\vec{a}\cdot\vec{b}"], **values)
    return Row(right[0], right, wrong)


@family("approximate-gold")
def approximate_gold(random: Random) -> Row:
    outside, inside = random.randint(2, 9), random.choice([2, 3, 5, 7])
    value = outside * math.sqrt(inside)
    values = {"v": f"{value:.2f}", "a": outside, "b": inside, "c": inside + 1, "w": f"{value:.4f}", "x": f"{value + 0.05:.2f}", "n": f"{value + 0.02:.4f}"}
    right = fill_all(["@v", r"@a\sqrt{@b}", r"\approx @v", "@w", r"@a\sqrt{@b} \approx @v", r"approximately @v", r"@v \text{ units}"], **values)
    wrong = fill_all([r"@a\sqrt{@c}", "@x", r"\sqrt{@b}", r"@n", r"-@v", r"@a", r"\approx @x"], **values)
    return Row(f"{value:.2f}", right, wrong)


@family("environment")
def environment(random: Random) -> Row:
    one, other = two(random)
    values = {"a": one, "b": other, "c": other + 17}
    right = fill_all([r"\begin{aligned} x&=@a\\ y&=@b\end{aligned}", r"\begin{cases} x=@a,\\ y=@b. \end{cases}", r"\left\{\begin{aligned} x &= @a \\ y &= @b \end{aligned}\right.", r"\left\{ \begin{array}{l} x = @a \\ y = @b \end{array} \right.", r"x=@a,\ y=@b", r"\begin{array}{l} x = @a \\ y = @b \end{array}", r"\begin{gathered} x=@a \\ y=@b \end{gathered}"], **values)
    wrong = fill_all([r"\begin{aligned} x&=@b\\ y&=@a\end{aligned}", r"\begin{cases} x=@a,\\ y=@c. \end{cases}", r"\begin{aligned} x&=@a\end{aligned}", r"\begin{cases} x=@b \\ y=@a \end{cases}"], **values)
    return Row(right[random.choice([1, 4])], right, wrong)


@family("decorated-value")
def decorated_value(random: Random) -> Row:
    value = random.randint(12, 95)
    values = {"v": value, "w": value + 1}
    right = fill_all([r"\underline{@v}", r"\underline{\underline{@v}}", r"\mathbf{@v}", r"@v \checkmark", r"\therefore x=@v", r"\Rightarrow x = @v", r"\Longrightarrow @v", r"@v.", r"@v\;\blacksquare", r"\quad @v \quad", r"{@v}", r"\mathit{@v}", r"= @v", r": @v", r"\displaystyle @v", r"\large @v", r"\bf @v", r"\textbf{@v}", r"\texttt{@v}", r"@v~", r"\boldsymbol{@v}", r"\underline{\quad @v \quad}", r"\left(@v\right)", r"\{@v\}"], **values)
    wrong = fill_all([r"\underline{@w}", r"\mathbf{@w}", r"\overline{@v} + 1", r"\therefore x=@w", r"\sqrt{@v}", r"@v @w", r"@v^{*}+1"], **values)
    return Row(str(value), right, wrong)


@family("probability-words", wraps=False)
def probability_words(random: Random) -> Row:
    top, bottom = proper(random)
    values = {"t": top, "b": bottom, "x": top + 1 if top + 1 < bottom else top - 1 or 2, "d": f"{top / bottom:.5f}"}
    right = fill_all(["@t/@b", r"\frac{@t}{@b}", "@t out of @b", "@t in @b", "The probability is @t/@b.", r"P = \frac{@t}{@b}", r"P(A)=\frac{@t}{@b}", "probability = @t/@b", r"\frac{@t}{@b} \approx @d", "@d", r"The probability that it rains is $\frac{@t}{@b}$.", r"\Pr(X=1)=\frac{@t}{@b}"], **values)
    wrong = fill_all([r"\frac{@x}{@b}", "@x out of @b", r"1-\frac{@t}{@b}" if 2 * top != bottom else "0", "@t", "@b", r"\frac{@b}{@t}", "The probability is @x/@b.", "@t:@b:1"], **values)
    return Row(f"\\frac{{{top}}}{{{bottom}}}", right, wrong)


@family("temperature")
def temperature(random: Random) -> Row:
    degrees = nonzero(random, -30, 45)
    values = {"d": degrees, "n": -degrees, "x": degrees + 5}
    right = fill_all([r"@d^\circ\text{C}", r"@d°C", r"@d \text{ degrees Celsius}", r"@d^{\circ} C", "@d", r"@d\ ^\circ\mathrm{C}", "@d degrees", r"@d^\circ"], **values)
    wrong = fill_all([r"@n^\circ\text{C}", r"@x°C", r"@d°F", r"@d \text{ degrees Fahrenheit}", r"@x", r"@d \text{ kg}"], **values)
    return Row(f"{degrees}^\\circ\\text{{C}}", right, wrong)


@family("fraction-words", wraps=False)
def fraction_words(random: Random) -> Row:
    words, value = random.choice([("two thirds", Fraction(2, 3)), ("three quarters", Fraction(3, 4)), ("one half", Fraction(1, 2)), ("three fifths", Fraction(3, 5)), ("one quarter", Fraction(1, 4)), ("five eighths", Fraction(5, 8)), ("two sevenths", Fraction(2, 7)), ("one third", Fraction(1, 3))])
    other = value + Fraction(1, 12)
    values = {"w": words, "h": words.replace(" ", "-"), "t": value.numerator, "b": value.denominator, "x": f"{other.numerator}/{other.denominator}"}
    right = fill_all(["@w", "@h", "@t/@b", r"\frac{@t}{@b}", "@w of the cake", r"\frac{@t}{@b} \text{ of the cake}", "The fraction is @w.", r"\text{@w}"], **values)
    wrong = fill_all(["@x", "@t", "one ninth", "@b/@t" if value.numerator != value.denominator else "0", "minus @w", "@t.@b"], **values)
    return Row(f"{value.numerator}/{value.denominator}", right, wrong)
