"""Importing this makes the advantage estimator ``verihub_grpo`` known to verl.

``VERL_USE_EXTERNAL_MODULES=hub_client.adapters.verl_advantages`` has verl import it in every process.
"""

from verl.trainer.ppo.core_algos import register_adv_est

from hub_client.adapters.verl import masked_grpo

register_adv_est("verihub_grpo")(masked_grpo)
