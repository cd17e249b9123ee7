import numpy as np
import pytest

from hub_server.evaluations.rules.quality.diversity import (
    domain_entropy,
    near_duplicates,
    response_diversity,
    text_diversity,
    text_similarity,
    vendi_score,
)
from hub_server.evaluations.rules.quality.outcomes import jackknife


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
    assert response_diversity(one).value < 1.5
    assert response_diversity(many).value > 12


def test_the_gram_matrix_of_models_gives_the_same_number_as_that_of_tasks(simulate):
    outcomes = simulate(np.linspace(-1, 1, 9), np.linspace(-2, 9, 30))
    rates = outcomes.rates - outcomes.rates.mean(axis=0)
    norms = np.linalg.norm(rates, axis=0)
    unit = np.divide(rates, norms, out=np.zeros_like(rates), where=norms > 0)
    whole = unit.T @ unit
    whole[np.ix_(norms == 0, norms == 0)] = 1.0
    np.fill_diagonal(whole, 1.0)
    assert (norms == 0).any()
    assert response_diversity(outcomes).value == pytest.approx(vendi_score(whole))


def test_intervals_of_the_effective_number_hold_the_number_of_groups():
    """Six kinds of task, equally likely, each kind the same text: the Vendi score of an endless benchmark is six."""
    kinds = [f"{word} " * 9 for word in ("apple", "mountain", "question", "violet", "zebra", "hydrogen")]
    hits, widths = 0, []
    for seed in range(60):
        random = np.random.default_rng(seed)
        weights = np.array([0.3, 0.25, 0.2, 0.1, 0.1, 0.05])
        found = text_diversity([kinds[kind] for kind in random.choice(6, size=80, p=weights)])
        true = float(np.exp(-(weights * np.log(weights)).sum()))
        hits += found.low <= true <= found.high
        widths.append(found.high - found.low)
    assert hits >= 50
    assert np.mean(widths) < 2.5


def test_a_jackknife_of_a_mean_is_its_standard_error():
    values = np.random.default_rng(0).normal(size=200)
    found = jackknife(values.mean(), [np.delete(values, place).mean() for place in range(200)], low=-9.0)
    assert (found.high - found.low) / 2 == pytest.approx(1.96 * values.std(ddof=1) / np.sqrt(200), rel=1e-3)


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
    assert (domain_entropy(["math"] * 5).bits.value, domain_entropy(["math"] * 5).evenness) == (0.0, 0.0)
    even = domain_entropy(["math", "code"] * 5)
    assert (even.bits.value, even.evenness, even.counts) == (
        pytest.approx(1.0),
        pytest.approx(1.0),
        {"math": 5, "code": 5},
    )
    assert domain_entropy(["math"] * 9 + ["code"]).evenness == pytest.approx(0.469, abs=1e-3)


@pytest.mark.parametrize(
    "labels", [["a", "b", "c"], ["a", "b"], ["a", "b"] * 20, ["a"] * 9, [str(n) for n in range(30)]]
)
def test_an_even_spread_is_not_known_for_sure(labels):
    """Three tasks of three domains had an interval of width 0: no draw is more even than that."""
    bits = domain_entropy(labels).bits
    assert bits.low <= bits.value <= bits.high
    assert bits.high - bits.low > 0.01


def test_intervals_of_the_entropy_hold_that_of_the_shares_behind_the_tasks():
    shares = np.array([0.5, 0.2, 0.2, 0.1])
    true = float(-(shares * np.log2(shares)).sum())
    random, hits = np.random.default_rng(0), 0
    for seed in range(100):
        bits = domain_entropy([str(one) for one in random.choice(4, size=150, p=shares)], seed=seed).bits
        hits += bits.low <= true <= bits.high
    assert hits >= 88


@pytest.mark.parametrize("text", ["5", "ab", "∫", "?!"])
def test_identical_texts_are_one_however_short(text):
    found = text_diversity([text] * 12)
    assert found.value == pytest.approx(1)
    assert found.low < found.high


def test_a_sign_makes_another_task():
    texts = {"plus": "What is 3 + 4?", "minus": "What is 3 - 4?", "again": "what is 3 + 4"}
    assert [(pair.first, pair.second) for pair in near_duplicates(texts)] == [("again", "plus")]
    assert text_diversity(["3 + 4", "3 - 4"]).value > 1.1


def test_one_domain_is_known_no_better_than_its_tasks_allow():
    few, many = domain_entropy(["algebra"] * 5), domain_entropy(["algebra"] * 5000)
    assert few.bits.value == few.bits.low == many.bits.value == 0
    assert few.bits.high > 0.9
    assert 0 < many.bits.high < 0.01


def test_no_text_and_no_task_are_refused():
    with pytest.raises(ValueError, match="at least one"):
        text_diversity([])
    with pytest.raises(ValueError, match="at least one"):
        domain_entropy([])
