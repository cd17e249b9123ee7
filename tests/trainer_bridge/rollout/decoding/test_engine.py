"""The engine against transformers' generate and whole forward passes, however requests come and go."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.trainer_bridge.rollout.decoding.families import generate, generate_all, logprobs, make_model
from trainer_bridge.rollout.decoding.engine import Engine, EngineSettings
from trainer_bridge.rollout.decoding.forward import LlamaForward
from trainer_bridge.rollout.decoding.graphs import DecodeStep
from trainer_bridge.rollout.decoding.requests import GenerationRequest
from trainer_bridge.rollout.decoding.sampling import Sampling

PROMPTS = [(5, 6, 7), (8,), (9, 10, 11, 12, 13, 14), (20, 21)]
GREEDY = Sampling(temperature=0)


def make_engine(model, eos_ids=(7, 33), slots=64, looks=1):
    return Engine(LlamaForward(model), eos_ids, EngineSettings(slots, looks))


@pytest.mark.parametrize("looks", [1, 4])
@pytest.mark.parametrize("slots", [1, 3, 64])
def test_sampler_logprobs_equal_those_of_a_full_forward_pass(slots, looks):
    model = make_model("llama3.2")
    asks = [GenerationRequest(prompt, 9, Sampling(0.7), seed=seed) for prompt in PROMPTS for seed in range(4)]
    for ask, written in zip(asks, generate_all(make_engine(model, slots=slots, looks=looks), asks), strict=True):
        assert written.logprobs == pytest.approx(logprobs(model, ask.prompt, written.tokens, 0.7), abs=1e-4)
        assert len(written.tokens) <= 9
        assert written.truncated == (written.tokens[-1] not in (7, 33))


def test_logits_of_bfloat16_weights_are_computed_in_float32():
    model = make_model("qwen3").to(torch.bfloat16)
    (written,) = generate_all(make_engine(model), [GenerationRequest(PROMPTS[2], 8, GREEDY, seed=0)])
    with torch.no_grad():
        hidden = model.model(torch.tensor([[*PROMPTS[2], *written.tokens]])).last_hidden_state[0, 5:-1].float()
        table = (hidden @ model.lm_head.weight.float().T).log_softmax(-1)
    expected = [table[place, token].item() for place, token in enumerate(written.tokens)]
    # What is left is attention in bfloat16 over another layout; rounded logits would err by up to 0.09 more.
    assert written.logprobs == pytest.approx(expected, abs=0.05)


def test_a_sample_depends_on_its_seed_and_not_on_its_neighbours():
    model = make_model("smollm2")
    ask = {"limit": 8, "sampling": Sampling(1.0), "seed": 5}
    (alone,) = generate_all(make_engine(model), [GenerationRequest(PROMPTS[0], **ask)])
    crowd = [GenerationRequest(prompt, 11, Sampling(1.0), seed=seed) for prompt in PROMPTS for seed in range(6, 9)]
    among = generate_all(make_engine(model, slots=4), [*crowd, GenerationRequest(PROMPTS[0], **ask)])[-1]
    assert among.tokens == alone.tokens
    (other,) = generate_all(
        make_engine(model), [GenerationRequest(PROMPTS[0], limit=8, sampling=Sampling(1.0), seed=6)]
    )
    assert other.tokens != alone.tokens


def test_a_request_joins_while_others_are_being_written():
    model = make_model("qwen2")
    engine, found = make_engine(model, eos_ids=()), {}
    early, late = GenerationRequest(PROMPTS[0], 10, GREEDY, seed=0), GenerationRequest(PROMPTS[1], 2, GREEDY, seed=0)
    engine.submit(early)
    for _ in range(4):
        assert engine.step() == []
    engine.submit(late)
    found.update(engine.step())
    assert list(found) == [late], "the short one that came later has ended first"
    while engine.is_busy:
        found.update(engine.step())
    assert found[early].tokens == generate(model, PROMPTS[0], 10, ())
    assert found[late].tokens == generate(model, PROMPTS[1], 2, ())


def test_the_next_turn_computes_only_its_new_tokens():
    model = make_model("smollm3")
    engine = make_engine(model, eos_ids=())
    first = GenerationRequest(PROMPTS[2], 5, GREEDY, seed=0)
    (said,) = generate_all(engine, [first])
    before = engine.prefilled_tokens
    second = GenerationRequest((*first.prompt, *said.tokens, 30, 31), 4, GREEDY, seed=0, after=first)
    (answer,) = generate_all(engine, [second])
    assert engine.prefilled_tokens - before == 3, "the last token of the first turn, and the two new ones"
    assert answer.tokens == generate(model, second.prompt, 4, ())


def test_a_turn_goes_on_rightly_when_its_slot_was_given_away_or_taken_by_a_branch():
    model = make_model("llama2")
    engine = make_engine(model, eos_ids=(), slots=2)
    first = GenerationRequest(PROMPTS[0], 5, GREEDY, seed=0)
    (said,) = generate_all(engine, [first])
    turn = (*first.prompt, *said.tokens)
    branches = [GenerationRequest((*turn, 30 + number), 4, GREEDY, seed=0, after=first) for number in range(3)]
    for ask, written in zip(branches, generate_all(engine, branches), strict=True):
        assert written.tokens == generate(model, ask.prompt, 4, ())
    generate_all(engine, [GenerationRequest((40, number), 6, GREEDY, seed=0) for number in range(4)])
    (late,) = generate_all(engine, [GenerationRequest((*turn, 50), 4, GREEDY, seed=0, after=first)])
    assert late.tokens == generate(model, (*turn, 50), 4, ())


@pytest.mark.parametrize("is_older", [False, True])
def test_a_prompt_that_came_before_takes_no_slot_from_a_turn_that_goes_on(is_older):
    """Both slots are wanted, and the prompt needs least work, so it is served first: it took the older slot."""
    model = make_model("llama3.2")
    engine = make_engine(model, eos_ids=(), slots=2)
    other, first = (GenerationRequest(prompt, 3, GREEDY, seed=0) for prompt in PROMPTS[1:3])
    if is_older:
        (said,) = generate_all(engine, [first])
        generate_all(engine, [other])
    else:
        said, _ = generate_all(engine, [first, other])
    turn = GenerationRequest((*first.prompt, *said.tokens, 30, 31), 4, GREEDY, seed=0, after=first)
    again = GenerationRequest(other.prompt, 4, GREEDY, seed=0)
    written = generate_all(engine, [again, turn])
    assert [one.tokens for one in written] == [generate(model, ask.prompt, 4, ()) for ask in (again, turn)]


def test_two_requests_that_go_on_from_one_and_ask_the_same_as_it_are_answered():
    model = make_model("llama3.2")
    engine = make_engine(model, eos_ids=(), slots=3)
    first = GenerationRequest(PROMPTS[2], 3, GREEDY, seed=0)
    generate_all(engine, [first])
    same = [GenerationRequest(first.prompt, 4, GREEDY, seed=0, after=first) for _ in range(2)]
    assert [one.tokens for one in generate_all(engine, same)] == [generate(model, first.prompt, 4, ())] * 2


def test_samples_of_one_prompt_compute_it_once_also_those_that_wait():
    engine = make_engine(make_model("llama2"), eos_ids=(), slots=3)
    generate_all(engine, [GenerationRequest(PROMPTS[2], 4, Sampling(1.0), seed=seed) for seed in range(8)])
    # Three at first share one prefill; five more come later and compute the last token of the prompt again.
    assert len(PROMPTS[2]) <= engine.prefilled_tokens <= len(PROMPTS[2]) + 5


def test_weights_that_changed_are_seen_and_nothing_of_the_old_ones_is_kept():
    model = make_model("qwen3")
    engine = make_engine(model, eos_ids=())
    first = GenerationRequest(PROMPTS[0], 5, GREEDY, seed=0)
    (before,) = generate_all(engine, [first])
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(torch.randn_like(parameter) * 0.2)
    engine.load_weights()
    again, turn = generate_all(
        engine,
        [
            GenerationRequest(PROMPTS[0], 5, GREEDY, seed=0),
            GenerationRequest((*PROMPTS[0], *before.tokens), 5, GREEDY, seed=0, after=first),
        ],
    )
    assert again.tokens == generate(model, PROMPTS[0], 5, ())
    assert turn.tokens == generate(model, (*PROMPTS[0], *before.tokens), 5, ())


def test_what_nobody_wants_any_more_ends_at_the_next_look():
    engine, wanted = make_engine(make_model("llama2"), eos_ids=()), [True]
    engine.submit(GenerationRequest(PROMPTS[0], 50, GREEDY, seed=0, is_wanted=lambda: wanted[0]))
    assert engine.step() == []
    wanted[0] = False
    ((_, written),) = engine.step()
    assert written.truncated
    assert not engine.is_busy


def test_progress_tells_the_tokens_so_far():
    seen = []
    (written,) = generate_all(
        make_engine(make_model("llama2"), eos_ids=()),
        [GenerationRequest(PROMPTS[0], 4, GREEDY, seed=0, progress=lambda tokens: seen.append(tuple(tokens)))],
    )
    assert seen == [written.tokens[:2], written.tokens[:3]]


def test_an_end_token_first_gives_a_completion_of_one_token():
    model = make_model("llama2")
    first = generate(model, PROMPTS[0], 1, ())[0]
    rows = generate_all(
        make_engine(model, (first,)), [GenerationRequest(PROMPTS[0], 5, GREEDY, seed=0) for _ in range(2)]
    )
    assert [row.tokens for row in rows] == [(first,), (first,)]
    assert not rows[0].truncated


def test_an_empty_prompt_is_refused():
    with pytest.raises(ValueError, match="without tokens"):
        GenerationRequest((), 4, GREEDY, seed=0)


MODEL = make_model("llama2")
STEP = st.tuples(
    st.integers(1, 6), st.integers(1, 7), st.sampled_from(["go on"] * 4 + ["ask again", "branch", "leave", "anew"])
)
TURNS = st.lists(STEP, min_size=1, max_size=4)


class Mixture:
    """Conversations whose turns are in flight at once."""

    def __init__(self, engine):
        self.engine, self.finished, self.going, self.given_up = engine, [], {}, set()

    def ask(self, number, rest, prompt, limit, before):
        one = GenerationRequest(prompt, limit, GREEDY, seed=0, after=before, is_wanted=lambda: one not in self.given_up)
        self.going[one] = number, rest
        self.engine.submit(one)
        return one

    def go_on(self, number, turns, before, prompt):
        if not turns:
            return
        (new, limit, how), *rest = turns
        longer = (*prompt, *range(10 + number, 10 + number + new))
        if how == "ask again" and before is not None:
            self.ask(number, [], before.prompt, limit, before)
        if how == "branch":
            self.ask(number, [], (*longer, 9), limit, before)
        one = self.ask(number, rest, longer, limit, None if how == "anew" else before)
        if how == "leave":
            self.given_up.add(one)

    def step(self):
        for one, written in self.engine.step():
            self.finished.append((one, written))
            self.go_on(*self.going.pop(one), one, (*one.prompt, *written.tokens))

    def fail(self):
        """As after an error: all is forgotten, and whoever still waits asks again."""
        self.engine.drop_requests()
        for lost in self.going:
            self.engine.submit(lost)


@settings(deadline=None, max_examples=25)
@given(st.lists(TURNS, min_size=1, max_size=5), st.integers(1, 4), st.sampled_from([1, 3]), st.integers(0, 40))
def test_any_mixture_of_conversations_gives_what_each_would_alone(conversations, slots, looks, fails_at):
    """Turns, repeats, branches and what is given up, all in flight at once over few slots; and once a step fails.

    Each answer is greedy, and its log-probabilities are those of one plain forward pass.
    """
    mixture = Mixture(make_engine(MODEL, slots=slots, looks=looks))
    for number, turns in enumerate(conversations):
        mixture.go_on(number, turns, None, (2,))
    steps = 0
    while mixture.engine.is_busy:
        steps += 1
        if steps == fails_at:
            mixture.fail()
        mixture.step()
    assert not mixture.going
    for ask, written in mixture.finished:
        assert is_greedy(ask, written, was_left=ask in mixture.given_up)


def is_greedy(ask, written, *, was_left):
    with torch.no_grad():
        logits = MODEL(torch.tensor([[*ask.prompt, *written.tokens]])).logits[0, len(ask.prompt) - 1 : -1]
    best = logits.log_softmax(-1).max(-1)
    ends = [place for place, token in enumerate(written.tokens) if token in (7, 33)]
    length = ends[0] + 1 if ends else len(written.tokens) if was_left else ask.limit
    return (
        best.indices.tolist() == list(written.tokens)
        and written.logprobs == pytest.approx(best.values.tolist(), abs=1e-4)
        and len(written.tokens) == length <= ask.limit
    )


def test_between_rounds_nothing_is_held_that_writing_alone_needs_and_answers_are_the_same():
    model = make_model("llama2").to(torch.bfloat16)
    engine, kept = make_engine(model, eos_ids=()), make_engine(model, eos_ids=())
    for seed in range(3):
        asks = [[GenerationRequest(prompt, 6, Sampling(1.0), seed=seed) for prompt in PROMPTS] for _ in range(2)]
        assert generate_all(engine, asks[0]) == generate_all(kept, asks[1])
        engine.release()
        assert engine._table is None
        assert engine._forward.head._wide_VD is model.get_output_embeddings().weight
        with torch.no_grad():
            model.get_output_embeddings().weight.add_(0.1)
        kept.load_weights()


def test_releasing_leaves_what_is_being_written_alone():
    model = make_model("qwen2")
    engine = make_engine(model, eos_ids=())
    ask = GenerationRequest(PROMPTS[0], 10, GREEDY, seed=0)
    engine.submit(ask)
    engine.step()
    engine.release()
    ended = []
    while engine.is_busy:
        ended += engine.step()
    assert ended[0][1].tokens == generate(model, PROMPTS[0], 10, ())


class At:
    """Ends an answer at any of these tokens, as a word of the text would."""

    words = ("a word",)

    def __init__(self, *tokens):
        self.tokens = set(tokens)

    def is_reached(self, tokens):
        return bool(self.tokens & set(tokens))

    def ends_after(self, tokens):
        return next((place + 1 for place, token in enumerate(tokens) if token in self.tokens), None)


KINDS = [GREEDY, Sampling(1.0), Sampling(0.6), Sampling(1.0, top_k=5), Sampling(1.3, top_p=0.5)]


@pytest.mark.parametrize(("slots", "looks"), [(2, 1), (5, 3)])
def test_requests_of_every_kind_at_once_get_what_each_would_get_alone(slots, looks):
    """Greedy, sampled and filtered, with stop words and without, over slots that others have used before."""
    stops = [None, At(*range(20, 35)), None]
    asks = [
        GenerationRequest(PROMPTS[seed % 4], 3 + seed % 9, KINDS[seed % 5], seed, stop=stops[seed % 3])
        for seed in range(24)
    ]
    together = generate_all(make_engine(MODEL, slots=slots, looks=looks), asks)
    for ask, written in zip(asks, together, strict=True):
        (alone,) = generate_all(make_engine(MODEL), [ask])
        assert (written.tokens, written.truncated) == (alone.tokens, alone.truncated)
        assert written.logprobs == pytest.approx(alone.logprobs, abs=1e-4)
        if ask.stop is not None:
            assert ask.stop.ends_after(written.tokens) in (None, len(written.tokens))
        if ask.sampling in KINDS[:3]:
            expected = logprobs(MODEL, ask.prompt, written.tokens, ask.sampling.temperature or 1.0)
            assert written.logprobs == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize(("limit", "looks"), [(61, 7), (64, 5)])
def test_an_answer_that_fills_its_room_is_not_overwritten_until_the_next_look(limit, looks):
    """The device draws some tokens more, behind the last position of the cache or of the table of tokens."""
    (written,) = generate_all(
        make_engine(MODEL, eos_ids=(), looks=looks), [GenerationRequest(PROMPTS[0], limit, GREEDY, seed=0)]
    )
    assert written.tokens == generate(MODEL, PROMPTS[0], limit, ())


def test_prompts_are_computed_in_portions_also_beside_a_long_cached_one(monkeypatch):
    monkeypatch.setattr("trainer_bridge.rollout.decoding.engine._PREFILL_TOKENS", {"cpu": 100})
    engine, shapes = make_engine(MODEL, eos_ids=()), []
    extend = engine._forward.extend
    monkeypatch.setattr(engine._forward, "extend", lambda *ask: (shapes.append(ask[0].shape), extend(*ask))[1])
    first = GenerationRequest(tuple(range(1, 41)), 2, GREEDY, seed=0)
    (said,) = generate_all(engine, [first])
    turn = GenerationRequest((*first.prompt, *said.tokens, 50), 4, GREEDY, seed=0, after=first)
    others = [GenerationRequest((number, *range(1, 50)), 4, GREEDY, seed=0) for number in (51, 52)]
    for ask, written in zip([turn, *others], generate_all(engine, [turn, *others]), strict=True):
        assert written.tokens == generate(MODEL, ask.prompt, 4, ())
    prefills = [tuple(shape) for shape in shapes if shape[1] > 1]
    assert prefills == [(1, 40), (2, 50), (1, 50)], "the next turn and one prompt, padded, and then the other prompt"


def test_conversations_that_rest_are_not_given_up_while_there_may_be_more_slots():
    engine = make_engine(MODEL, eos_ids=())
    firsts = [GenerationRequest((10 + number, 5), 2, GREEDY, seed=0) for number in range(8)]
    said = generate_all(engine, firsts)
    generate_all(engine, [GenerationRequest((40, 41), 2, GREEDY, seed=0)])
    before = engine.prefilled_tokens
    turns = [
        GenerationRequest((*ask.prompt, *one.tokens, 3), 2, GREEDY, seed=0, after=ask)
        for ask, one in zip(firsts, said, strict=True)
    ]
    generate_all(engine, turns)
    assert engine.prefilled_tokens - before == 2 * len(turns)
    table = engine._table
    for slot, filled in zip(table.slots, table.cache.filled_S.tolist(), strict=True):
        assert filled == len(slot.cached)


def test_captured_steps_follow_moved_weights_keep_their_cache_and_go_with_a_failed_step(monkeypatch):
    engine, followed = make_engine(MODEL, eos_ids=()), []
    engine._decode = captured = DecodeStep(engine._forward)
    captured._use_graphs = False
    monkeypatch.setattr(captured, "follow_weights", lambda: followed.append(True))
    generate_all(engine, [GenerationRequest(PROMPTS[0], 2, GREEDY, seed=0)])
    engine.load_weights()
    assert followed
    table = engine._table
    engine.release()
    assert engine._table is table, "graphs read this cache"
    engine.drop_requests()
    assert engine._decode is not captured


def test_a_word_ends_a_request_at_the_next_look_and_not_at_its_limit():
    engine, word = make_engine(MODEL, eos_ids=()), generate(MODEL, PROMPTS[0], 3, ())[2]
    engine.submit(GenerationRequest(PROMPTS[0], 50, GREEDY, seed=0, stop=At(word)))
    ended = [engine.step() for _ in range(2)]
    assert sum(map(len, ended)) == 1
    assert not engine.is_busy
