"""A tiny model, and one thread: two test workers on two cores must not fight over them."""

import pytest
import torch

from trainer_bridge.models.loading import LoadedModel, load_model


@pytest.fixture(scope="session", autouse=True)
def one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture
def tiny(tmp_path) -> LoadedModel:
    return load_model("tiny", dtype=torch.float32, device=torch.device("cpu"), cache=tmp_path)
