"""Hands the tests to the processes of ``pytest -n``: a file, or an ``xdist_group``, at a time.

xdist's own ``loadgroup`` hands over test by test. Each process then makes the fixtures of most files, and the process
that hands over looks through all that is done whenever a test ends: 70 s of CPU for 14,000 tests.
"""

from typing import TYPE_CHECKING

from xdist.scheduler import LoadScopeScheduling

if TYPE_CHECKING:
    from xdist.workermanage import WorkerController

_MANY = 40
"""A file of so many tests has quick ones. Such files come last, so that no process has a slow file left at the end."""


class FileScheduling(LoadScopeScheduling):
    """In the order of collection, but for the files of many tests, which come last."""

    def _split_scope(self, nodeid: str) -> str:
        test, _, group = nodeid.rpartition("@")
        return f"@{group}" if test and "]" not in group else nodeid.partition("::")[0]

    def schedule(self) -> None:
        """Hand over the first files; called again when a process joins."""
        is_first = self.collection is None
        self.config.option.loadscopereorder = False
        super().schedule()
        if is_first:
            for scope in [scope for scope, tests in self.workqueue.items() if len(tests) >= _MANY and scope[0] != "@"]:
                self.workqueue.move_to_end(scope)

    def mark_test_complete(self, node: "WorkerController", item_index: int, duration: float = 0) -> None:
        """Forget a file when its last test is done: what is left to do is counted after each test."""
        scope = self._split_scope(self.registered_collections[node][item_index])
        super().mark_test_complete(node, item_index, duration)
        if all(self.assigned_work[node][scope].values()):
            del self.assigned_work[node][scope]
