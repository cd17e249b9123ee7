"""The section on verdicts that were read: wrong blame with its interval, probes apart, kappa, and what was settled."""

from scripts.field_study.readings_page import one_sample_part, readings_part


def row(number: int, found: str, origin: str = "suite", **more: object) -> dict:
    name = f"pack--check{number % 7}--text"
    return {
        "list": name,
        "case": f"c{number}",
        "origin": origin,
        "kind": "fp",
        "found": found,
        "drawn": True,
        "pile": 10,
        "rule": "form",
        **more,
    }


def rows(*found: str, origin: str = "suite", start: int = 0) -> list[dict]:
    return [row(start + number, one, origin) for number, one in enumerate(found)]


SECOND = rows(*["wrong"] * 96, *["right"] * 3, "unsure") + rows(*["wrong"] * 50, origin="probe", start=100)


def test_nothing_read_makes_no_section() -> None:
    assert readings_part([], [], []) == ""
    assert readings_part([row(1, "wrong")], [row(1, "wrong", drawn=False)], []) == ""


def test_wrong_blame_is_told_with_its_interval_and_probes_apart() -> None:
    text = readings_part([], SECOND, [])
    assert "150 verdicts" in text
    assert "**3 of 150 (2.0 % [0.7, 5.7]) blame the verifier wrongly**, 1 cannot be decided" in text
    assert "Of the 50 that probes made, 0 of 50 (0.0 % [0.0, 7.1])" in text
    assert "of the 100 of labelled cases, 3 of 100" in text
    assert "7 lists" in text
    assert "*A question that asks for a form* (3)" in text
    assert "*Marks around a bare answer* (0)" in text
    assert "7 verifiers of 1 packages" in text


def test_a_list_with_many_verdicts_weighs_more_in_the_weighted_share() -> None:
    few, many = row(1, "right", pile=10), [row(2, "wrong", pile=90), row(9, "wrong", pile=90)]
    assert "held, 10.0 % are blamed wrongly" in readings_part([], [few, *many], [])


def test_what_both_read_shows_kappa_and_what_was_settled_counts() -> None:
    first = [one | {"found": "wrong"} for one in SECOND[90:]]
    differ = [one for one in SECOND if one["found"] != "wrong"]
    settled = [one | {"found": "right", "why": "a turned sign"} for one in differ]
    text = readings_part(first, SECOND, settled)
    assert "The 60 verdicts of an earlier sample, from 7 lists" in text
    assert "They agree on 56 (93.3 %)" in text
    assert "**4 of 150" in text
    assert "| 3 | wrong | right | right | a turned sign |" in text
    assert "| 1 | wrong | unsure | right | a turned sign |" in text


def test_what_a_function_documents_is_counted_apart() -> None:
    assert "In 1 of the 2 the label is certain" in readings_part(
        [], [row(1, "wrong", documented=True), row(2, "wrong")], []
    )


def test_what_was_read_after_the_corrections_is_told_apart() -> None:
    after = [*SECOND[:9], row(900, "right")]
    text = readings_part([], SECOND, [], after)
    assert "read 10 more" in text
    assert "; 1 of them were in neither sample. **1 of 10 (10.0 %" in text
    assert "of the other 9 none does" in text
    assert "more, drawn by another seed" not in readings_part([], SECOND, [])


def test_a_fourth_reader_tells_which_families_nobody_had_met_and_the_interval_over_families() -> None:
    probes = [
        row(number, "wrong", "probe", case=f"probe:{'leak_dots' if number % 2 else 'swap'}:{number}")
        for number in range(20)
    ]
    met = [row(1, "wrong", "probe", case="probe:swap:1")]
    text = readings_part([], SECOND, [], fourth=probes, third=met)
    assert "read 20 wrong verdicts on probes" in text
    assert "had not met: `leak_dots` 10. Then" in text
    assert "**0 of 20 (0.0 % [0.0, 16.1]) blame the verifier wrongly**" in text
    assert "clusters (2) the interval is [0, 65.8 %]" in text
    assert "A fourth reader" not in readings_part([], SECOND, [])


def test_one_sample_of_all_failures_is_told_with_its_frame() -> None:
    assert one_sample_part([]) == ""
    known = {"read_before": True, "stratum": "cases text", "size": 700, "why": "denied"}
    drawn = [row(n, "wrong", **known) for n in range(7)]
    drawn += [row(9, "unsure", "probe", read_before=False, stratum="probe swap", size=3, why="k or n")]
    text = one_sample_part(drawn)
    assert "found 703 wrong verdicts of" in text
    assert "**0 of 8 (0.0 % [0.0, 32.4]) blame the verifier wrongly**, 1 cannot be" in text
    assert "7 of them had been read before" in text
    assert "(k or n)" in text
