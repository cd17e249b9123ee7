"""A question of somebody else's: ``info.schema``, ``info.databases`` and the gold query as answer."""

from dataclasses import dataclass

from lecture_sql_questions.running import Row, run_on


@dataclass(frozen=True)
class GivenCase:
    """What such a task stands for. Databases are named by their place."""

    schema: str
    databases: tuple[dict, ...]
    gold: str
    is_ordered: bool

    @classmethod
    def of(cls, task: dict) -> "GivenCase":
        """Raises ValueError where the task brings no database: then no query can be told from another."""
        info = task["info"]
        if not info["databases"]:
            raise ValueError("the task brings no database")
        return cls(info["schema"], tuple(info["databases"]), task["answer"], bool(info.get("ordered", False)))

    @property
    def shown(self) -> str:
        """The first."""
        return "0"

    @property
    def hidden(self) -> tuple[str, ...]:
        """All of them decide."""
        return tuple(str(place) for place in range(len(self.databases)))

    def rows(self, seed: str, sql: str) -> list[Row]:
        """What a query gives on one of the databases. Raises :class:`QueryError`."""
        return run_on(self.schema, self.databases[int(seed)], sql)

    def right_rows(self, seed: str) -> list[Row]:
        """What the right query gives on one of the databases. Raises :class:`QueryError`."""
        return self.rows(seed, self.gold)
