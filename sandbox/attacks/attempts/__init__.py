"""One attempt a file: ``rowNN_what_is_tried.py``, NN its row in docs/threat_model.md, its docstring the safe result."""
