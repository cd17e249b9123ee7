r"""Several values at once: roots, sets, tuples, intervals, families of solutions, matrices."""
# fmt: off
# ruff: noqa: E501 -- one spelling after another reads better on a line

from random import Random

from case_families.numbers import linear, nonzero, proper
from case_families.registry import Row, family, fill_all


def two(random: Random, low: int = -12, high: int = 12) -> tuple[int, int]:
    """Two different numbers, of different size, not zero, the smaller first."""
    while True:
        one, other = sorted((nonzero(random, low, high), nonzero(random, low, high)))
        if abs(one) != abs(other):
            return one, other


@family("two-roots")
def two_roots(random: Random) -> Row:
    low, high = two(random)
    values = {"a": low, "b": high, "x": high + 1 if high + 1 != 0 else 1, "n": -low, "s": low + high, "p": low * high, "c": high + 20 }
    right = fill_all(["@b, @a", r"x=@a \text{ or } x=@b", "x = @b, @a", r"\{@a, @b\}", "x_1=@a, x_2=@b", r"x \in \{@b, @a\}", "@a and @b", r"x=@b \lor x=@a", "@a; @b", r"x = @a \quad \text{and} \quad x = @b", "x=@a, x=@b", r"\left\{@a,\, @b\right\}", "x = @a or @b", r"x=@a ∨ x=@b", r"@b \text{ or } @a", "x₁ = @b, x₂ = @a", r"S=\{@a,@b\}", r"x\in\left\{@a;@b\right\}"], **values)
    wrong = fill_all(["@a", "@b", "x=@b", "@a, @x", "@n, @b", "@s", "@a, @b, @c", r"\{@a\}", r"x=@a \text{ or } x=@x", "(@a, @b]", "@p", r"\{@a, @b, @c\}"], **values)
    return Row(random.choice([f"{low}, {high}", f"x={low} \\text{{ or }} x={high}", f"\\{{{low}, {high}\\}}"]), right, wrong)


@family("plus-minus")
def plus_minus(random: Random) -> Row:
    centre, inside = nonzero(random, -7, 7), random.choice([2, 3, 5, 7, 11])
    values = {"a": centre, "b": inside, "n": -centre, "c": centre + 1 or 1}
    right = fill_all([r"@a \pm \sqrt{@b}", r"@a+\sqrt{@b}, @a-\sqrt{@b}", "@a±√@b", r"x=@a\pm\sqrt{@b}", r"@a-\sqrt @b \text{ and } @a+\sqrt @b", r"\{@a-\sqrt{@b}, @a+\sqrt{@b}\}", r"x_{1,2} = @a \pm \sqrt{@b}", r"\sqrt{@b}+@a, -\sqrt{@b}+@a" if centre > 0 else r"@a\mp\sqrt{@b}", r"x = @a+\sqrt{@b} \text{ or } x = @a-\sqrt{@b}"], **values)
    wrong = fill_all([r"@a+\sqrt{@b}", r"@a \pm @b", r"@n \pm \sqrt{@b}", r"\pm\sqrt{@b}", r"@c \pm \sqrt{@b}", r"@a-\sqrt{@b}", r"@a \pm \sqrt{@b}, 0", r"\pm @a + \sqrt{@b}", r"@a\pm\sqrt[3]{@b}"], **values)
    return Row(right[random.randrange(2)], right, wrong)


@family("three-values")
def three_values(random: Random) -> Row:
    one, other, third = random.sample(range(-9, 15), 3)
    top, bottom = proper(random)
    values = {"a": one, "b": other, "c": third, "t": top, "d": bottom, "x": third + 30, "u": top + bottom + 1}
    right = fill_all([r"@a, @b, @c, \frac{@t}{@d}", r"@c, @a, @t/@d, @b", r"\{@b, \frac{@t}{@d}, @a, @c\}", r"@a, @b, @c \text{ and } \frac{@t}{@d}", r"x = @a, x=@b, x=@c, x=\frac{@t}{@d}", r"@a;\ @b;\ \tfrac{@t}{@d};\ @c", r"@a\ ,\ @c\ ,\ @b\ ,\ \dfrac{@t}{@d}", "@a, @b, @c, and @t/@d", r"x \in \{@a,@b,@c,@t/@d\}"], **values)
    wrong = fill_all([r"@a, @b, @c", r"@a, @b, @x, \frac{@t}{@d}", r"@a, @b, @c, \frac{@u}{@d}", r"@a, @b, @c, \frac{@t}{@d}, @x", r"\{@a, \frac{@t}{@d}\}", r"\frac{@t}{@d}"], **values)
    return Row(right[0], right, wrong)


@family("repeated-member")
def repeated_member(random: Random) -> Row:
    low, high = two(random)
    return Row(f"\\{{{low}, {high}\\}}", [f"\\{{{high}, {low}, {low}\\}}", f"\\{{{low}, {high}\\}}", f"\\left\\{{ {high} , {low} \\right\\}}", f"\\lbrace {low}, {high} \\rbrace"], [f"\\{{{low}, {low}\\}}", f"\\{{{low}, {high + 21}\\}}", f"[{low}, {high}]", f"({low}, {high})", f"({high}, {low})"])


@family("coordinates")
def coordinates(random: Random) -> Row:
    one, other = two(random)
    values = {"a": one, "b": other, "n": -other, "x": one + 20, "h": one * 2}
    right = fill_all(["(@a,@b)", r"\left(@a, @b\right)", "(x,y)=(@a,@b)", "x=@a, y=@b", r"\bigl(@a,\,@b\bigr)", r"\langle @a, @b\rangle", r"\begin{pmatrix}@a\\@b\end{pmatrix}", "P(@a, @b)", r"\left( \frac{@h}{2}, @b\right)", r"x=@a \text{ and } y=@b", "y=@b, x=@a", "(@a; @b)", r"(@a.0, @b)", r"\begin{bmatrix} @a \\ @b \end{bmatrix}", r"(x, y) = \left(@a, @b\right)", r"\begin{cases} x = @a \\ y = @b \end{cases}"], **values)
    wrong = fill_all(["(@b,@a)", "(@a,@n)", "(@a,@b,0)", "x=@b, y=@a", "(@x, @b)", "@a", r"\{@a,@b\}", "[@a,@b]", "(@a,@b),(@b,@a)", "(@a, @b]", r"\frac{@a}{@b}", "@a@b"], **values)
    return Row(f"({one},{other})", right, wrong)


@family("space-vector")
def space_vector(random: Random) -> Row:
    one, other, third = random.sample([-7, -5, -4, -3, 2, 3, 4, 6, 8], 3)
    values = {"a": one, "b": other, "c": third, "x": third + 1, "sb": f"{other:+d}", "sc": f"{third:+d}"}
    right = fill_all(["(@a,@b,@c)", r"\langle @a,@b,@c \rangle", r"\begin{pmatrix}@a\\@b\\@c\end{pmatrix}", r"@a\mathbf{i}@sb\mathbf{j}@sc\mathbf{k}", r"@a\hat{i}@sb\hat{j}@sc\hat{k}", r"\vec{v} = (@a, @b, @c)", r"\begin{bmatrix} @a \\ @b \\ @c \end{bmatrix}", r"@a\vec{i}@sb\vec{j}@sc\vec{k}", r"\left\langle @a, @b, @c\right\rangle", r"[@a, @b, @c]", r"\begin{pmatrix}@a & @b & @c\end{pmatrix}^T", r"(x,y,z) = (@a,@b,@c)", r"x=@a, y=@b, z=@c"], **values)
    wrong = fill_all(["(@b,@a,@c)", "(@a,@b,@x)", r"@a\mathbf{i}@sb\mathbf{j}", r"\{@a,@b,@c\}", "(@a,@b)", r"@a\mathbf{i}@sc\mathbf{j}@sb\mathbf{k}", r"\langle @c,@b,@a\rangle"], **values)
    return Row(right[random.choice([0, 2])], right, wrong)


@family("points-list")
def points_list(random: Random) -> Row:
    a, b, c, d = random.sample(range(-9, 14), 4)
    values = {"a": a, "b": b, "c": c, "d": d, "x": d + 30}
    right = fill_all(["(@a,@b),(@c,@d)", r"\{(@c,@d),(@a,@b)\}", r"(@c, @d) \text{ and } (@a, @b)", r"(x,y)=(@a,@b), (@c,@d)", r"(x,y) \in \{(@a,@b),(@c,@d)\}", r"(x,y)=(@c,@d) \text{ or } (x,y)=(@a,@b)", "(@a, @b); (@c, @d)", r"(@a;@b),(@c;@d)", r"\left(@c,@d\right), \left(@a,@b\right)", r"x=@a, y=@b \text{ or } x=@c, y=@d", r"(x_1,y_1)=(@a,@b), (x_2,y_2)=(@c,@d)"], **values)
    wrong = fill_all(["(@a,@b)", "(@b,@a),(@d,@c)", "(@a,@d),(@c,@b)", "(@a,@b),(@c,@x)", "@a,@b,@c,@d", "(@a,@b,@c,@d)", "(@a,@b),(@c,@d),(@x,@x)", "(@a,@b),(@a,@b)"], **values)
    return Row(f"({a},{b}),({c},{d})", right, wrong)


@family("half-open-interval")
def half_open(random: Random) -> Row:
    low, high = two(random)
    values = {"a": low, "b": high, "x": high + 1}
    right = fill_all(["(@a,@b]", r"@a<x\le @b", r"\{x \mid @a<x\leq @b\}", r"x \in (@a,@b]", r"\left(@a, @b\right]", r"\{x : @a < x \leqslant @b\}", "]@a,@b]", r"x>@a \text{ and } x \le @b", r"@b \ge x > @a", "(@a;@b]", r"@a < x ≤ @b", r"x ∈ (@a, @b]", r"\{x \in \mathbb{R} \mid @a < x \le @b\}", r"\left]@a, @b\right]", "@a < x <= @b", r"\{x| @a<x, x\le @b\}"], **values)
    wrong = fill_all(["(@a,@b)", "[@a,@b]", "[@a,@b)", r"@a\le x<@b", "(@a,@x]", r"\{@a,@b\}", "@b", r"x>@a", r"x \le @b", r"x \le @a \text{ or } x > @b", "]@a,@b[", r"@a<x<@b"], **values)
    return Row(random.choice([f"({low},{high}]", f"{low}<x\\le {high}"]), right, wrong)


@family("ray")
def ray(random: Random) -> Row:
    end = nonzero(random, -15, 15)
    values = {"a": end, "x": end + 1, "n": -end, "d": 2 * end}
    right = fill_all([r"[@a,\infty)", r"x\ge @a", r"x \geqslant @a", r"[@a, +\infty)", r"[@a,\infty[", "{x | x ≥ @a}", r"x\geq @a", "x >= @a", "[@a, ∞)", r"@a \le x", r"\{x\in\mathbb{R}: x\ge @a\}", r"@a \leq x < \infty", r"2x \ge @d", r"-x \le @n", r"x \in \left[@a, +\infty\right)", r"[@a; +\infty)", r"x \text{ is at least } @a", r"x \text{ is greater than or equal to } @a"], **values)
    wrong = fill_all([r"(@a,\infty)", "x>@a", r"x\le @a", r"[@x,\infty)", r"(-\infty,@a]", "x=@a", "@a", r"x \ge @x", r"[@a,\infty) \cup \{-99\}", r"x\ge @n", r"-x\ge @a"], **values)
    return Row(random.choice([rf"[{end},\infty)", rf"x\ge {end}"]), right, wrong)


@family("two-rays")
def two_rays(random: Random) -> Row:
    low, high = two(random)
    while (low + high) % 2:
        low, high = two(random)
    centre, radius = (low + high) // 2, (high - low) // 2
    distance = "|x|" if centre == 0 else f"|x{-centre:+d}|"
    values = {"a": low, "b": high, "x": high + 1, "D": distance, "r": radius}
    right = fill_all([r"(-\infty,@a)\cup(@b,\infty)", "x<@a or x>@b", r"x<@a \lor x>@b", "(-∞,@a) U (@b,∞)", r"\mathbb{R}\setminus[@a,@b]", r"@D > @r", r"x > @b \text{ or } x < @a", r"(@b,+\infty)\cup(-\infty,@a)", r"x \in (-\infty, @a) \cup (@b, \infty)", r"]-\infty,@a[\,\cup\,]@b,+\infty[", r"\{x \mid x<@a \text{ or } x>@b\}", r"\left(-\infty,@a\right) ∪ \left(@b,+\infty\right)", r"(-\infty; @a) \cup (@b; +\infty)"], **values)
    wrong = fill_all([r"(-\infty,@a]\cup[@b,\infty)", "(@a,@b)", "x<@a", "x>@b", r"(-\infty,@a)\cup(@x,\infty)", r"\mathbb{R}\setminus(@a,@b)", "@a<x<@b", r"(-\infty,@b)\cup(@a,\infty)", r"@D<@r", r"(-\infty,@a) \cap (@b,\infty)"], **values)
    return Row(random.choice([rf"(-\infty,{low})\cup({high},\infty)", rf"x<{low} \text{{ or }} x>{high}"]), right, wrong)


@family("punctured-line")
def punctured(random: Random) -> Row:
    out = nonzero(random, -9, 9)
    values = {"a": out, "x": out + 1}
    right = fill_all([r"\mathbb{R}\setminus\{@a\}", r"x\neq @a", r"(-\infty,@a)\cup(@a,\infty)", r"\{x \in \mathbb{R} : x \ne @a\}", "all real numbers except @a", r"\mathbb{R} - \{@a\}", r"\mathbb R \backslash \{@a\}", r"x \in \mathbb{R}, x \neq @a", "x ≠ @a", r"\text{all real numbers except } x = @a", r"\{x|x\neq @a\}"], **values)
    wrong = fill_all([r"\mathbb{R}", "x = @a", r"\mathbb{R}\setminus\{@x\}", r"(@a,\infty)", r"x \neq @x", r"(-\infty,@a]\cup(@a,\infty)", r"\{@a\}", "all real numbers"], **values)
    return Row(right[random.randrange(3)], right, wrong)


@family("integer-range")
def integer_range(random: Random) -> Row:
    low, count = random.randint(-4, 6), random.randint(4, 7)
    members = [low + step for step in range(count)]
    text = ", ".join(map(str, members))
    high = members[-1]
    right = [f"\\{{{text}\\}}", text, f"\\{{{', '.join(map(str, members[::-1]))}\\}}", f"\\{{n \\in \\mathbb{{Z}} : {low} \\le n \\le {high}\\}}", f"\\{{{low}, {low + 1}, \\ldots, {high}\\}}", f"{', '.join(map(str, members[:-1]))} \\text{{ and }} {high}"]
    wrong = [f"\\{{{', '.join(map(str, members[1:]))}\\}}", f"[{low}, {high}]", f"({low}, {high})", f"\\{{{low}, {high}\\}}", f"\\{{{text}, {high + 1}\\}}", f"{low}, {high}", f"\\{{n \\in \\mathbb{{Z}} : {low} < n \\le {high}\\}}"]
    return Row(f"\\{{{text}\\}}", right, wrong)


@family("residue-class")
def residue_class(random: Random) -> Row:
    modulus = random.randint(3, 9)
    rest = random.randint(1, modulus - 1)
    values = {"m": modulus, "r": rest, "q": modulus - rest, "x": rest % (modulus - 1) + 1 if rest % (modulus - 1) + 1 != rest else (rest + 1) % modulus, "d": 2 * modulus, "n": modulus + 1, "s": modulus + rest }
    right = fill_all([r"n \equiv @r \pmod{@m}", "n = @mk+@r", r"@mk+@r, k \in \mathbb{Z}", r"n \equiv @r \mod @m", "n=@mk-@q", r"\text{all integers congruent to } @r \text{ modulo } @m", "n = @r + @mt", r"n ≡ @r (mod @m)", r"n = @mj + @r \text{ for some integer } j", r"n\equiv @r\ (\text{mod } @m)", r"\{@mk+@r : k\in\mathbb{Z}\}", r"n \equiv @r \bmod @m", "n leaves remainder @r when divided by @m", r"n \equiv @s \pmod{@m}", r"n=@mk+@r \text{ where } k \text{ is an integer}"], **values)
    wrong = fill_all(["n=@mk+@x", r"n \equiv @x \pmod{@m}", r"n \equiv @r \pmod{@n}", "n=@nk+@r", "@r", "n=@dk+@r", r"n \not\equiv @r \pmod{@m}", "n=@mk", r"n\equiv @m \pmod{@r}", r"n=@r"], **values)
    return Row(random.choice(fill_all([r"n \equiv @r \pmod{@m}", r"n = @mk+@r, k\in\mathbb{Z}"], **values)), right, wrong)


@family("two-residues")
def two_residues(random: Random) -> Row:
    modulus = random.choice([5, 6, 7, 8, 9])
    rest = random.randint(1, (modulus - 1) // 2)
    values = {"m": modulus, "r": rest, "q": modulus - rest, "x": rest + 1 if rest + 1 != modulus - rest else rest - 1}
    right = fill_all([r"n = @mk+@r \text{ or } n=@mk+@q", r"n \equiv @r, @q \pmod{@m}", r"n \equiv @q \text{ or } @r \pmod @m", r"n \equiv \pm @r \pmod{@m}", r"n=@mk \pm @r", r"\text{those congruent to } @r \text{ or } @q \text{ modulo } @m", r"n=@mk+@q, @mk+@r"], **values)
    wrong = fill_all([r"n=@mk+@r", r"n \equiv @q \pmod{@m}", r"n \equiv @r, @x \pmod{@m}", "n = @mk", r"\text{those congruent to } @r \text{ modulo } @m", r"@r, @q"], **values)
    return Row(right[random.randrange(2)], right, wrong)


@family("trigonometric-family")
def trigonometric_family(random: Random) -> Row:
    bottom, degrees = random.choice([(3, 60), (4, 45), (6, 30), (12, 15), (5, 36)])
    values = {"b": bottom, "d": degrees, "t": 2 * bottom + 1, "c": bottom + 1}
    right = fill_all([r"\frac{\pi}{@b}+2k\pi", r"@d^\circ + 360^\circ k", r"\frac{\pi}{@b}+2n\pi, n\in\mathbb{Z}", r"x = 2k\pi+\frac{\pi}{@b}, k \in \mathbb{Z}", r"\frac{@t\pi}{@b}+2k\pi", r"x=\frac{\pi}{@b}+2\pi n \text{ for any integer } n", r"\frac{\pi}{@b} + 2\pi k \ (k \in \mathbb{Z})", "π/@b + 2πk", r"\left\{x \mid x=\frac{\pi}{@b}+2k\pi, k\in\mathbb{Z}\right\}", r"x = k \cdot 360^\circ + @d^\circ"], **values)
    wrong = fill_all([r"\frac{\pi}{@b}+k\pi", r"\frac{\pi}{@c}+2k\pi", r"-\frac{\pi}{@b}+2k\pi", r"\frac{\pi}{@b}", r"2k\pi", r"\pm\frac{\pi}{@b}+2k\pi", r"@d^\circ+180^\circ k", r"\frac{\pi}{@b}+4k\pi"], **values)
    return Row(rf"\frac{{\pi}}{{{bottom}}}+2k\pi, k\in\mathbb{{Z}}", right, wrong)


@family("no-solution", wraps=False)
def no_solution(random: Random) -> Row:
    texts = [r"\emptyset", "no solution", "No solutions", r"\varnothing", "∅", r"\{\}", "There are no solutions.", r"\text{no real solutions}", r"\text{No solution}", r"x \in \emptyset", "The equation has no solution.", r"\boxed{\emptyset}", "no real solution exists", "There is no solution", r"\text{no such } x \text{ exists}", "the empty set", "None", r"\left\{\right\}", r"\boxed{\text{No solution}}"]
    wrong = ["0", r"\{0\}", "all real numbers", r"\mathbb{R}", "x=1", "one solution", "infinitely many solutions", r"\{\emptyset\}", "There are two solutions."]
    return Row(random.choice([r"\emptyset", "no solution", r"\text{no real solutions}"]), texts, wrong)


@family("all-reals", wraps=False)
def all_reals(random: Random) -> Row:
    texts = [r"\mathbb{R}", r"(-\infty,\infty)", "all real numbers", r"x \in \mathbb{R}", r"(-\infty, +\infty)", r"\text{all real numbers}", "any real number", "ℝ", r"-\infty < x < \infty", r"\text{All real } x", r"\{x \mid x\in\mathbb{R}\}", "every real number", "the set of all real numbers", r"\mathbf{R}"]
    wrong = [r"\emptyset", r"[0,\infty)", r"\mathbb{R}\setminus\{0\}", r"\mathbb{Z}", "all positive real numbers", "all integers", r"\mathbb{R}^+", "0", "no real numbers", r"\mathbb{Q}"]
    return Row(random.choice([r"\mathbb{R}", r"(-\infty,\infty)", "all real numbers"]), texts, wrong)


@family("parity-words", wraps=False)
def parity_words(random: Random) -> Row:
    word, form, other, other_form = random.choice([("even", "2k", "odd", "2k+1"), ("odd", "2k+1", "even", "2k")])
    values = {"w": word, "f": form, "o": other, "g": other_form}
    right = fill_all(["all @w integers", "all @w numbers", r"\text{all @w integers}", r"n = @f", r"n=@f, k\in\mathbb{Z}", "n is @w", "@w", r"n \text{ is @w}", "@w integers", "the @w integers", r"\text{all @w } n"], **values)
    wrong = fill_all(["all @o integers", "n=@g", "n is @o", "@o", "n=4k", "n is not @w", "all integers"], **values)
    return Row(random.choice([f"all {word} integers", f"n = {form}, k \\in \\mathbb{{Z}}"]), right, wrong)


@family("matrix")
def matrix(random: Random) -> Row:
    a, b, c, d = random.sample(range(-9, 12), 4)
    values = {"a": a, "b": b, "c": c, "d": d, "x": d + 20, "h": 2 * a}
    right = fill_all([r"\begin{pmatrix}@a&@b\\@c&@d\end{pmatrix}", r"\begin{bmatrix} @a & @b \\ @c & @d \end{bmatrix}", r"\left(\begin{array}{cc}@a&@b\\@c&@d\end{array}\right)", r"\begin{pmatrix} \frac{@h}{2} & @b \\ @c & @d \end{pmatrix}", "[[@a,@b],[@c,@d]]", r"A=\begin{pmatrix}@a&@b\\@c&@d\\\end{pmatrix}", r"\left[\begin{matrix}@a&@b\\@c&@d\end{matrix}\right]", r"\left[ \begin{array}{rr} @a & @b \\ @c & @d \end{array} \right]", r"\bigl(\begin{smallmatrix}@a&@b\\@c&@d\end{smallmatrix}\bigr)", "[@a, @b; @c, @d]"], **values)
    wrong = fill_all([r"\begin{pmatrix}@a&@c\\@b&@d\end{pmatrix}", r"\begin{pmatrix}@a&@b\\@c&@x\end{pmatrix}", r"\begin{pmatrix}@a&@b\end{pmatrix}", r"\begin{pmatrix}@d&@b\\@c&@a\end{pmatrix}", "(@a,@b,@c,@d)", r"\begin{vmatrix}@a&@b\\@c&@d\end{vmatrix}", r"-\begin{pmatrix}@a&@b\\@c&@d\end{pmatrix}", "[[@a,@b],[@c,@x]]"], **values)
    return Row(right[0], right, wrong)


@family("named-values")
def named_values(random: Random) -> Row:
    one, other = two(random)
    values = {"a": one, "b": other, "x": other + 20}
    right = fill_all(["a=@a, b=@b", "b=@b, a=@a", "(a,b)=(@a,@b)", r"a=@a \text{ and } b=@b", r"a = @a,\quad b = @b", "a=@a; b=@b", r"\begin{cases}a=@a\\b=@b\end{cases}", "@a, @b", "(@a, @b)", r"a = @a, \; b = @b"], **values)
    wrong = fill_all(["a=@b, b=@a", "a=@a", "a=@a, b=@x", "(@b,@a)", "b=@a, a=@b", "a=@a, b=@b, c=@x", "(a,b)=(@b,@a)"], **values)
    return Row(f"a={one}, b={other}", right, wrong)


@family("linear-inequality")
def linear_inequality(random: Random) -> Row:
    end = nonzero(random, -9, 9)
    values = {"a": end, "d": 3 * end, "n": -end, "m": linear(1, -end), "x": end + 1, "w": linear(-1, end)}
    right = fill_all(["x>@a", "@a<x", "3x>@d", "-x<@n", "@m>0", r"(@a,\infty)", r"x \gt @a", "x > @a", "@w<0", r"\{x : x>@a\}", r"x &gt; @a", r"\text{x is greater than } @a", r"x\in(@a,+\infty)"], **values)
    wrong = fill_all(["x<@a", r"x\ge @a", "-x>@n", "@m<0", "x>@x", "@a", "x=@a", "@a>x", r"(-\infty,@a)", r"x \ne @a", r"y > @a", r"-x>@a"], **values)
    return Row(f"x>{end}", right, wrong)


@family("order-chain")
def order_chain(random: Random) -> Row:
    one, other, third = random.choice([("a", "b", "c"), ("p", "q", "r"), ("x", "y", "z")])
    values = {"a": one, "b": other, "c": third}
    right = fill_all(["@a<@b<@c", "@c>@b>@a", r"@a \lt @b \lt @c", "@a < @b < @c", r"@a<@b \text{ and } @b<@c", r"@c \gt @b \gt @a"], **values)
    wrong = fill_all(["@a<@c<@b", "@a>@b>@c", r"@a \le @b \le @c", "@a<@b", "@c<@b<@a", "@b<@a<@c", "@a=@b=@c"], **values)
    return Row(f"{one}<{other}<{third}", right, wrong)


@family("parametric-tuple")
def parametric_tuple(random: Random) -> Row:
    one, other = nonzero(random, -6, 6), random.randint(2, 7)
    values = {"a": one, "b": other, "c": other + 1, "n": -one}
    right = fill_all(["(t, @bt)", "(k, @bk)", r"(t, @bt), t \in \mathbb{R}", r"(x,y)=(t,@bt)", r"(s, @bs) \text{ for any real } s", r"\{(t,@bt) : t \in \mathbb{R}\}", r"(c,@bc)", r"(x, @bx)"], **values)
    wrong = fill_all(["(@bt, t)", "(t, @ct)", "(t, t)", "(t, @b)", "(1, @b)", "(t, -@bt)", "(t, @bs)"], **values)
    return Row(f"(t, {other}t)", right, wrong)
