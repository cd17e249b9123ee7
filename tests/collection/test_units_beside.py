"""lecture/math-answer on a number with another unit beside it, and on currency signs and underscores around a number."""

import time

import pytest

from tests.collection.conftest import Judge


@pytest.mark.parametrize(
    ("gold", "response"),
    [
        ("5 kg", "He has 5 g in all."),
        ("5 kg", "$5$ g in all"),
        ("5 kg", "**5** g"),
        ("5 kg", "She needs 5 g per day."),
        (r"\frac{1}{2} \text{ kg}", "1/2 g in all"),
        ("3 hours", "She works 3 minutes each day."),
        ("3 hours", "He needs 3 minutes a day."),
        (r"3\text{ hours}", "He needs 3 minutes for it."),
        (r"2 \text{ L}", "He drinks 2 kg of water."),
        (r"5 \text{ m}", "$x = 5$ cm in the end"),
        ("5 m^2", "It covers 5 m in all."),
        ("5 m^2", "It covers 5 square centimetres in all."),
        ("5 km/h", "He walks 5 metres per second."),
        ("12 m/s", "12 km per second in the end"),
        ("60 mph", "It goes 60 miles a minute."),
        ("15 dollars per hour", "She gets 15 dollars a day."),
        (r"12 \text{ dollars}", "He pays 12 euros."),
        ("$12", "She gets 12 cents back."),
        (r"\$42", "He pays €42 in all."),
        (r"\$42", "**42**€"),
        (r"42 \text{ euros}", "£**42**"),
    ],
)
def test_another_unit_beside_the_number_is_another_quantity(accepts: Judge, gold: str, response: str) -> None:
    assert not accepts(gold, response)


@pytest.mark.parametrize(
    ("gold", "response"),
    [
        ("5 kg", "He has 5 kg in all."),
        ("5 kg", "The mass is 5000 g."),
        ("5 kg", "The dog eats 5 kg each day."),
        ("5 kg", "5 in total"),
        ("3 hours", "It takes 180 minutes."),
        ("3 hours", "We have 3 minutes 60 times, which is 3 hours."),
        ("3 hours", "The train needs 3 hours, i.e. 3 × 60 minutes."),
        ("4 hours", "He needs 4 hours, because he walks 4 km per hour."),
        (r"60 \text{ mph}", "**60 miles per hour**"),
        ("60 mph", "It goes 60 miles an hour."),
        ("60 km/h", "60 kilometres an hour"),
        (r"2.7 \text{ g/cm}^3", r"$\rho = 2.7\ \mathrm{g\,cm^{-3}}$"),
        ("25 C", "25 degrees Celsius"),
        ("15 dollars", "$15 per hour in the end"),
        ("7 days", "7 days a week"),
        ("12 cents", "12¢"),
        ("$1/3$", r"$\frac{1}{3}$ meters"),
        (r"\$42", r"He pays \$42 in all."),
        ("42 €", "He pays 42 euros in all."),
    ],
)
def test_the_same_quantity_and_a_number_without_a_unit_are_accepted(accepts: Judge, gold: str, response: str) -> None:
    assert accepts(gold, response)


@pytest.mark.parametrize(
    ("gold", "response"),
    [
        ("5 kg", "5 kilograms altogether"),
        ("5 kg", "He has 5 kilograms in all."),
        ("5 kg", "5000 grams in total"),
        ("60 mph", "60 mi/h"),
        ("5 pounds", "£5"),
        ("£5", "5 pounds"),
    ],
)
def test_quantities_that_were_not_read(accepts: Judge, gold: str, response: str) -> None:
    assert accepts(gold, response)
    assert not accepts(gold.replace("5", "6").replace("60", "61"), response)


@pytest.mark.parametrize("mark", ["**", "*", "__", "_", ""])
@pytest.mark.parametrize("gold", ["42", "1000.99", "-42"])
def test_a_currency_sign_behind_marks_of_emphasis_is_the_numbers(accepts: Judge, gold: str, mark: str) -> None:
    written = gold.replace("1000", "1,000")
    assert accepts(gold, f"{mark}{written}{mark}€")
    assert accepts(gold, f"It costs {mark}{written}{mark} €.")
    assert not accepts(gold, f"{mark}{written.replace('0', '1').replace('2', '3')}{mark}€")


def test_an_amount_is_not_cut_out_of_a_list_or_a_formula(accepts: Judge) -> None:
    assert accepts("42", "_42_")
    for response in ("42€, 43€", "4 or 42€", "40–42€", "x^42€", "x_42_", "2_42_", "5 or _42_", "_43_"):
        assert not accepts("42", response)


@pytest.mark.parametrize("unit", ["5 a ", "5 g ", "5€", "*5*€ ", "_5_", "5/", "1,", r"\frac{5}{1}", r"\$5", "5 per "])
def test_no_long_response_takes_long_to_read(accepts: Judge, unit: str) -> None:
    started = time.thread_time()
    accepts("5 kg", (unit * 30_000)[:30_000])
    assert time.thread_time() - started < 3.0
