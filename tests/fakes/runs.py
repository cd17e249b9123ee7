"""The hub's runs, in memory."""

from types import SimpleNamespace


class FakeRuns:
    """Keeps what it is sent; ``down`` makes it refuse the next calls."""

    def __init__(self):
        self.created, self.points, self.rows, self.updates, self.down = [], [], [], [], 0

    def _answer(self):
        if self.down > 0:
            self.down -= 1
            raise ConnectionError("the hub did not answer")

    def create(self, run, key=""):
        self._answer()
        self.created.append(run)
        return SimpleNamespace(id="run-1")

    def log(self, run_id, points):
        self._answer()
        assert run_id == "run-1"
        self.points += points

    def rollouts(self, run_id, rows):
        self._answer()
        self.rows += rows

    def update(self, run_id, change):
        self._answer()
        self.updates.append(change)
