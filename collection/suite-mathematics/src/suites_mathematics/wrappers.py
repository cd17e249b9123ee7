"""What stands around an answer, which is put in for ``@``. All of them mark one value as the answer."""

WRAPPERS = [
    "\\boxed{@}",
    "$\\boxed{@}$",
    "The answer is $\\boxed{@}$.",
    "Therefore, the final answer is\n\\[\n\\boxed{@}\n\\]",
    "We work from the definition and simplify step by step. In the end this leaves one value.\n\n$$\\boxed{@}$$",
    "**Solution.** Both sides are rearranged, and terms of the same kind are collected.\n\n**Answer:** $\\boxed{@}$",
    "<think>Let me be careful with the signs here. I check the result by putting it back in.</think>\n\n\\boxed{@}",
]
