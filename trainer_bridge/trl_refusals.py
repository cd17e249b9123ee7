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

_MICRO = f"{_SIZES}; micro-batches are made automatically"
_PRECISION = "set dtype to float32 or bfloat16; master weights are float32"
_COMPILED = "layers, head and decode step have kernels of their own; nothing is compiled by a setting"
_RECOMPUTING = "gradient_checkpointing recomputes every layer"
_EVALUATION = "held-out tasks are answered before and after, and every eval_steps steps"
_LAST = "the newest save_total_limit checkpoints are kept, and with eval_steps the best model, by its reward, in best"
_LOCAL = "the model is written to output; upload it yourself"
_TASKS = "tasks come from environments, and no data loader's workers read them"
_RANKS = "several processes are FSDP2 by torchrun, which needs no settings"
_OWN_LOG = "metrics.jsonl, the run's page and the trackers of report_to have every step's metrics"
_TRACKIO = "say project and run_name, and set trackio's own variables"
_NO_LABELS = "there are no labels: the model learns from its own answers"

REFUSED = {
    "num_train_epochs": "the length of a run is max_steps; tasks repeat when all were drawn",
    "per_device_train_batch_size": _MICRO,
    "gradient_accumulation_steps": _MICRO,
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

# Of TrainingArguments, which TRL's settings inherit
REFUSED |= {
    "auto_find_batch_size": _MICRO,
    "torch_empty_cache_steps": "the allocator is left alone; say max_microbatch_mb for less memory",
    "lr_scheduler_kwargs": "schedules have no parameters: constant, linear or cosine, after warmup_steps",
    "optim": "the optimizer is AdamW",
    "optim_args": "AdamW has adam_beta1, adam_beta2, adam_epsilon and weight_decay",
    "optim_target_modules": "every weight is trained, or with lora_r the adapters of lora_target_modules",
    "average_tokens_across_devices": "means are always over the samples of all processes",
    "label_smoothing_factor": _NO_LABELS,
    "label_names": _NO_LABELS,
    "bf16_full_eval": _PRECISION,
    "fp16_full_eval": _PRECISION,
    "tf32": "set torch's own switch; products in bfloat16 are summed in float32",
    "activation_checkpointing_kwargs": _RECOMPUTING,
    "gradient_checkpointing_kwargs": _RECOMPUTING,
    "torch_compile": _COMPILED,
    "torch_compile_backend": _COMPILED,
    "torch_compile_mode": _COMPILED,
    "use_liger_kernel": _COMPILED,
    "liger_kernel_config": _COMPILED,
    "use_cache": "the learner keeps no cache of keys and values, the engine always does",
    "neftune_noise_alpha": "there is no noise: what samples and what learns must be one policy",
    "logging_strategy": "every step is logged",
    "logging_first_step": "every step is logged",
    "log_on_each_node": "the first process logs for all",
    "logging_nan_inf_filter": "a loss that is not finite ends the run",
    "include_num_input_tokens_seen": "num_tokens is always logged",
    "log_level": _OWN_LOG,
    "log_level_replica": _OWN_LOG,
    "disable_tqdm": "the progress bar is shown in a terminal only",
    "trackio_space_id": _TRACKIO,
    "trackio_bucket_id": _TRACKIO,
    "trackio_static_space_id": _TRACKIO,
    "eval_strategy": _EVALUATION,
    "eval_delay": _EVALUATION,
    "eval_on_start": _EVALUATION,
    "do_eval": f"{_EVALUATION}; eval_tasks=0 leaves them out",
    "per_device_eval_batch_size": "decode_slots says how many answers are generated at the same time",
    "prediction_loss_only": "an evaluation is of rewards; it has no loss",
    "eval_do_concat_batches": _EVALUATION,
    "eval_use_gather_object": _EVALUATION,
    "eval_accumulation_steps": _EVALUATION,
    "include_for_metrics": _EVALUATION,
    "batch_eval_metrics": _EVALUATION,
    "save_strategy": "say save_steps; 0 saves the final model alone",
    "save_only_model": "a checkpoint always has what resume needs; the folder model is the model alone",
    "save_on_each_node": "the first process saves for all",
    "enable_jit_checkpoint": "Ctrl-C and SIGTERM end the run after its step, with a checkpoint",
    "load_best_model_at_end": _LAST,
    "metric_for_best_model": _LAST,
    "greater_is_better": _LAST,
    "push_to_hub": _LOCAL,
    "hub_token": _LOCAL,
    "hub_private_repo": _LOCAL,
    "hub_model_id": _LOCAL,
    "hub_strategy": _LOCAL,
    "hub_always_push": _LOCAL,
    "hub_revision": _LOCAL,
    "ignore_data_skip": "resume goes on with the tasks that come next",
    "restore_callback_states_from_checkpoint": "a checkpoint has all that a recipe remembers; there are no callbacks",
    "full_determinism": "say seed, threads and lockstep",
    "data_seed": "say seed, which also orders the tasks",
    "accelerator_config": _RANKS,
    "parallelism_config": _RANKS,
    "fsdp": _RANKS,
    "fsdp_config": _RANKS,
    "deepspeed": _RANKS,
    "ddp_find_unused_parameters": _RANKS,
    "ddp_bucket_cap_mb": _RANKS,
    "ddp_broadcast_buffers": _RANKS,
    "ddp_static_graph": _RANKS,
    "ddp_backend": _RANKS,
    "local_rank": _RANKS,
    "dataloader_drop_last": _TASKS,
    "dataloader_num_workers": _TASKS,
    "dataloader_pin_memory": _TASKS,
    "dataloader_persistent_workers": _TASKS,
    "dataloader_prefetch_factor": _TASKS,
    "dataloader_multiprocessing_context": _TASKS,
    "dataloader_in_order": _TASKS,
    "remove_unused_columns": "a verifier gets the whole row of its task",
    "train_sampling_strategy": "tasks are shuffled, or a recipe's sampler orders them",
    "length_column_name": "a recipe's sampler orders tasks, by their pass rates",
    "debug": "a loss or a gradient that is not finite ends the run",
    "skip_memory_metrics": "torch and the operating system tell the peak",
    "do_train": "the command trains; verihub eval measures a model alone",
    "do_predict": "verihub eval measures a model alone",
}

# Of TRL's ModelConfig
_QUANTIZED = "weights are not quantised: lora_r and dtype=bfloat16 take less memory"
_PLAIN_LORA = "adapters are plain LoRA, of lora_r, lora_alpha and lora_target_modules"
REFUSED |= {
    "model_revision": "say model=OWNER/NAME@REVISION",
    "attn_implementation": _COMPILED,
    "use_peft": "say lora_r; at 0 all weights are trained",
    "lora_dropout": "there is never dropout: what samples and what learns must be one policy",
    "lora_target_parameters": _PLAIN_LORA,
    "lora_modules_to_save": _PLAIN_LORA,
    "lora_task_type": _PLAIN_LORA,
    "use_rslora": _PLAIN_LORA,
    "use_dora": _PLAIN_LORA,
    "load_in_8bit": _QUANTIZED,
    "load_in_4bit": _QUANTIZED,
    "bnb_4bit_quant_type": _QUANTIZED,
    "use_bnb_nested_quant": _QUANTIZED,
    "bnb_4bit_quant_storage": _QUANTIZED,
}
