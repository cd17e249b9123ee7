"""TRL's settings that have no counterpart here, and what to do instead."""

_SIZES = "set prompts_per_step and num_generations"
_ALONE = "answers are drawn by temperature, top_p and top_k alone, so that the learner knows each token's probability"
_OWN_ENGINE = "the trainer's own engine batches continuously; engine=vllm is the other one"
_VLLM = "start vLLM with it yourself, and say engine_url"
_SERVER = "say engine=vllm and engine_url=http://HOST:PORT"
_FOLDER = "weights go to vLLM through a folder, see engine_weights"
_REFERENCE = "the reference is the policy at the start of the reinforcement learning, and stays so"
_ENTROPY = "recipe magic adapts the bonus to a target entropy"
_ROLLOUTS = "samples are in rollouts.jsonl and on the run's page; rollouts_per_step says how many"
_MODEL = "a model is loaded as it is saved, and no code that comes with it is run"

REFUSED = {
    "num_train_epochs": "the length of a run is max_steps; tasks repeat when all were drawn",
    "per_device_train_batch_size": f"{_SIZES}; micro-batches are made automatically",
    "gradient_accumulation_steps": f"{_SIZES}; micro-batches are made automatically",
    "generation_batch_size": _SIZES,
    "max_prompt_length": "prompts are never cut",
    "logging_steps": "every step is logged",
    "warmup_ratio": "say warmup_steps",
    "fp16": "set dtype to float32 or bfloat16",
    "use_vllm": "say engine=vllm",
    "vllm_mode": "engine=vllm is colocated, and with engine_url a server",
    "vllm_server_base_url": "say engine=vllm and engine_url",
    "vllm_server_host": _SERVER,
    "vllm_server_port": _SERVER,
    "vllm_server_timeout": "the trainer waits for each answer",
    "vllm_group_port": _FOLDER,
    "vllm_gpu_memory_utilization": "say engine_memory",
    "vllm_max_model_length": "the model's own context counts; max_rollout_tokens ends a rollout",
    "vllm_tensor_parallel_size": _VLLM,
    "vllm_model_impl": _VLLM,
    "vllm_enable_sleep_mode": "vLLM keeps its share of memory (engine_memory)",
    "vllm_structured_outputs_regex": _ALONE,
    "vllm_importance_sampling_cap": "TRL calls it vllm_importance_sampling_clip_max now",
    "min_p": _ALONE,
    "repetition_penalty": _ALONE,
    "generation_kwargs": _ALONE,
    "cache_implementation": _OWN_ENGINE,
    "use_transformers_paged": _OWN_ENGINE,
    "use_transformers_continuous_batching": _OWN_ENGINE,
    "transformers_continuous_batching_config": _OWN_ENGINE,
    "chat_template_kwargs": "the model's own chat template is used as it is",
    "model_init_kwargs": _MODEL,
    "trust_remote_code": _MODEL,
    "disable_dropout": "there is never dropout: what samples and what learns must be one policy",
    "cast_lm_head_to_fp32": "logits are always computed in float32",
    "router_aux_loss_coef": "auxiliary losses of experts are not computed",
    "pad_to_multiple_of": "rows are packed, not padded",
    "ds3_gather_for_generation": "there is no DeepSpeed here; several GPUs are FSDP2 by torchrun",
    "shuffle_dataset": "tasks are always shuffled, each once an epoch",
    "sync_ref_model": _REFERENCE,
    "ref_model_mixup_alpha": _REFERENCE,
    "ref_model_sync_steps": _REFERENCE,
    "use_adaptive_entropy": _ENTROPY,
    "entropy_coef_min": _ENTROPY,
    "entropy_coef_max": _ENTROPY,
    "entropy_coef_delta": _ENTROPY,
    "entropy_target": _ENTROPY,
    "max_tool_calling_iterations": "say max_turns, which counts the model's calls",
    "log_completions": _ROLLOUTS,
    "log_multimodal": "there are no images",
    "log_completions_hub_repo": _ROLLOUTS,
    "log_unique_prompts": _ROLLOUTS,
    "num_completions_to_print": _ROLLOUTS,
}
"""The setting, and why there is none or what is said instead."""
