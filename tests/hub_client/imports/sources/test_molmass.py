"""A small library of our own in the shape of molmass: every atom weighs ten."""

import pytest

from hub_client.imports import library as libraries
from hub_client.imports.registry import Request
from hub_client.imports.sources.molmass import Molmass
from tests.hub_client.imports.package_answers import told
from tests.making import library as making

CODE = r"""
import re


class Composition:
    def __init__(self, counts):
        self.counts = counts

    def asdict(self):
        total = sum(self.counts.values())
        return {name: (count, 10.0 * count, count / total) for name, count in self.counts.items()}


class Formula:
    def __init__(self, text):
        if not re.fullmatch(r"(peptide\([A-Z]+\)|[A-Z][A-Za-z0-9()]*)", text):
            raise ValueError(text)
        self.text = text

    @property
    def mass(self):
        return 10.0 * sum(self.composition().counts.values())

    @property
    def empirical(self):
        return "".join(f"{name}{count}" for name, count in self.composition().counts.items())

    def composition(self):
        counts = {}
        for name, count in re.findall(r"([A-Z][a-z]?)(\d*)", self.text):
            counts[name] = counts.get(name, 0) + int(count or 1)
        return Composition(counts)
"""
FILES = {"molmass/__init__.py": CODE}


@pytest.fixture
def source(cache, monkeypatch) -> Molmass:
    lock = making.keep(cache, "molmass", "2026.1.8", making.plain_wheel("molmass", "2026.1.8", FILES))
    monkeypatch.setattr(libraries, "lock_alone", lambda *_: lock)
    return Molmass(Request(cache))


@pytest.mark.parametrize("item", ["molar-mass", "mass-fraction", "peptide-mass"])
def test_a_number_is_right_to_a_thousandth(source, tmp_path, item: str) -> None:
    said = (
        "'<answer>' + t['answer'] + '</answer>', t['answer'] + ' g/mol', str(float(t['answer']) * 1.0009), "
        "str(float(t['answer']) * 1.002), '', 'nan', '1e3', '-' + t['answer'], '<answer>1</answer> ' + t['answer']"
    )
    tasks, judged = told(
        source.draft(item),
        tmp_path,
        "[it.generate(split, 0, number) for split in ('train', 'test') for number in range(20)]",
        f"[it.verify(t, said)['correct'] for t in [it.generate('test', 0, 0)] for said in [{said}]]",
        library=FILES,
    )
    assert judged == [1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    assert len({task["prompt"] for task in tasks}) > 30


def test_a_formula_is_right_in_any_order_and_what_is_no_formula_is_wrong(source, tmp_path) -> None:
    said = ("<answer>O1Ca1</answer>", "CaO", "Ca2O2", "", "nothing at all", "NaCl")
    (judged,) = told(
        source.draft("empirical-formula"),
        tmp_path,
        f"[it.verify({{'answer': 'CaO'}}, said)['correct'] for said in {said!r}]",
        library=FILES,
    )
    assert judged == [1.0, 1.0, 0.0, 0.0, 0.0, 0.0]


def test_compounds_are_neutral(source, tmp_path) -> None:
    code = (
        "[it._group('Al', 2) + it._group('SO4', 3), it._group('NH4', 2), it._group('Cl', 3), "
        "sorted({it._compound(it.random.Random(n)) for n in range(400)})]"
    )
    ((aluminium, ammonium, chloride, compounds),) = told(source.draft("molar-mass"), tmp_path, code, library=FILES)
    assert (aluminium, ammonium, chloride) == ("Al2(SO4)3", "(NH4)2", "Cl3")
    assert {"CaSO4", "AlPO4"} & {one.partition("(H2O)")[0] for one in compounds}
    assert not {"Ca2(SO4)2", "Al3(PO4)3"} & {one.partition("(H2O)")[0] for one in compounds}
