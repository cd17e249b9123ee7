"""Which cases are alike, from the side of somebody who wants few cases to look like many."""

from sandbox.audit.similar_cases import content_key, groups_of
from schemas.evidence.cases import AuditCase


def case(response, label="correct", **fields):
    return AuditCase(id="c", task_id="t", response=response, label=label, **fields)


def task(number, answer=None):
    return {"id": f"t{number}", "prompt": f"What is {number} + {number}?", "answer": answer or 2 * number}


def forms(pairs):
    return [groups[1] for groups in groups_of(pairs)]


def test_a_sentence_with_another_number_in_it_is_the_same_form():
    found = forms([(case(f"The answer is {2 * number}."), task(number)) for number in range(50)])
    assert len(set(found)) == 1


def test_another_sentence_is_another_form():
    found = forms([(case("The answer is 4."), task(2)), (case("I count four apples, so 4 it is."), task(2))])
    assert len(set(found)) == 2


def test_a_bare_value_is_like_another_only_where_answer_and_value_are_the_same():
    values = forms([(case(str(2 * number)), task(number)) for number in range(1, 21)])
    assert len(set(values)) == 20
    choices = forms([(case("B"), task(number, "B")) for number in range(20)])
    assert len(set(choices)) == 1, "a verifier sees the same answer and the same response twenty times"


def test_a_long_text_with_a_few_words_changed_is_the_same_form():
    text = "First we add the two numbers of the question and then we look at what is left of the apples in the bag"
    found = forms([(case(f"{text} {word}"), task(1)) for word in ("today", "now", "gladly")])
    assert len(set(found)) == 1


def test_the_right_and_the_wrong_number_are_two_forms():
    """With the answer in it a response is right, without it is wrong: a slice of both would say nothing."""
    assert len(set(forms([(case("The answer is 4."), task(2)), (case("The answer is 5."), task(2))]))) == 2


def test_tasks_are_the_same_by_what_they_hold_and_not_by_their_id():
    copies = [(case("4"), task(2) | {"id": f"copy-{number}"}) for number in range(5)]
    assert len({groups[0] for groups in groups_of(copies)}) == 1
    assert len({content_key(one, made, must_accept=True) for one, made in copies}) == 1
    other = content_key(case("4", "incorrect"), task(2), must_accept=False)
    assert other != content_key(case("4"), task(2), must_accept=True), "two labels of one response are two statements"


def test_what_the_author_says_is_alike_is_alike():
    said = groups_of([(case(text, cluster="a generator"), task(3)) for text in ("6", "six in all, I say")])
    assert {groups[2] for groups in said} == {"a generator"}


def test_transcripts_files_and_states_have_forms_as_well():
    spoken = [{"role": "user", "content": "Well?"}, {"role": "assistant", "content": "I cannot say that for sure."}]
    first = AuditCase(id="m", task_id="t", messages=spoken, label="incorrect")
    second = AuditCase(id="s", task_id="t", state={"score": 3, "moves": [1, 2]}, label="correct")
    third = AuditCase(id="f", task_id="t", files={"a.py": "print(1)"}, label="correct")
    assert len(set(forms([(first, task(1)), (second, task(1)), (third, task(1)), (first, task(2))]))) == 3
