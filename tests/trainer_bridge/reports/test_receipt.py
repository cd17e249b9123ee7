"""A receipt is written once, comes back as it was, and names what is different."""

import pytest
import torch

from schemas.run import PinnedPackage
from trainer_bridge.errors import SettingsError
from trainer_bridge.reports.receipt import Receipt, machine, versions, weights_digest


def receipt(**changes):
    package = PinnedPackage(package="test/digits", version="1.0.0", digest="sha256:" + "0" * 64)
    given = {
        "settings": {"seed": 0},
        "recipe": {"surrogate.clip.epsilon": 0.2},
        "packages": [package],
        "model": {"dtype": "torch.float32"},
        "versions": versions(),
        "machine": machine(),
    }
    return Receipt(**(given | changes))


def test_it_is_written_once_and_comes_back_as_it_was(tmp_path):
    receipt().write(tmp_path)
    receipt(settings={"seed": 1}).write(tmp_path)
    assert Receipt.read(tmp_path) == receipt()
    (tmp_path / "receipt.json").write_text("{}")
    with pytest.raises(SettingsError, match="no receipt"):
        Receipt.read(tmp_path)


def test_every_kind_of_difference_is_named():
    other = PinnedPackage(package="test/digits", version="1.0.0", digest="sha256:" + "1" * 64)
    changed = receipt(
        recipe={"surrogate.clip.epsilon": 0.3},
        packages=[other],
        model={"dtype": "torch.bfloat16"},
        versions={**versions(), "torch": "1.0"},
        machine="Elsewhere",
    )
    found = receipt().differences(changed)
    assert len(found) == 5
    for word in ("epsilon was 0.2, is 0.3", "bfloat16", "is 1.0", "Elsewhere", "test/digits was @1.0.0"):
        assert any(word in line for line in found)
    assert receipt().differences(receipt()) == []


def test_the_digest_of_weights_sees_a_bit_a_name_and_a_shape():
    def named(name="a", shape=(2, 3), value=0.0):
        tensor = torch.zeros(shape, dtype=torch.bfloat16)
        tensor.view(-1)[0] = value
        return [(name, tensor), ("scalar", torch.tensor(1.0))]

    digests = [weights_digest(one) for one in (named(), named("b"), named(shape=(3, 2)), named(value=1e-30))]
    assert len(set(digests)) == 4
    assert weights_digest(named()) == digests[0]
