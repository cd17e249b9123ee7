"""RewardTable: many verdicts as one table."""

import importlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hub_client.errors import UsageError
from schemas.extras import how_to_install
from schemas.verdict import Verdict, VerdictError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_NUMPY = "numpy"  # Slow to import, and needed only for arrays.


@dataclass(frozen=True)
class RewardTable:
    """Rows are pairs in the order they were given, columns the declared rewards ``names``."""

    names: list[str]
    verdicts: Sequence[Verdict]

    @property
    def rows(self) -> list[list[float | None]]:
        """[n][k]; None where a reward could not be judged."""
        return [[verdict.rewards.get(name) for name in self.names] for verdict in self.verdicts]

    @property
    def values(self) -> "NDArray[np.float32]":
        """float32 [n, k]; NaN where a reward could not be judged. Raises :class:`UsageError` without numpy."""
        try:
            numpy: Any = importlib.import_module(_NUMPY)
        except ModuleNotFoundError:
            raise UsageError(f"values needs numpy: {how_to_install('adapters')}, or read rows") from None
        table = numpy.full((len(self.verdicts), len(self.names)), numpy.nan, dtype=numpy.float32)
        for index, row in enumerate(self.rows):
            table[index] = [numpy.nan if value is None else value for value in row]
        return table  # type: ignore[no-any-return]

    @property
    def errors(self) -> list[VerdictError | None]:
        """Why (part of) a row was not judged, by row."""
        return [verdict.error for verdict in self.verdicts]

    @property
    def infos(self) -> list[dict[str, Any]]:
        """What the verifier said besides, by row."""
        return [verdict.info for verdict in self.verdicts]

    def __len__(self) -> int:
        return len(self.verdicts)
