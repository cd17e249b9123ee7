"""Tiny models with random weights, one of each family, and transformers' own generate as the oracle."""

import torch
import transformers

SIZES = {
    "vocab_size": 60,
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 4,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "max_position_embeddings": 512,
}
_LLAMA3 = {
    "rope_type": "llama3",
    "rope_theta": 500000.0,
    "factor": 8.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 16,
}
NATIVE = {
    "llama2": ("Llama", {"num_key_value_heads": 4, "rope_parameters": {"rope_type": "default", "rope_theta": 1e4}}),
    "llama3.2": ("Llama", {"rope_parameters": _LLAMA3, "tie_word_embeddings": True, "head_dim": 16}),
    "smollm2": ("Llama", {"tie_word_embeddings": True, "rope_parameters": {"rope_type": "default", "rope_theta": 1e5}}),
    "smollm3": ("SmolLM3", {"pad_token_id": None, "no_rope_layer_interval": 4}),
    "qwen2": ("Qwen2", {}),
    "qwen3": ("Qwen3", {"head_dim": 16}),
    "mistral": ("Mistral", {"sliding_window": None, "head_dim": 8}),
}
FALLBACK = {
    "gelu_llama": ("Llama", {"hidden_act": "gelu"}),
    "windowed_mistral": ("Mistral", {"sliding_window": 4, "head_dim": 8}),
    "gemma": ("Gemma", {"head_dim": 8}),
    "gemma3": (
        "Gemma3",
        {"head_dim": 8, "sliding_window": 4, "layer_types": ["sliding_attention", "full_attention"] * 2},
    ),
    "phi3": ("Phi3", {"pad_token_id": None}),
    "dynamic_rope": ("Llama", {"rope_parameters": {"rope_type": "dynamic", "rope_theta": 1e4, "factor": 2.0}}),
}


def make_model(kind: str, seed: int = 3, **sizes: int):
    name, more = {**NATIVE, **FALLBACK}[kind]
    text = "Text" if name == "Gemma3" else ""
    config_class = getattr(transformers, f"{name}{text}Config")
    no_ends = {"bos_token_id": None, "eos_token_id": None, "pad_token_id": None}
    torch.manual_seed(seed)
    model = getattr(transformers, f"{name}ForCausalLM")(config_class(**{**SIZES, **no_ends, **more, **sizes})).eval()
    for parameter in model.parameters():  # larger weights: logits far apart, and biases and norms that matter
        torch.nn.init.normal_(parameter, std=0.3)
    return model


def generate(model, prompt, limit, eos_ids):
    """transformers' greedy tokens, up to and with the first end token."""
    config = transformers.GenerationConfig(
        max_new_tokens=limit, do_sample=False, eos_token_id=list(eos_ids), pad_token_id=0
    )
    with torch.no_grad():
        ids = torch.tensor([prompt], device=model.device)
        answer = model.generate(ids, attention_mask=torch.ones_like(ids), generation_config=config)
    return tuple(answer[0, len(prompt) :].tolist())


def logprobs(model, prompt, tokens, temperature=1.0):
    """Of ``tokens`` after ``prompt``, by one whole forward pass."""
    with torch.no_grad():
        table = (
            model(torch.tensor([[*prompt, *tokens]], device=model.device)).logits[0].float() / temperature
        ).log_softmax(-1)
    return [table[len(prompt) + place - 1, token].item() for place, token in enumerate(tokens)]


def generate_all(engine, asks):
    """Submit all, and step until the last is done."""
    found = {}
    for ask in asks:
        engine.submit(ask)
    while engine.is_busy:
        found.update(engine.step())
    return [found[ask] for ask in asks]
