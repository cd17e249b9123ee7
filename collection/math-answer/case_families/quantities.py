r"""Quantities: units, money, angles, clocks, dates, ratios."""
# fmt: off
# ruff: noqa: E501 -- one spelling after another reads better on a line

from fractions import Fraction
from random import Random

from case_families.numbers import proper
from case_families.registry import Row, family, fill_all


@family("money")
def money(random: Random) -> Row:
    dollars, cents = random.randint(2, 99), random.randint(11, 99)
    cents += cents % 10 == 0
    values = {"d": dollars, "c": f"{cents:02d}", "e": dollars + 1, "t": dollars * 100 + cents, "x": f"{(cents + 1) % 100:02d}" }
    right = fill_all([r"\$@d.@c", "@d.@c", "@d.@c dollars", "USD @d.@c", r"@d.@c \text{ dollars}", "@d.@c USD", "US$@d.@c", r"\text{\$}@d.@c", "@t cents", "@d dollars and @c cents"], **values)
    wrong = fill_all([r"\$@e.@c", "@t dollars", r"\$@d.@x", "@d.@c cents", "€@d.@c", "£@d.@c", r"@d.@c \text{ euros}", "@d"], **values)
    return Row(f"\\${dollars}.{cents:02d}", right, wrong)


@family("length-units")
def length_units(random: Random) -> Row:
    centimetres = random.randint(11, 99) * 10 + random.randint(1, 9)
    values = {"c": centimetres, "m": f"{centimetres / 100:.2f}", "mm": centimetres * 10, "x": centimetres + 1}
    right = fill_all([r"@c \text{ cm}", "@c cm", "@m m", "@mm mm", r"@c\,\mathrm{cm}", "@c centimeters", "@c centimetres", r"@m\text{ metres}", "@ccm", r"@c\;cm", r"@c~\text{cm}", r"@c\text{cm}", "@c"], **values)
    wrong = fill_all(["@c m", "@m cm", "@c mm", "@c kg", r"@c \text{ cm}^2", "@x cm", "-@c cm", "@c km", r"@c \text{ seconds}"], **values)
    return Row(f"{centimetres} \\text{{ cm}}", right, wrong)


@family("area-units")
def area_units(random: Random) -> Row:
    metres = random.randint(3, 99)
    values = {"a": metres, "c": metres * 10000, "x": metres + 1}
    right = fill_all([r"@a \text{ m}^2", "@a m^2", "@a m²", "@a square meters", r"@a\ \mathrm{m^2}", "@c cm^2", r"@a\,\text{m}^{2}", "@a sq. m", r"@a \text{ square metres}", r"@a \text{ sq m}", "@a"], **values)
    wrong = fill_all(["@a m", "@a m^3", "@c m^2", "@x m^2", r"@a \text{ cm}^2", "@a cubic meters", "@a km^2"], **values)
    return Row(f"{metres} \\text{{ m}}^2", right, wrong)


@family("speed-units")
def speed_units(random: Random) -> Row:
    speed = random.randint(2, 25) * 18
    values = {"k": speed, "m": speed * 5 // 18, "x": speed + 1}
    right = fill_all([r"@k \text{ km/h}", "@k km/h", "@k kilometers per hour", "@m m/s", r"@k\ \frac{\text{km}}{\text{h}}", "@k kmh", r"@k \text{ km per hour}", r"@k\,\mathrm{km\,h^{-1}}", "@k km/hr", r"@k~\mathrm{km}/\mathrm{h}"], **values)
    wrong = fill_all(["@k m/s", "@m km/h", "@k mph", "@x km/h", "@k km", "@k hours"], **values)
    return Row(f"{speed} \\text{{ km/h}}", right, wrong)


@family("durations")
def durations(random: Random) -> Row:
    hours, minutes = random.randint(1, 5), random.choice([15, 30, 45])
    total = hours * 60 + minutes
    values = {"h": hours, "m": minutes, "t": total, "d": f"{hours + minutes / 60:.2f}".rstrip("0"), "g": hours + 1, "n": minutes // 15, "s": total * 60 }
    right = fill_all([r"@h \text{ hours } @m \text{ minutes}", "@h hours and @m minutes", "@t minutes", "@d hours", "@h h @m min", "@hh @mmin", "@h hr @m min", r"@s \text{ seconds}", "@h hours, @m minutes"], **values)
    wrong = fill_all(["@g hours @m minutes", "@h hours", "@m minutes", "@t hours", "@h.@m hours", "@d minutes", "@m hours @h minutes"], **values)
    return Row(f"{hours} \\text{{ hours }} {minutes} \\text{{ minutes}}", right, wrong)


@family("angle-degrees")
def angle_degrees(random: Random) -> Row:
    angle = random.choice([15, 18, 20, 36, 40, 50, 72, 75, 80, 100, 105, 140, 165])
    part = Fraction(angle, 180)
    values = {"a": angle, "t": "" if part.numerator == 1 else part.numerator, "b": part.denominator, "x": angle + 5, "c": 180 - angle }
    right = fill_all([r"@a^\circ", "@a°", r"@a^{\circ}", "@a degrees", r"\frac{@t\pi}{@b}", r"@a\text{ degrees}", r"\angle A = @a^\circ", r"@a\degree", "@a deg", r"@t\pi/@b", r"@a^o", r"@a\,^{\circ}", r"{@a}^{\circ}", r"\frac{@t\pi}{@b} \text{ radians}", "@a"], **values)
    wrong = fill_all([r"@x^\circ", r"@c^\circ", r"-@a^\circ", r"\frac{\pi}{@a}", r"@a\pi", r"@a \text{ radians}", r"@a\%"], **values)
    return Row(f"{angle}^\\circ", right, wrong)


@family("angle-radians")
def angle_radians(random: Random) -> Row:
    top, bottom = random.choice([(1, 5), (2, 5), (3, 4), (5, 6), (2, 3), (7, 12), (5, 12), (1, 8)])
    degrees = Fraction(180 * top, bottom)
    shown = str(degrees.numerator) if degrees.denominator == 1 else f"{float(degrees):g}"
    values = {"t": "" if top == 1 else top, "n": top, "b": bottom, "d": shown, "c": bottom + 1}
    right = fill_all([r"\frac{@t\pi}{@b}", r"@t\pi/@b", r"\frac{@n}{@b}\pi", r"@d^\circ", "@tπ/@b", r"\frac{@t\pi}{@b} \text{ rad}", r"\frac{@t\pi}{@b}\text{ radians}", "@d°", r"\dfrac{@n}{@b} \pi", r"\pi \cdot \frac{@n}{@b}"], **values)
    wrong = fill_all([r"\frac{@t\pi}{@c}", "@d", r"\frac{@n}{@b}", r"-\frac{@t\pi}{@b}", r"\frac{@t}{@b\pi}", r"\frac{@b\pi}{@n}" if top > 1 else r"@b\pi", r"\frac{@t\pi}{@b}^\circ"], **values)
    return Row(f"\\frac{{{values['t']}\\pi}}{{{bottom}}}", right, wrong)


@family("degrees-minutes")
def degrees_minutes(random: Random) -> Row:
    degrees, minutes = random.randint(10, 80), random.choice([15, 30, 45, 12, 24, 36])
    values = {"d": degrees, "m": minutes, "f": f"{degrees + minutes / 60:g}", "x": degrees + 1, "n": minutes + 1}
    right = fill_all([r"@d^\circ @m'", r"@f^\circ", "@d°@m'", r"@d^{\circ} @m^{\prime}", "@d degrees @m minutes", "@d°@m′"], **values)
    wrong = fill_all([r"@x^\circ @m'", r"@d^\circ @n'", r"@d^\circ", r"@d.@m1^\circ", r"-@d^\circ @m'"], **values)
    return Row(f"{degrees}^\\circ {minutes}'", right, wrong)


@family("clock", wraps=False)
def clock(random: Random) -> Row:
    hour, minute = random.randint(1, 11), random.choice([15, 20, 25, 40, 50, 55])
    values = {"h": hour, "m": minute, "p": hour + 12, "x": minute - 5, "g": hour % 11 + 1}
    right = fill_all(["@h:@m PM", "@h:@m p.m.", "@p:@m", r"@h\!:\!@m \text{ p.m.}", "@h:@m pm", r"@h:@m \text{ PM}", "The train leaves at @h:@m PM.", "@h:@mPM", r"\boxed{@h:@m\text{ PM}}"], **values)
    wrong = fill_all(["@h:@m AM", "@h:@x PM", "@g:@m PM", "@m:@h PM", "@p:@x", r"@h:@m \text{ a.m.}"], **values)
    return Row(f"{hour}:{minute} \\text{{ PM}}", right, wrong)


@family("dates", wraps=False)
def dates(random: Random) -> Row:
    month, short, number = random.choice([("March", "Mar", 3), ("April", "Apr", 4), ("October", "Oct", 10), ("December", "Dec", 12), ("August", "Aug", 8) ])
    day, year = random.randint(13, 28), random.randint(1950, 2040)
    suffix = {21: "st", 22: "nd", 23: "rd"}.get(day, "th")
    values = {"M": month, "S": short, "d": day, "y": year, "x": day - 1, "z": year + 1, "n": f"{number:02d}", "s": suffix }
    right = fill_all(["@M @d, @y", "@d @M @y", "@M @d@s, @y", "@y-@n-@d", "@S @d, @y", r"\text{@M } @d, @y", "the @d@s of @M @y", "@M @d @y", "@S. @d, @y", "It happened on @M @d, @y."], **values)
    wrong = fill_all(["@M @x, @y", "@M @d, @z", "June @d, @y", "@d", "@M @y", "@y-@n-@x", "@y"], **values)
    return Row(f"{month} {day}, {year}", right, wrong)


@family("ratios")
def ratios(random: Random) -> Row:
    top, bottom = proper(random)
    while top < 2:
        top, bottom = proper(random)
    values = {"a": top, "b": bottom, "c": 3 * top, "d": 3 * bottom, "x": top + 1 if top + 1 != bottom else top - 1, "s": top + bottom }
    right = fill_all(["@a:@b", "@a : @b", "@a to @b", "@c:@d", r"\frac{@a}{@b}", "@a/@b", r"@a\colon @b", r"@a \text{ to } @b", r"\text{@a:@b}", "@a∶@b", r"@a{:}@b"], **values)
    wrong = fill_all(["@b:@a", "@x:@b", r"\frac{@b}{@a}", "@a:@s", "@b to @a", "@a@b", "@a:@b:1"], **values)
    return Row(f"{top}:{bottom}", right, wrong)


@family("three-part-ratio")
def three_ratio(random: Random) -> Row:
    one, two, three = random.sample([2, 3, 5, 7, 11, 13], 3)
    values = {"a": one, "b": two, "c": three, "p": 2 * one, "q": 2 * two, "r": 2 * three, "x": three + 1}
    right = fill_all(["@a:@b:@c", "@p:@q:@r", "@a : @b : @c", "@a to @b to @c", r"@a\colon@b\colon@c", r"\frac{@a}{@c}:\frac{@b}{@c}:1", "x:y:z = @a:@b:@c"], **values)
    wrong = fill_all(["@b:@a:@c", "@a:@b:@x", "@a:@b", "@c:@b:@a", "@p:@b:@c"], **values)
    return Row(f"{one}:{two}:{three}", right, wrong)


@family("counted-things", wraps=False)
def counted_things(random: Random) -> Row:
    count = random.randint(4, 60)
    thing, other = random.sample(["apples", "students", "books", "marbles", "pages", "tickets", "oranges", "coins"], 2)
    values = {"n": count, "t": thing, "o": other, "x": count + 1}
    right = fill_all(["@n @t", "@n", r"@n \text{ @t}", "There are @n @t.", r"\boxed{@n \text{ @t}}", r"\boxed{@n}\text{ @t}", "**@n @t**", "She has @n @t left.", r"$@n$ @t", "So the answer is: @n @t."], **values)
    wrong = fill_all(["@x @t", "There are @x @t.", r"@x \text{ @t}", "@n @o", "-@n", r"\boxed{@x}", "@n or @x @t", "more than @n @t"], **values)
    return Row(f"{count} {thing}", right, wrong)


@family("unit-not-asked", wraps=False)
def unit_not_asked(random: Random) -> Row:
    count = random.randint(12, 90)
    values = {"n": count, "x": count + 2}
    right = fill_all(["@n minutes", r"@n \text{ cm}", r"\$@n", "@n people", r"@n \text{ square units}", r"@n\ \text{units}^2", "@n years old", r"@n \text{ (in minutes)}"], **values)
    wrong = fill_all(["@x minutes", r"@x\text{ cm}", "@n.5 minutes", "-@n people", r"@n! \text{ ways}"], **values)
    return Row(str(count), right, wrong)
