"""A call that lowers its own limits before the zygote has set them."""

from sandbox.checks.attacks.attempt import Attempt, completes

ATTEMPT = Attempt(
    program="import resource\nresource.setrlimit(resource.RLIMIT_CPU, (1, 1))\n",
    is_safe=completes,
)
