"""The data files of a package: tasks and labelled cases, checked row by row."""

from collections.abc import Callable, Iterable, Iterator

from pydantic_core import from_json, to_json

from schemas.evidence.cases import AuditCase
from schemas.evidence.metamorphic import MetamorphicPair
from schemas.kinds import PackageKind
from schemas.manifest import Manifest
from schemas.rows import Report, RowsError, parse_row, read_rows
from schemas.sources import DataFile
from schemas.task import Task
from schemas.wheels.wheel_error import ProblemList, WheelError


def task_rows(data: bytes, path: str, split: str) -> Iterator[Task]:
    """The tasks that ``path`` holds for ``split``.

    A row that names a split belongs to that one only; a row that names none belongs to whichever split the file serves.
    Raises :class:`WheelError` on the first faulty row (a published package has none).
    """
    for number, row in read_rows(data, path, _raise_for(path)):
        if row.get("split", split) == split:
            task = parse_row(Task, {**row, "split": split}, number, _raise_for(path))
            assert task is not None
            yield task


def task_lines(data: bytes, path: str, split: str, *, with_answer: bool) -> Iterator[bytes]:
    """The lines that ``Task.to_line`` gives for :func:`task_rows`, of a file that was checked before.

    A hub writes them when a release is first read. Most rows become no :class:`Task` for that: 2 µs a row instead of 7.
    """
    if path.endswith(".parquet"):
        yield from (task.to_line(with_answer=with_answer) for task in task_rows(data, path, split))
        return
    for row in data.split(b"\n"):
        line = _plain_line(row, split, with_answer=with_answer)
        if line is None:  # blank, of another split, or not plain
            yield from (task.to_line(with_answer=with_answer) for task in task_rows(row, path, split))
        else:
            yield line


_FIELDS = frozenset(Task.model_fields)


def _plain_line(text: bytes, split: str, *, with_answer: bool) -> bytes | None:
    """The line of a checked row whose prompt is a text. None where a :class:`Task` has to be made to know it."""
    try:
        row = from_json(text, allow_inf_nan=False)
    except ValueError:
        return None
    if not isinstance(row, dict) or not isinstance(row.get("prompt"), str) or row.get("split", split) != split:
        return None
    if not row.keys() <= _FIELDS or "id" not in row:
        return None
    answer, info = (row.get("answer"), row.get("info", {})) if with_answer else (None, {})
    line = {"id": row["id"], "prompt": row["prompt"], "answer": answer, "info": info}
    return to_json({**line, "tags": row.get("tags", []), "split": split}, inf_nan_mode="null") + b"\n"


def case_rows(data: bytes, path: str) -> Iterator[AuditCase]:
    """The labelled cases in ``path``. Raises :class:`WheelError` on the first faulty row."""
    for number, row in read_rows(data, path, _raise_for(path)):
        case = parse_row(AuditCase, row, number, _raise_for(path))
        assert case is not None
        yield case


def pair_rows(data: bytes, path: str) -> Iterator[MetamorphicPair]:
    """The metamorphic pairs in ``path``. Raises :class:`WheelError` on the first faulty row."""
    for number, row in read_rows(data, path, _raise_for(path)):
        pair = parse_row(MetamorphicPair, row, number, _raise_for(path))
        assert pair is not None
        yield pair


def check_relations(pairs: Iterable[MetamorphicPair]) -> Iterator[str]:
    """One sentence for each pair whose rewriting had the other relation before."""
    relations: dict[str, str] = {}
    for pair in pairs:
        first = relations.setdefault(pair.rewriting, pair.relation)
        if first != pair.relation:
            yield f"rewriting {pair.rewriting!r} is {first} in an earlier pair and {pair.relation} here: use two names"


def _raise_for(path: str) -> Report:
    def report(number: int, sentence: str) -> None:
        problems = ProblemList()
        problems.add(f"{path}:{number}", sentence)
        raise WheelError(problems.parts)

    return report


def check_data_files(files: dict[str, bytes], manifest: Manifest, problems: ProblemList) -> None:
    """Every task and audit file that ``manifest`` names is there, and every row of it is sound."""
    task_ids = _check_tasks(files, manifest, problems)
    sources = [*manifest.case_files, *([manifest.examples] if isinstance(manifest.examples, DataFile) else [])]
    seen: dict[str, str] = {}
    for case_file in dict.fromkeys(sources):
        _check_cases(files, manifest, case_file, (task_ids, seen), problems)
    if isinstance(manifest.probes.pairs, DataFile):
        _check_pairs(files, manifest, manifest.probes.pairs, task_ids, problems)


def _check_tasks(files: dict[str, bytes], manifest: Manifest, problems: ProblemList) -> set[str] | None:
    """Ids of all tasks. None when a generator makes some, because an unknown id may then still be valid."""
    by_file: dict[DataFile, list[str]] = {}
    for split, source in manifest.stored_splits.items():
        by_file.setdefault(source, []).append(split)
    ids: set[str] = set()
    for source, splits in by_file.items():
        ids |= _check_task_file(files, manifest, source, splits, problems)
    return None if manifest.generated_splits else ids


def _check_task_file(
    files: dict[str, bytes], manifest: Manifest, source: str, splits: list[str], problems: ProblemList
) -> set[str]:
    path = f"{manifest.import_name}/{source}"
    seen: dict[tuple[str, str], int] = {}
    counts = dict.fromkeys(splits, 0)

    def check(number: int, row: dict[str, object], report: Report) -> None:
        task = parse_row(Task, row, number, report)
        if task is None:
            return
        named = [task.split] if "split" in row else splits
        for split in named:
            if split not in counts:
                report(number, f"split {split!r} is not served by this file; verihub.toml says {', '.join(splits)}")
                continue
            counts[split] += 1
            if (split, task.id) in seen:
                report(
                    number,
                    f"task id {task.id!r} is used on line {seen[split, task.id]} already: ids are unique in a split",
                )
            seen.setdefault((split, task.id), number)

    _each_row(files, path, check, problems)
    for split, count in counts.items():
        if count == 0 and path in files:
            problems.add(path, f"holds no task for split {split}")
    return {task_id for _, task_id in seen}


def _check_cases(
    files: dict[str, bytes],
    manifest: Manifest,
    source: str,
    known: tuple[set[str] | None, dict[str, str]],
    problems: ProblemList,
) -> None:
    path = f"{manifest.import_name}/{source}"
    task_ids, seen = known

    def check(number: int, row: dict[str, object], report: Report) -> None:
        case = parse_row(AuditCase, row, number, report)
        if case is None:
            return
        if case.id in seen:
            report(number, f"audit case id {case.id!r} is used at {seen[case.id]} already: ids are unique in a package")
        seen[case.id] = f"{source}:{number}"
        for sentence in _case_faults(case, manifest, task_ids):
            report(number, sentence)

    _each_row(files, path, check, problems)


def _check_pairs(
    files: dict[str, bytes], manifest: Manifest, source: str, task_ids: set[str] | None, problems: ProblemList
) -> None:
    relations: dict[str, MetamorphicPair] = {}

    def check(number: int, row: dict[str, object], report: Report) -> None:
        pair = parse_row(MetamorphicPair, row, number, report)
        if pair is None:
            return
        known = [*relations.values(), pair]
        for sentence in check_relations(known):
            report(number, sentence)
        relations.setdefault(pair.rewriting, pair)
        if pair.task is None and pair.task_id is not None and task_ids is not None and pair.task_id not in task_ids:
            report(
                number, f"the pair names task {pair.task_id!r}, which this package does not hold: give the task itself"
            )

    _each_row(files, f"{manifest.import_name}/{source}", check, problems)


def _case_faults(case: AuditCase, manifest: Manifest, task_ids: set[str] | None) -> Iterator[str]:
    if case.task is None and case.task_id is not None and task_ids is not None and case.task_id not in task_ids:
        remedy = (
            "give the task itself"
            if manifest.kind is not PackageKind.ENVIRONMENT
            else "use the id of a task, or give the task itself"
        )
        yield f"audit case {case.id!r} names task {case.task_id!r}, which this package does not hold: {remedy}"
    if not manifest.rewards:
        return
    for name, value in (case.expect or {}).items():
        declared = manifest.rewards.get(name)
        if declared is None:
            names = ", ".join(manifest.rewards)
            yield f"audit case {case.id!r} expects {name!r}, which is no declared reward ({names})"
        elif not declared.range[0] <= value <= declared.range[1]:
            yield f"audit case {case.id!r} expects {name} = {value}, outside its range {list(declared.range)}"


def _each_row(
    files: dict[str, bytes],
    path: str,
    check: Callable[[int, dict[str, object], Report], None],
    problems: ProblemList,
) -> None:
    if path not in files:
        problems.add(path, "is named in verihub.toml and missing from the wheel: put the file beside verihub.toml")
        return

    def report(number: int, sentence: str) -> None:
        problems.add(f"{path}:{number}", sentence)

    try:
        for number, row in read_rows(files[path], path, report):
            check(number, row, report)
    except RowsError as error:
        problems.add(path, str(error))
