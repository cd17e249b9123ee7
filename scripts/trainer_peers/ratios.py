"""What was counted, as the figures of the report: rates, and ratios to TRL and to what the device could do at most."""

from collections.abc import Mapping, Sequence
from statistics import mean, median
from typing import Any

from work import Work

KEYS = {
    "tokens_per_second": "completion tokens a second, whole steps",
    "tokens_per_second_to_trl_ratio": "the same, times TRL's",
    "tokens_per_cpu_second_to_trl_ratio": "by CPU time: what else ran hardly changes it",
    "peak_memory_to_trl_ratio": "peak memory, to TRL's at its fastest setting",
    "peak_memory_to_smallest_trl_ratio": "the same, to TRL's at the setting that takes least",
    "decode_to_bandwidth_limit_ratio": "generation, to reading weights, keys and values once a token",
    "train_mfu": "the learner, to the fastest matrix product measured here",
    "product_floor_ratio": "the model's bare matrix products of a step, to what the step took",
    "most_tokens_per_cpu_second_to_trl_ratio": "what a trainer would reach that does these products and nothing else",
    "least_memory_to_trl_ratio": "weights, gradients and AdamW's state alone, to TRL's peak",
    "reward_wait_fraction": "of a step, waiting for verdicts",
}


def prompt_tokens(work: Work, metrics: Mapping[str, float], steps: int) -> float:
    """Of one row, on average over all ``steps`` steps so far, the first included."""
    return metrics["num_tokens"] / steps / work.rows - work.tokens


def figures(work: Work, found: Mapping[str, Any]) -> dict[str, Any]:
    """One flat object. The fastest of TRL's settings counts, for speed and for memory.

    A ratio to a limit of the device is null where it comes out above 1, and ``refused`` says why.
    """
    speed = {name: _rate(reports, "seconds") for name, reports in found["steps"].items()}
    by_cpu = {name: _rate(reports, "cpu_seconds") for name, reports in found["steps"].items()}
    peak = {name: max(one["peak_bytes"] for one in reports) for name, reports in found["steps"].items()}
    peers = [name for name in speed if name != "ours"]
    fastest = max(peers, key=lambda name: speed[name])
    ours = found["steps"]["ours"]
    metrics = [one["metrics"] for one in ours]
    wait = sum(one["time/reward"] for one in metrics) / sum(one["step_time"] for one in metrics)
    to_limits, refused = {}, {}
    for name, ratio in (("decode_to_bandwidth_limit_ratio", decode_ratio), ("train_mfu", train_mfu)):
        value = ratio(work, ours, found["model"], found["limits"])
        to_limits[name] = value if value <= 1 else None
        if value > 1:
            refused[name] = f"{value:.3g} is above 1: the limit was measured too low, or what is counted is too much"
    floor = product_floor(work, ours, found["limits"])
    ratios = {
        "product_floor_ratio": floor and floor / median(one["cpu_seconds"] for one in ours),
        "most_tokens_per_cpu_second_to_trl_ratio": floor
        and ours[0]["tokens"] / floor / max(by_cpu[name] for name in peers),
        "least_memory_to_trl_ratio": least_bytes(found["model"]) / peak[fastest],
        "tokens_per_second": speed["ours"],
        "tokens_per_second_to_trl_ratio": speed["ours"] / speed[fastest],
        "tokens_per_cpu_second_to_trl_ratio": by_cpu["ours"] / max(by_cpu[name] for name in peers),
        "peak_memory_to_trl_ratio": peak["ours"] / peak[fastest],
        "peak_memory_to_smallest_trl_ratio": peak["ours"] / min(peak[name] for name in peers),
        **to_limits,
        "reward_wait_fraction": wait,
    }
    plain = {f"{name}_tokens_per_second": value for name, value in speed.items()}
    plain |= {f"{name}_tokens_per_cpu_second": value for name, value in by_cpu.items()}
    plain |= {f"{name}_peak_bytes": value for name, value in peak.items()}
    plain |= {f"{name}_cpu_spread": _spread([one["cpu_seconds"] for one in reports])
              for name, reports in found["steps"].items()}  # fmt: skip
    plain |= {f"{name}_spread": _spread([one[name] for one in found["limits"]])
              for name in ("bytes_per_second", "flops_per_second")}  # fmt: skip
    return {**ratios, **plain, "refused": refused, "clock": work.clock, "trl_fastest": fastest}


def _rate(reports: Sequence[Mapping[str, Any]], seconds: str) -> float:
    return float(sum(one["tokens"] for one in reports) / sum(one[seconds] for one in reports))


def _spread(values: Sequence[float]) -> float:
    """The largest of several equal measurements, to the smallest: 1 where they agree."""
    return max(values) / min(values)


def _seconds(work: Work, report: Mapping[str, Any], method: str, metrics: Sequence[str]) -> float:
    """Of one step, by the clock that the limits are measured by: of a method, or the sum of the trainer's own times."""
    if work.clock == "cpu":
        return float(report["cpu"][method])
    return float(sum(report["metrics"][name] for name in metrics))


def decode_ratio(
    work: Work, steps: Sequence[Mapping[str, Any]], model: Mapping[str, float], limits: Sequence[Mapping[str, float]]
) -> float:
    """What reading must take at least, at the best speed measured, to what generation took in the median step.

    All rows are written together: each token reads the weights once for all of them, and every row's keys and values.
    """
    prompt = mean(one["prompt_tokens"] for one in steps)
    cached = work.rows * (prompt + work.tokens / 2) * model["cache_bytes_per_token"]
    least = work.tokens * (model["weight_bytes"] + cached) / max(one["bytes_per_second"] for one in limits)
    return float(least / median(_seconds(work, one, "collect", ["time/generate"]) for one in steps))


def train_mfu(
    work: Work, steps: Sequence[Mapping[str, Any]], model: Mapping[str, float], limits: Sequence[Mapping[str, float]]
) -> float:
    """Products that learning needs a second in the median step, to those of the fastest matrix product measured.

    Two a weight and token forwards and four back, attention not counted. A prompt is computed once for its samples,
    and rows that teach nothing go forwards only. What is computed twice to save memory counts once.
    """
    prompt = mean(one["prompt_tokens"] for one in steps)
    tokens = work.prompts * prompt + work.rows * work.tokens
    speeds = [
        tokens * model["parameters"] * (2 + 4 * one["metrics"]["num_trained"] / work.rows)
        / _seconds(work, one, "update", ["time/backward", "time/logprob"])
        for one in steps
    ]  # fmt: skip
    return float(median(speeds) / max(one["flops_per_second"] for one in limits))


def product_floor(
    work: Work, steps: Sequence[Mapping[str, Any]], limits: Sequence[Mapping[str, float]]
) -> float | None:
    """Seconds of a step's bare matrix products, by the fastest measured; None on a GPU, or where no turn has them.

    Prompts once for their samples, in sampling and in learning; all rows teach. Reading weights is inside.
    """
    floors = [one for one in limits if "train_seconds_per_token" in one]
    if work.clock != "cpu" or not floors:
        return None
    prompts = work.prompts * mean(one["prompt_tokens"] for one in steps)
    least = {name: min(one[name] for one in floors) for name in floors[0]}
    sampling = prompts * least["forward_seconds_per_token"] + work.tokens * least["decode_seconds_per_step"]
    return sampling + (prompts + work.rows * work.tokens) * least["train_seconds_per_token"]


def least_bytes(model: Mapping[str, float]) -> float:
    """What full training must keep: each weight in float32, its gradient and AdamW's two moments.

    Of bfloat16 weights the float32 ones are the model's and the 16 bits below them, and the gradient of a single
    micro-batch is bfloat16. No activation, no library and no interpreter is in it.
    """
    is_narrow = model["weight_bytes"] < 4 * model["parameters"]
    return (14 if is_narrow else 16) * model["parameters"]
