"""One attempt for each file ``rowNN_what_is_tried.py``. Its docstring says what is tried, or what must be true
afterwards.

NN is the row of the table in docs/explanation/threat_model.md.
"""
