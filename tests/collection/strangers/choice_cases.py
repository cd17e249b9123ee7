"""Answers to lettered questions, written from the README of suites/choice alone. Exactly one option is right by arithmetic.

``RIGHT`` and ``WRONG`` hold (letter of the right option, what is said). A text is right where it commits itself to that
letter and to no other, wrong where it commits itself to another, to several or to none.
"""

QUESTION = "What is 6 times 7?\nA. 36\nB. 42\nC. 48\nD. 49"
OTHER = "Which number is prime?\nA. 21\nB. 27\nC. 31\nD. 33\nE. 39"
TASKS = {"B": QUESTION, "C": OTHER}
RIGHT = [
    ("B", "B"), ("C", "(C)"), ("B", "b)"), ("C", "C."), ("B", "**B**"), ("C", "Answer: C"), ("B", "ANSWER: B"),
    ("C", "Final answer: (C)"), ("B", "The answer is B."), ("C", "The correct option is C."),
    ("B", "6 times 7 is 42, so the answer is (B)."), ("C", "31 has no divisors, therefore the answer is C."),
    ("B", "$\\boxed{B}$"), ("C", "The answer is $\\boxed{\\text{C}}$."), ("B", "#### B"), ("C", "<answer>C</answer>"),
    ("B", "A is 36, which is 6 times 6. C and D are too large.\n\nAnswer: B"),
    ("C", "21 = 3 x 7, 27 = 3 x 9, 33 = 3 x 11, 39 = 3 x 13. What is left is 31.\n\n**Answer: C**"),
    ("B", "At first I took A, but 6 times 7 is 42.\nThe answer is B."), ("C", "Option C"), ("B", "Choice B."),
    ("C", "I choose C."), ("B", "It must be B."), ("C", "C, since all the others can be divided by 3."),
    ("B", "<think>6 times 7 is 42. That is B.</think>\nB"), ("C", "My answer: C."), ("B", "B. 42"), ("C", "C) 31"),
    ("B", "The answer is B (42)."), ("C", "So the right choice is C."),
]  # fmt: skip
WRONG = [
    ("B", "A"), ("C", "(D)"), ("B", "c)"), ("C", "E."), ("B", "**D**"), ("C", "Answer: A"), ("B", "ANSWER: C"),
    ("C", "Final answer: (B)"), ("B", "The answer is D."), ("C", "The correct option is A."),
    ("B", "6 times 7 is 48, so the answer is (C)."), ("C", "27 has no divisors, therefore the answer is B."),
    ("B", "$\\boxed{A}$"), ("C", "The answer is $\\boxed{\\text{D}}$."), ("B", "#### D"), ("C", "<answer>E</answer>"),
    ("B", "B is too small.\n\nAnswer: C"), ("C", "C can be divided by 31.\n\n**Answer: A**"),
    ("B", "At first I took B, but that is wrong.\nThe answer is A."), ("C", "Option A or C"), ("B", "A, B, C, D"),
    ("C", "Any of them."), ("B", "I do not know whether it is A or B."), ("C", "It is not C."), ("B", "The answer is not B."),
    ("C", "None of these."), ("B", "Don't know"), ("C", "Cannot say"), ("B", "Answer:"), ("C", ""), ("B", "B or C"),
    ("C", "Answer: C\nAnswer: D"), ("B", "<think>It is B.</think>\nA"), ("C", "Everything but C is prime, so D."),
    ("B", "A\nB\nC\nD"), ("C", "C D"), ("B", "Best guess: A"), ("C", "The letter is the third one of none."),
    ("B", "Between B and D I take D."), ("C", "Answer: not C"),
]  # fmt: skip
