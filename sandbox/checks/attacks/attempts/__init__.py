"""One attempt a file: ``rowNN_what_is_tried.py``; its docstring is the safe result.

NN is its row in docs/explanation/threat_model.md.
"""
