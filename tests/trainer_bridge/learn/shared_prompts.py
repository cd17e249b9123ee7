"""Six samples of three prompts, two of which are shared: what packing and log-probabilities are tested with."""

from trainer_bridge.learn.micro_batches import BatchRow

SAMPLES = [
    BatchRow(0, [5, 6, 7], [8, 9, 10, 11]),
    BatchRow(0, [5, 6, 7], [12]),
    BatchRow(0, [5, 6, 7], [13, 14, 1]),
    BatchRow(1, [20, 21, 22, 23, 24, 25], [30, 31]),
    BatchRow(1, [20, 21, 22, 23, 24, 25], [32, 33, 34, 35, 1]),
    BatchRow(2, [40], [41, 42, 43]),
]
