"""Write tests/trainer_bridge/rollout/vllm_interface.json: what vLLM takes and gives where trainer_bridge uses it.

vLLM cannot be imported without a GPU's libraries, so its source is read out of the wheel and nothing of it runs:

    pip download vllm --no-deps && PYTHONPATH=. python scripts/vllm_interface.py vllm-*.whl
"""

import ast
import json
import re
import sys
from pathlib import Path
from zipfile import ZipFile

_TARGET = Path("tests/trainer_bridge/rollout/vllm_interface.json")
_CLASSES = {
    "SamplingParams": "vllm/sampling_params.py",
    "CompletionRequest": "vllm/entrypoints/openai/completion/protocol.py",
    "CompletionResponseChoice": "vllm/entrypoints/openai/completion/protocol.py",
    "CompletionLogProbs": "vllm/entrypoints/openai/completion/protocol.py",
    "EngineArgs": "vllm/engine/arg_utils.py",
    "TokensPrompt": "vllm/inputs/llm.py",
    "CompletionOutput": "vllm/outputs.py",
    "Logprob": "vllm/logprobs.py",
}
"""Classes whose fields are used. ``LLM`` hands what it does not name itself to ``EngineArgs``."""
_FUNCTIONS = {
    "LLM.__init__": "vllm/entrypoints/llm.py",
    "LLM.generate": "vllm/entrypoints/llm.py",
    "LLM.collective_rpc": "vllm/entrypoints/llm.py",
    "LLM.reset_prefix_cache": "vllm/entrypoints/llm.py",
    "GPUModelRunner.reload_weights": "vllm/v1/worker/gpu_model_runner.py",
}
_ROUTES = (
    "vllm/entrypoints/openai/completion/api_router.py",
    "vllm/entrypoints/serve/dev/cache/api_router.py",
    "vllm/entrypoints/serve/dev/rpc/api_router.py",
)


def interface(wheel: Path) -> dict[str, object]:
    """Fields of classes, parameters of functions, paths that are posted to, and the version."""
    with ZipFile(wheel) as files:
        read = {path: files.read(path).decode() for path in {*_CLASSES.values(), *_FUNCTIONS.values(), *_ROUTES}}
    found: dict[str, object] = {"vllm": wheel.name.split("-")[1]}
    for name, path in _CLASSES.items():
        body = _class(read[path], name).body
        found[name] = sorted(
            line.target.id for line in body if isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name)
        )
    for name, path in _FUNCTIONS.items():
        owner, _, method = name.partition(".")
        (function,) = (
            line for line in _class(read[path], owner).body if isinstance(line, ast.FunctionDef) and line.name == method
        )
        found[name] = [one.arg for one in (*function.args.args, *function.args.kwonlyargs) if one.arg != "self"]
    found["routes"] = [route for path in _ROUTES for route in re.findall(r'router\.post\(\s*"([^"]+)"', read[path])]
    return found


def _class(source: str, name: str) -> ast.ClassDef:
    return next(node for node in ast.parse(source).body if isinstance(node, ast.ClassDef) and node.name == name)


if __name__ == "__main__":
    _TARGET.write_text(json.dumps(interface(Path(sys.argv[1])), indent=1) + "\n")
