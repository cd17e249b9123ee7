import numpy as np
import pytest

from hub_server.evaluations.quality.diversity import (
    domain_entropy,
    near_duplicates,
    response_similarity,
    smallest_subset,
    text_similarity,
    vendi_score,
)


def test_identical_items_count_as_one_and_distinct_ones_as_many():
    assert vendi_score(np.ones((7, 7))) == pytest.approx(1)
    assert vendi_score(np.eye(7)) == pytest.approx(7)


def test_two_groups_of_copies_count_as_two_in_every_order():
    blocks = np.kron(np.eye(2), np.ones((4, 4)))
    for order in (0.1, 0.5, 1.0, 2.0, np.inf):
        assert vendi_score(blocks, order) == pytest.approx(2)


def test_a_small_order_stresses_rare_items():
    unequal = np.zeros((10, 10))
    unequal[:9, :9] = 1
    unequal[9, 9] = 1
    assert vendi_score(unequal, 0.1) > vendi_score(unequal, 1.0) > vendi_score(unequal, 10.0)


def test_only_a_square_matrix_has_a_score():
    with pytest.raises(ValueError, match="square"):
        vendi_score(np.ones((2, 3)))


def test_copies_of_a_text_do_not_add_diversity():
    distinct = ["How many apples are left?", "Integrate x squared.", "Name the capital of France.", "Sort these words."]
    copied = distinct + [f"{text} " for text in distinct]
    assert vendi_score(text_similarity(copied)) == pytest.approx(vendi_score(text_similarity(distinct)), rel=1e-6)
    assert vendi_score(text_similarity(distinct)) > 3


def test_similarity_of_texts_does_not_depend_on_the_process():
    assert text_similarity(["abc def", "abc xyz"])[0, 1] == pytest.approx(2 / 5)  # abc and "bc " of five trigrams each


def test_tasks_that_measure_one_thing_count_as_few(simulate):
    abilities = np.linspace(-3, 3, 60)
    one = simulate(abilities, np.zeros(20), np.full(20, 4.0), attempts=30)
    random = np.random.default_rng(0)
    many = simulate(abilities, np.zeros(20), np.zeros(20), attempts=30, seed=random.integers(99))
    assert vendi_score(response_similarity(one)) < 1.5
    assert vendi_score(response_similarity(many)) > 12


def test_near_duplicates_are_those_of_an_exhaustive_search():
    random = np.random.default_rng(1)
    words = [f"w{number}" for number in range(30)]
    texts = {f"x{index}": " ".join(random.choice(words, size=40)) for index in range(30)}
    for index in range(10):
        changed = texts[f"x{index}"].split()
        changed[int(random.integers(40))] = "changed"
        texts[f"y{index}"] = " ".join(changed)

    def jaccard(a, b):
        one, two = ({tuple(t.split()[i : i + 4]) for i in range(37)} for t in (a, b))
        return len(one & two) / len(one | two)

    names = sorted(texts)
    expected = {(a, b) for i, a in enumerate(names) for b in names[i + 1 :] if jaccard(texts[a], texts[b]) >= 0.8}
    found = near_duplicates(texts, 0.8)
    assert {(pair.first, pair.second) for pair in found} == expected
    assert len(expected) >= 8
    assert [pair.similarity for pair in found] == sorted((pair.similarity for pair in found), reverse=True)


def test_case_and_punctuation_do_not_hide_a_copy():
    texts = {
        "a": "What is the sum of 3 and 4?",
        "b": "what is THE sum, of 3 and 4",
        "c": "Something else entirely here.",
    }
    assert [(pair.first, pair.second) for pair in near_duplicates(texts)] == [("a", "b")]


def test_entropy_of_domains():
    assert domain_entropy(["math"] * 5) == (0.0, 0.0)
    assert domain_entropy(["math", "code"] * 5) == pytest.approx((1.0, 1.0))
    assert domain_entropy(["math"] * 9 + ["code"])[1] == pytest.approx(0.469, abs=1e-3)


def test_redundant_tasks_shrink_to_a_small_subset_that_rebuilds_the_total(simulate):
    base = simulate(np.linspace(-2, 2, 12), np.linspace(-2, 2, 10), attempts=20)
    columns = np.tile(np.arange(10), 20)
    repeated = type(base)(
        base.models, tuple(f"t{i}" for i in range(200)), base.successes[:, columns], base.attempts[:, columns]
    )
    subset = smallest_subset(repeated)
    assert 5 <= len(subset.tasks) <= 40
    chosen = [repeated.tasks.index(task) for task in subset.tasks]
    error = np.abs(repeated.rates[:, chosen].mean(axis=1) - repeated.rates.mean(axis=1)).max()
    assert error == pytest.approx(subset.worst_error)
    assert error <= 0.01
