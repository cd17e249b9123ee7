"""An engine for a loaded model."""

from trainer_bridge.models.loaded_model import LoadedModel
from trainer_bridge.rollout.decoding.engine import Engine, EngineSettings
from trainer_bridge.rollout.decoding.forward import Forward, LlamaForward, is_supported
from trainer_bridge.rollout.decoding.transformers_forward import TransformersForward


def open_engine(loaded: LoadedModel, *, slots: int) -> Engine:
    """An engine of ``slots`` slots, with the settings that suit the model's device.

    Raises:
        ModelError: the model keeps another state than keys and values.

    """
    model = loaded.model
    on_gpu = model.device.type == "cuda"
    forward: Forward = LlamaForward(model) if is_supported(model.config) else TransformersForward(model)
    settings = EngineSettings(slots, steps_between_looks=4 if on_gpu else 1, cuda_graphs=on_gpu)
    return Engine(forward, loaded.eos_ids, settings)
