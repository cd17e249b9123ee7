import sys

import numpy as np
import pytest

from hub_client.errors import UsageError
from hub_client.tables import RewardTable
from schemas.verdict import ErrorKind, Verdict


def test_what_was_not_judged_is_nan_and_never_zero() -> None:
    judged = Verdict(rewards={"correct": 1.0, "brief": None}, info={"why": "x"})
    lost = Verdict.unjudged(["correct", "brief"], ErrorKind.TIMEOUT, "too slow")
    table = RewardTable(["correct", "brief"], [judged, lost])
    assert table.values.dtype == np.float32
    assert table.values.shape == (2, 2)
    assert table.values[0, 0] == 1.0
    assert np.isnan(table.values[0, 1])
    assert np.isnan(table.values[1]).all()
    assert table.rows == [[1.0, None], [None, None]]
    assert [error and error.kind for error in table.errors] == [None, ErrorKind.TIMEOUT]
    assert table.infos == [{"why": "x"}, {}]
    assert len(table) == 2


def test_an_empty_table_keeps_its_columns() -> None:
    assert RewardTable(["a", "b"], []).values.shape == (0, 2)


def test_without_numpy_values_say_what_to_install_and_rows_are_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "numpy", None)  # as Python treats a module that is not installed
    table = RewardTable(["a"], [Verdict(rewards={"a": 1.0})])
    with pytest.raises(UsageError, match=r"values needs numpy: pip install .*adapters"):
        _ = table.values
    assert table.rows == [[1.0]]
