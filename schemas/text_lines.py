"""The lines of a text, as Python and editors see them."""


def text_lines(text: str) -> list[str]:
    """Lines without their ends, which are ``\\n``, ``\\r\\n`` and ``\\r``.

    ``str.splitlines`` cuts at form feeds and at U+2028 too: what stands behind one in a comment would look like code.
    """
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return lines if lines[-1] else lines[:-1]
