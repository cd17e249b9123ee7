"""Words that readers ask with, and the words of packages that mean the same: one line each, plain lower-case words.

A package that has the reader's own word comes before one that only has a synonym of it.
"""

_LINES = """
hallucination: invented invention unsupported
hallucinations: invented invention unsupported
hallucinate: invented invention unsupported
grounding: supported quoted cited citations
grounded: supported quoted cited citations
faithful: supported invented invention
faithfulness: supported invented invention
factuality: supported cited invented
attribution: citations cited quoted
abstention: unanswerable
abstain: unanswerable
jailbreak: injection attacks
sat: satisfiability satisfiable
navigation: maze grid
csv: table tables
dataframe: table tables
email: mail mailbox
chatbot: customer
"""
SYNONYMS = {word: tuple(others.split()) for word, others in (line.split(": ") for line in _LINES.strip().splitlines())}
