"""How options are picked. Each form picks one option, or surely does not pick the right one alone.

``a``, ``x``: letter and text of the right option. ``l``: its letter, small. ``w y`` and ``v z``: two wrong ones.
"""

WORKED = [
    "Let us look at the options one by one.",
    "I compare {y} with {x} first.",
    "Option {w} says {y}, which does not fit.",
    "{v}) {z} is wrong, as a quick check shows.",
    "<think>It could be {w}. No: {y} does not fit what is asked.</think>",
    "Options {w} and {v} can be ruled out.",
]

RIGHT = {
    "bare": "{a}",
    "bare-bracket": "({a})",
    "bare-half-bracket": "{a})",
    "bare-full-stop": "{a}.",
    "bare-bold": "**{a}**",
    "bare-with-text": "{a}) {x}",
    "boxed": "\\boxed{{{a}}}",
    "boxed-text-style": "$\\boxed{{\\text{{{a}}}}}$",
    "sentence": "The answer is {a}.",
    "sentence-bracket": "The answer is ({a}).",
    "sentence-bold": "The correct answer is **{a}**.",
    "sentence-option": "So the right one is option {a}.",
    "sentence-text": "The answer is {a}) {x}.",
    "sentence-because": "The answer is {a}, because {x} is what was asked for.",
    "label": "Answer: {a}",
    "label-final": "Final answer: {a}",
    "label-bold": "**Answer:** {a}",
    "label-small": "answer: {l}",
    "tag": "<answer>{a}</answer>",
    "hashes": "#### {a}",
    "therefore": "Therefore, {a} is correct.",
    "choose": "I choose {a}.",
    "corrected": "I first thought of {w}, but that is wrong. The answer is {a}.",
    "rest-excluded": "{w} is wrong and {v} is wrong. The answer is {a}.",
}

WRONG = {
    "bare-other": "{w}",
    "bare-bracket-other": "({w})",
    "bare-bold-other": "**{w}**",
    "bare-with-text-other": "{w}) {y}",
    "boxed-other": "\\boxed{{{w}}}",
    "boxed-two": "\\boxed{{{w}}} or \\boxed{{{a}}}",
    "sentence-other": "The answer is {w}.",
    "sentence-bold-other": "The correct answer is **{w}**.",
    "sentence-text-other": "The answer is {w}) {y}.",
    "label-other": "Answer: {w}",
    "label-final-other": "Final answer: {v}",
    "tag-other": "<answer>{w}</answer>",
    "hashes-other": "#### {w}",
    "two": "The answer is {w} or {a}.",
    "two-turned": "Either {a} or {w}.",
    "all-letters": "A, B, C, D",
    "denied": "The answer is not {a}.",
    "taken-back": "The answer is {a}. No, that is wrong: the answer is {w}.",
    "named-then-other": "One might pick {a}, but the answer is {w}.",
    "no-answer": "I do not know.",
    "no-text": "",
    "no-such-letter": "The answer is H.",
    "no-choice": "All of them could be right.",
    "choose-other": "I choose {w}, not {a}.",
}
