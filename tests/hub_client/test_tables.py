import numpy as np

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
