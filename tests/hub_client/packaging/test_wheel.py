from hypothesis import given
from hypothesis import strategies as st

from hub_client.packaging.wheel import normalise
from schemas.wheels.archive import read_archive
from schemas.wheels.wheel import read_wheel
from tests.making.wheel import wheel_files


def test_a_normalised_wheel_is_sound_and_normalising_again_changes_nothing() -> None:
    data = normalise(wheel_files())
    assert read_wheel(data).manifest.id == "alice/small-sums"
    assert normalise(read_archive(data)) == data


@given(st.randoms(use_true_random=False), st.binary(max_size=2000))
def test_the_order_of_files_does_not_matter(dice, content) -> None:
    files = {**wheel_files(), "alice_small_sums/a,b.bin": content}
    shuffled = list(files.items())
    dice.shuffle(shuffled)
    assert normalise(dict(shuffled)) == normalise(files)
    assert read_archive(normalise(files))["alice_small_sums/a,b.bin"] == content


def test_residue_of_running_and_the_builders_name_are_left_out() -> None:
    files = wheel_files(extra={"alice_small_sums/__pycache__/x.pyc": b"0", "alice_small_sums/.DS_Store": b"0"})
    kept = read_archive(normalise(files))
    assert not any("pycache" in path or "DS_Store" in path for path in kept)
    assert b"by hand" not in kept["alice_small_sums-1.0.0.dist-info/WHEEL"]
