"""The kernels of norms and gates against torch's operations.

They run on a GPU, and in Triton's interpreter on a CPU (``pip install triton``, ``TRITON_INTERPRET=1``; float32 alone:
the interpreter cuts bfloat16 numbers off instead of rounding them). Skipped where neither can be.
"""

import importlib
import os

import pytest
import torch

from trainer_bridge.learn.lean_layers import PLAIN, are_as_plain

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(
        DEVICE == "cpu" and os.environ.get("TRITON_INTERPRET") != "1", reason="no GPU, and not Triton's interpreter"
    ),
]
DTYPES = [torch.float32] + [torch.bfloat16, torch.float16] * (DEVICE == "cuda")


def kernels():
    return importlib.import_module("trainer_bridge.learn.layer_kernels")


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("width", [1, 48, 64, 576, 2048])
def test_they_give_the_plain_numbers(width, dtype):
    assert are_as_plain(kernels(), width, torch.zeros(1, dtype=dtype, device=DEVICE))


def test_shapes_of_several_axes_views_and_no_rows():
    draw = torch.Generator().manual_seed(0)
    states = torch.randn(2, 7, 3, 96, generator=draw).to(DEVICE)[..., ::2]
    grad = torch.randn(2, 3, 7, 48, generator=draw).to(DEVICE).transpose(1, 2)
    weight = torch.randn(48, generator=draw).to(DEVICE)
    found, expected = (one.norm(states, weight, 1e-5) for one in (kernels(), PLAIN))
    slopes = [one.norm_slopes(grad, states, weight, expected[1]) for one in (kernels(), PLAIN)]
    gates = [(one.gate(states, grad), *one.gate_slopes(grad.clone(), states, grad, with_product=False)[:2])
             for one in (kernels(), PLAIN)]  # fmt: skip
    for one, two in zip((*found, *slopes[0], *gates[0]), (*expected, *slopes[1], *gates[1]), strict=True):
        assert one.shape == two.shape
        assert torch.allclose(one, two, atol=1e-4)
    none = states[:0]
    assert kernels().norm(none, weight, 1e-5)[0].shape == none.shape
    assert torch.equal(kernels().norm_slopes(none, none, weight, none[..., :1])[1], torch.zeros_like(weight))
    assert kernels().gate_slopes(none, none, none, with_product=False)[2] is None


@pytest.mark.filterwarnings("ignore:overflow")  # of the interpreter's numpy: 1 / inf is the 0 that is meant
def test_large_numbers_do_not_overflow_in_a_gate():
    gate = torch.tensor([-1e4, -100.0, 0.0, 100.0, 1e4], device=DEVICE)
    for one, two in zip(
        (kernels().gate(gate, gate), *kernels().gate_slopes(gate, gate, gate, with_product=True)),
        (PLAIN.gate(gate, gate), *PLAIN.gate_slopes(gate.clone(), gate, gate, with_product=True)),
        strict=True,
    ):
        assert torch.allclose(one, two)
