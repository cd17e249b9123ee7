"""A response that is code, to a verifier that parses by eval(), affects only its own call."""

from sandbox.checks.attacks.attempt import Attempt, completes

ATTEMPT = Attempt(
    program="""
eval("__import__('os').system('echo x > /tmp/evaluated')")
exec("import threading; threading.Thread(target=lambda: None).start()")
""",
    is_safe=completes,
)
