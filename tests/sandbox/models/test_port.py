from sandbox.models.port import JudgeModel, ModelAnswer
from tests.fakes.judge_model import ScriptedModel


def test_a_scripted_model_is_one() -> None:
    model: JudgeModel = ScriptedModel("no")
    assert model.complete([{"role": "user", "content": "?"}], max_tokens=1, seed=0) == ModelAnswer("no")
    assert ModelAnswer("no").prompt_tokens is None
