r"""Numbers: spellings of one value, and neighbours of it."""
# fmt: off
# ruff: noqa: E501 -- one spelling after another reads better on a line

import math
from fractions import Fraction
from random import Random

from case_families.registry import Row, family, fill_all


def nonzero(random: Random, low: int, high: int) -> int:
    return random.choice([value for value in range(low, high + 1) if value])


def proper(random: Random) -> tuple[int, int]:
    """A fraction below one in lowest terms, of denominator 3 to 19."""
    while True:
        bottom = random.randint(3, 19)
        top = random.randint(1, bottom - 1)
        if math.gcd(top, bottom) == 1:
            return top, bottom


def linear(slope: int, constant: int, name: str = "x") -> str:
    """``2x-3``, ``-x+1``, ``x``."""
    head = {1: name, -1: f"-{name}"}.get(slope, f"{slope}{name}")
    return head + (f"{constant:+d}" if constant else "")


@family("grouped-integer")
def grouped_integer(random: Random) -> Row:
    value = random.randint(1_000_000, 99_999_999)
    plain, commas = str(value), f"{value:,}"
    right = [ commas, plain, commas.replace(",", " "), commas.replace(",", "{,}"), commas.replace(",", "\\,"), commas.replace(",", "."), commas.replace(",", "'"), f"{plain}.0", commas.replace(",", ",\\!"), commas.replace(",", "\u202f"), f"{value / 10**6:.6f} million"]
    wrong = [f"{value + 1:,}", f"{value - 1000:,}", plain[:-1], plain + "0", f"-{commas}", commas.rsplit(",", 1)[0], f"{value + 10:,}".replace(",", ".")]
    return Row(plain, right, wrong)


@family("decimal-comma")
def decimal_comma(random: Random) -> Row:
    cents = random.randint(101, 999)
    value = Fraction(cents, 1000)
    text = f"0.{cents}"
    right = [ text, f"0,{cents}", f"0{{,}}{cents}", f"{cents}/1000", f".{cents}", f"\\frac{{{value.numerator}}}{{{value.denominator}}}"]
    wrong = [f"0,{cents + 1}", f"{cents}", f"0{{,}}0{cents}", f"-0,{cents}", f"1,{cents}", f"0.{cents - 1}"]
    return Row(text, right, wrong)


@family("indian-grouping")
def indian_grouping(random: Random) -> Row:
    crore, lakh, thousand, rest = (random.randint(1, 9), random.randint(10, 99), random.randint(10, 99), random.randint(100, 999))
    value = f"{crore}{lakh}{thousand}{rest}"
    return Row( value, [f"{crore},{lakh},{thousand},{rest}", f"{int(value):,}"], [f"{crore},{lakh},{thousand},{rest + 1 if rest < 999 else 100}", f"{lakh},{thousand},{rest}", f"{crore},{lakh},{thousand}"])


@family("mixed-number")
def mixed_number(random: Random) -> Row:
    whole, (top, bottom) = random.randint(2, 12), proper(random)
    values = {"w": whole, "t": top, "b": bottom, "n": whole * bottom + top, "m": whole * bottom - top, "v": whole + 1, "p": whole * top }
    right = fill_all([r"@w\frac{@t}{@b}", "@w @t/@b", "@n/@b", r"@w\tfrac{@t}{@b}", r"@w+\frac{@t}{@b}", r"\frac{@n}{@b}", r"@w \, \dfrac{@t}{@b}", "@w + @t/@b", r"@w\ \frac{@t}{@b}", r"@w \text{ and } @t/@b"], **values)
    wrong = fill_all([r"@w\cdot\frac{@t}{@b}", r"\frac{@m}{@b}", r"@v\frac{@t}{@b}", "@w - @t/@b", r"-@w\frac{@t}{@b}", r"\frac{@t}{@w@b}", r"\frac{@p}{@b}", "@w"], **values)
    return Row(fill_all([r"@w\frac{@t}{@b}"], **values)[0] if random.random() < 0.5 else f"{values['n']}/{bottom}", right, wrong)


@family("negative-mixed-number")
def negative_mixed_number(random: Random) -> Row:
    whole, (top, bottom) = random.randint(2, 12), proper(random)
    values = {"w": whole, "t": top, "b": bottom, "n": whole * bottom + top, "m": whole * bottom - top}
    right = fill_all([r"-@w\frac{@t}{@b}", "-@w @t/@b", "-@n/@b", r"-\frac{@n}{@b}", r"\frac{-@n}{@b}", r"−@w \frac{@t}{@b}"], **values)
    wrong = fill_all([r"@w\frac{@t}{@b}", r"-\frac{@m}{@b}", r"\frac{-@n}{-@b}", r"-@w+\frac{@t}{@b}"], **values)
    return Row(f"-\\frac{{{values['n']}}}{{{bottom}}}", right, wrong)


@family("repeating-decimal")
def repeating_decimal(random: Random) -> Row:
    cycle = random.choice([12, 18, 27, 36, 45, 63, 72, 81, 54, 21, 48, 57])
    value = Fraction(cycle, 99)
    pair = f"{cycle:02d}"
    right = [rf"0.\overline{{{pair}}}", f"0.({pair})", rf"0.{pair}{pair}{pair}\ldots", f"0.{pair}{pair}{pair}...", rf"0.\dot{{{pair[0]}}}\dot{{{pair[1]}}}", rf"\frac{{{value.numerator}}}{{{value.denominator}}}", rf"0.{pair}\overline{{{pair}}}", rf"0.\bar{{{pair}}}", f"0.{pair}{pair}{pair}…"]
    wrong = [f"0.{pair}", rf"0.\overline{{{pair[::-1]}}}" if pair != pair[::-1] else "0.1", f"0.({cycle + 1})", rf"0.\overline{{{pair}1}}", rf"0.0\overline{{{pair}}}", rf"-0.\overline{{{pair}}}", rf"{pair}/100"]
    return Row(f"{value.numerator}/{value.denominator}", right, wrong)


@family("late-repeating-decimal")
def late_repeating_decimal(random: Random) -> Row:
    first, digit = random.randint(1, 8), random.choice([1, 2, 4, 5, 6, 7, 8])
    value = Fraction(first, 10) + Fraction(digit, 90)
    right = [rf"0.{first}\overline{{{digit}}}", rf"0.{first}\dot{{{digit}}}", f"0.{first}({digit})", f"{value.numerator}/{value.denominator}", rf"0.{first}{digit}{digit}{digit}{digit}\dots"]
    wrong = [rf"0.\overline{{{first}{digit}}}" if first != digit else "0.9", f"0.{first}{digit}", rf"0.{first}\overline{{{digit + 1}}}", f"0.{digit}({first})" if first != digit else "0.3"]
    return Row(f"0.{first}\\overline{{{digit}}}", right, wrong)


@family("negative-fraction")
def negative_fraction(random: Random) -> Row:
    top, bottom = proper(random)
    values = {"t": top, "b": bottom, "u": top + 1, "dt": 2 * top, "db": 2 * bottom}
    right = fill_all([r"-\frac{@t}{@b}", r"\frac{-@t}{@b}", r"\frac{@t}{-@b}", "-@t/@b", "−@t/@b", "-(@t/@b)", "(-@t)/@b", r"-\left(\frac{@t}{@b}\right)", "minus @t/@b", r"-\frac{@dt}{@db}", r"-@t \div @b", "-@t⁄@b", r"- {@t \over @b}"], **values)
    wrong = fill_all([r"\frac{@t}{@b}", "@t/@b", r"\frac{-@t}{-@b}", r"-\frac{@b}{@t}", r"-\frac{@u}{@b}", r"-@t@b", r"\pm\frac{@t}{@b}"], **values)
    return Row(f"-\\frac{{{top}}}{{{bottom}}}", right, wrong)


@family("percentage")
def percentage(random: Random) -> Row:
    tenths = random.choice([value for value in range(101, 999) if value % 10])
    share = f"{tenths / 10:.1f}"
    value = Fraction(tenths, 1000)
    right = [f"{share}\\%", f"{share}%", f"{share} percent", f"{share} \\%", f"{share} per cent", f"{value.numerator}/{value.denominator}", f"0.{tenths}", f"{share}\\text{{ percent}}", f"{share}％"]
    wrong = [f"{(tenths + 1) / 10:.1f}\\%", f"{tenths}\\%", f"0.{share.replace('.', '')}\\%", f"-{share}\\%", f"{tenths / 100:.2f}\\%", f"{100 - tenths / 10:.1f}\\%"]
    return Row(f"{share}\\%", right, wrong)


@family("scientific-small")
def scientific_small(random: Random) -> Row:
    digits, power = random.randint(11, 99), random.randint(3, 8)
    digits += digits % 10 == 0
    mantissa = f"{digits / 10:.1f}"
    small = f"0.{'0' * (power - 1)}{digits}"
    raised = str(power).translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))
    right = [ small, f"{mantissa}e-{power}", f"{mantissa} \\times 10^{{-{power}}}", f"{mantissa}*10^-{power}", f"{mantissa} x 10^{{-{power}}}", f"{mantissa}·10⁻{raised}", f"{mantissa}E-{power:02d}", f"{mantissa} × 10^(-{power})", f"\\frac{{{mantissa}}}{{10^{{{power}}}}}", f"{digits} \\cdot 10^{{-{power + 1}}}"]
    wrong = [f"{mantissa} \\times 10^{{-{power + 1}}}", f"{mantissa} \\times 10^{{{power}}}", f"{mantissa}e-{power - 1}", f"-{mantissa} \\times 10^{{-{power}}}", f"{(digits + 1) / 10:.1f} \\times 10^{{-{power}}}", mantissa]
    return Row(f"{mantissa} \\times 10^{{-{power}}}", right, wrong)


@family("powers")
def powers(random: Random) -> Row:
    exponent = random.randint(8, 14) // 2 * 2
    value = 2**exponent
    right = [ str(value), f"2^{{{exponent}}}", f"4^{exponent // 2}", f"2^{exponent - 3} \\cdot 8", f"{value:,}", f"(2^{exponent // 2})^2", f"2**{exponent}", f"2 \\times 2^{{{exponent - 1}}}", f"\\left(\\frac{{1}}{{2}}\\right)^{{-{exponent}}}"]
    wrong = [f"2^{{{exponent - 1}}}", f"2 \\cdot {exponent}", f"{exponent}^2", f"-2^{{{exponent}}}", f"2^{{-{exponent}}}", str(value - 1), f"2^{{{exponent}}}+1", f"2{exponent}"]
    return Row(str(value) if random.random() < 0.5 else f"2^{{{exponent}}}", right, wrong)


@family("factorials")
def factorials(random: Random) -> Row:
    number = random.randint(6, 11)
    value = math.factorial(number)
    right = [f"{number}!", str(value), f"{value:,}", f"{number} \\cdot {number - 1}!", f"\\frac{{{number + 1}!}}{{{number + 1}}}", f"{number} !", f"\\Gamma({number + 1})"]
    wrong = [f"{number - 1}!", f"{number + 1}!", str(value + 1), str(number), f"{number}", f"\\frac{{{number}!}}{{2}}", f"{number}! - 1"]
    return Row(f"{number}!" if random.random() < 0.5 else str(value), right, wrong)


@family("binomials")
def binomials(random: Random) -> Row:
    top, bottom = random.randint(7, 12), random.randint(2, 4)
    top += top == 2 * bottom + 1  # else the next column is the same
    value = math.comb(top, bottom)
    names = {"n": top, "k": bottom, "r": top - bottom, "v": value, "w": math.comb(top, bottom + 1), "j": bottom + 1, "p": math.perm(top, bottom) }
    right = fill_all([r"\binom{@n}{@k}", "@v", r"\dbinom{@n}{@k}", "C(@n,@k)", r"{@n \choose @k}", r"_{@n}C_{@k}", r"C_{@n}^{@k}", r"\frac{@n!}{@k!@r!}", r"\binom{@n}{@r}", r"\frac{@n!}{@k! \cdot @r!}", r"^{@n}C_{@k}", r"{}_{@n}C_{@k}"], **names)
    wrong = fill_all([r"\binom{@n}{@j}", r"\binom{@k}{@n}", "@w", "@p", r"\frac{@n}{@k}", r"C(@n,@j)", r"P(@n,@k)", r"\frac{@n!}{@r!}"], **names)
    return Row(str(value) if random.random() < 0.6 else fill_all([r"\binom{@n}{@k}"], **names)[0], right, wrong)


@family("big-integers")
def big_integers(random: Random) -> Row:
    power, extra = random.randint(25, 60), random.randint(1, 9)
    value = 10**power + extra
    right = [str(value), f"10^{{{power}}}+{extra}", f"{extra} + 10^{{{power}}}", f"{value:,}"]
    wrong = [ str(value + 1), f"10^{{{power}}}", f"10^{{{power}}}+{extra + 1}", f"10^{{{power}}}-{extra}", f"10^{{{power + 1}}}+{extra}", f"1e{power}"]
    return Row(f"10^{{{power}}}+{extra}", right, wrong)


@family("tiny-differences")
def tiny_differences(random: Random) -> Row:
    power = random.randint(20, 90)
    right = [f"1-\\frac{{1}}{{2^{{{power}}}}}", f"1 - 2^{{-{power}}}", f"\\frac{{2^{{{power}}}-1}}{{2^{{{power}}}}}", f"\\frac{{{2**power - 1}}}{{{2**power}}}"]
    wrong = ["1", f"1-2^{{-{power + 1}}}", f"1+2^{{-{power}}}", f"2^{{-{power}}}", f"\\frac{{2^{{{power}}}}}{{2^{{{power}}}+1}}", "0.999999"]
    return Row(right[0], right, wrong)


@family("number-bases")
def number_bases(random: Random) -> Row:
    base = random.choice([2, 3, 5, 7, 8])
    digits = "1" + "".join(str(random.randrange(base)) for _ in range(4)) + "1"
    other = "1" + ("0" if digits[1] != "0" else "1") + digits[2:]
    word = {2: "two", 3: "three", 5: "five", 7: "seven", 8: "eight"}[base]
    right = [f"{digits}_{base}", f"{digits}_{{{base}}}", f"({digits})_{base}", f"({digits})_{{{base}}}", f"{digits}_{{\\text{{{word}}}}}", f"{digits} \\text{{ (base {base})}}", f"{digits} \\text{{ in base {base}}}"]
    wrong = [f"{other}_{base}", f"{digits}_{base + 1}", f"({other})_{{{base}}}", f"{digits}0_{base}", f"{digits[1:].lstrip('0')}_{{{base}}}"]
    return Row(f"{digits}_{base}", right, wrong)


_ONES = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split()
_TENS = "zero ten twenty thirty forty fifty sixty seventy eighty ninety".split()


def in_words(value: int) -> str:
    """English words for 0 to 999."""
    if value < 20:
        return _ONES[value]
    if value < 100:
        return _TENS[value // 10] + (f"-{_ONES[value % 10]}" if value % 10 else "")
    return f"{_ONES[value // 100]} hundred" + (f" {in_words(value % 100)}" if value % 100 else "")


@family("number-words", wraps=False)
def number_words(random: Random) -> Row:
    value = random.randint(21, 999)
    words = in_words(value)
    right = [ words, words.capitalize(), f"The answer is {words}.", f"\\text{{{words}}}", words.replace("hundred ", "hundred and "), words.replace("-", " "), f"There are {words} ways.", f"{words} ({value})"]
    wrong = [ in_words(value + 1), in_words(value - 1), in_words(value - 10), f"The answer is {in_words(value + 1)}.", f"minus {words}", f"{words} thousand"]
    return Row(str(value), right, wrong)


@family("roman-and-ordinal", wraps=False)
def ordinals(random: Random) -> Row:
    value, word = random.choice([(3, "third"), (4, "fourth"), (5, "fifth"), (7, "seventh"), (10, "tenth"), (12, "twelfth")])
    suffix = {3: "rd"}.get(value, "th")
    right = [f"{value}{suffix}", f"the {word}", word, f"the {value}{suffix}", f"{value}^{{\\text{{{suffix}}}}}", str(value)]
    wrong = [f"{value + 1}th", "first", "the second", f"{value + 10}th", "sixth"]
    return Row(f"{value}{suffix}", right, wrong)


@family("complex-number")
def complex_number(random: Random) -> Row:
    real, imaginary = nonzero(random, -9, 9), nonzero(random, 2, 9)
    if abs(real) == imaginary:
        real += 1 if real != -1 else 3
    values = {"a": real, "b": imaginary, "na": -real, "bp": imaginary + 1, "sq": real * real - imaginary * imaginary, "m": real + imaginary }
    right = fill_all(["@a+@bi", "@bi + @a" if real > 0 else "@bi - " + str(-real), r"@a + @b \mathrm{i}", "@a + @b*i", r"@a+@b\,i", r"@a+ i @b", r"@a + \mathit{i} \cdot @b", r"z = @a+@bi", r"-(@na - @bi)" if real < 0 else "@a+@bi"], **values)
    wrong = fill_all(["@a-@bi", "@na+@bi", "@b+@ai" if real > 0 else "@b@ai", "@a+@bpi", "@mi", "@a", "@bi", "@a+@b", r"@a \pm @bi"], **values)
    return Row(f"{real}+{imaginary}i", right, wrong)


@family("complex-pair")
def complex_pair(random: Random) -> Row:
    real, imaginary = nonzero(random, -9, 9), random.randint(2, 9)
    values = {"a": real, "b": imaginary, "c": imaginary + 1}
    right = fill_all([r"@a \pm @bi", "@a+@bi, @a-@bi", "@a-@bi and @a+@bi", r"x = @a \pm @bi", r"\{@a+@bi, @a-@bi\}", "@a±@bi", r"z_1=@a+@bi, z_2=@a-@bi"], **values)
    wrong = fill_all(["@a+@bi", "@a-@bi", r"@a \pm @b", r"@a \pm @ci", r"\pm @bi", "@a+@bi, @a+@bi"], **values)
    return Row(right[random.randrange(2)], right, wrong)


@family("radicals")
def radicals(random: Random) -> Row:
    outside, inside = random.randint(2, 7), random.choice([2, 3, 5, 6, 7, 10])
    values = {"a": outside, "b": inside, "p": outside * outside * inside, "q": outside * inside, "c": outside + 1, "d": inside + 1 }
    right = fill_all([r"@a\sqrt{@b}", r"\sqrt{@p}", "@a√@b", "@a*sqrt(@b)", r"@a \cdot @b^{1/2}", r"@a\sqrt @b", r"\frac{@q}{\sqrt{@b}}", r"\sqrt{@p} \text{ units}", "sqrt(@p)", r"@a \cdot @b^{\frac{1}{2}}", r"\sqrt{@a^2 \cdot @b}", r"@a\sqrt[2]{@b}", r"@a(@b)^{0.5}", "√(@p)"], **values)
    wrong = fill_all([r"@c\sqrt{@b}", r"@a\sqrt{@d}", r"\sqrt{@q}", r"-@a\sqrt{@b}", "@p", r"@a+\sqrt{@b}", r"\sqrt[3]{@p}", r"@b\sqrt{@a}" if inside != outside else "@c", r"\sqrt{@a}+@b", "@a@b"], **values)
    return Row(fill_all([r"@a\sqrt{@b}"], **values)[0], right, wrong)


@family("rationalised-denominator")
def rationalised(random: Random) -> Row:
    one, two = random.sample([2, 3, 5, 7, 11], 2)
    low, high = sorted((one, two))
    values = {"a": low, "b": high, "d": high - low}
    right = fill_all([r"\frac{1}{\sqrt{@b}-\sqrt{@a}}", r"\frac{\sqrt{@b}+\sqrt{@a}}{@d}", r"(\sqrt{@a}+\sqrt{@b})/@d", r"\frac{\sqrt{@a}}{@d}+\frac{\sqrt{@b}}{@d}", r"\frac{1}{@d}(\sqrt{@b}+\sqrt{@a})", r"\frac{-1}{\sqrt{@a}-\sqrt{@b}}"], **values)
    wrong = fill_all([r"\frac{1}{\sqrt{@b}+\sqrt{@a}}", r"\frac{\sqrt{@b}-\sqrt{@a}}{@d}", r"\sqrt{@b}-\sqrt{@a}", r"\frac{\sqrt{@a}+\sqrt{@b}}{-@d}", r"\frac{1}{\sqrt{@a}-\sqrt{@b}}"], **values)
    return Row(right[0], right, wrong)


@family("logarithm-values")
def logarithm_values(random: Random) -> Row:
    one, two = random.sample([2, 3, 5, 7], 2)
    values = {"a": one, "b": two, "p": one * two, "s": one + two, "q": one * one}
    right = fill_all([r"\ln @a + \ln @b", r"\ln @p", r"\ln(@p)", r"\log_e @p", r"\frac{1}{2}\ln (@q \cdot @b^2)", r"\ln{@a}+\ln{@b}", "ln(@a)+ln(@b)", r"-\ln\frac{1}{@p}", r"2\ln\sqrt{@p}"], **values)
    wrong = fill_all([r"\ln @s", r"\ln @a \cdot \ln @b", r"\ln @a - \ln @b", "@p", r"\ln @p + 1", r"\ln^2 @p", r"-\ln @p"], **values)
    return Row(right[1], right, wrong)


@family("exact-trigonometry")
def exact_trigonometry(random: Random) -> Row:
    name, angle, value, negative = random.choice([("sin", 60, r"\frac{\sqrt{3}}{2}", r"-\frac{\sqrt{3}}{2}"), ("cos", 30, r"\frac{\sqrt{3}}{2}", r"-\frac{\sqrt{3}}{2}"), ("tan", 30, r"\frac{\sqrt{3}}{3}", r"-\frac{\sqrt{3}}{3}"), ("sin", 45, r"\frac{\sqrt{2}}{2}", r"-\frac{\sqrt{2}}{2}") ])
    part = Fraction(angle, 180)
    right = [ value, rf"\{name} {angle}^\circ", rf"\{name}\frac{{{part.numerator}\pi}}{{{part.denominator}}}", f"{name}({angle}°)", rf"\{name}\left(\frac{{\pi}}{{{part.denominator}}}\right)", f"{value.replace('frac', 'dfrac')}"]
    wrong = [ negative, rf"\{name} {angle + 5}^\circ", r"\frac{1}{2}", r"\sqrt{3}", rf"\{name}\frac{{\pi}}{{{part.denominator + 1}}}"]
    return Row(value, right, wrong)


@family("rounded-decimal")
def rounded_decimal(random: Random) -> Row:
    inside = random.choice([2, 3, 5, 6, 7, 10, 11, 13])
    value = math.sqrt(inside)
    right = [f"{value:.4f}", f"\\approx {value:.5f}", f"\\sqrt{{{inside}}} \\approx {value:.2f}", f"x \\approx {value:.6f}", f"approximately {value:.4f}"]
    wrong = [f"{value + 0.001:.4f}", f"{value:.1f}", f"-{value:.4f}", f"{value + 0.1:.4f}", f"\\approx {inside:.4f}", str(round(value))]
    return Row(f"\\sqrt{{{inside}}}", right, wrong)


@family("infinity")
def infinity(random: Random) -> Row:
    sign = random.choice(["", "-"])
    other = "-" if not sign else ""
    right = [f"{sign}\\infty", f"{sign}∞", f"{sign}infinity", f"{sign} \\infty", f"{sign}\\infty."]
    if not sign:
        right.append("+\\infty")
    return Row(f"{sign}\\infty", right, [f"{other}\\infty", "0", "1", "\\pm\\infty", "10^{100}", "\\text{does not exist}"])
