"""Ways to write a program that reads its input, programs that do no work, and what stands around them in a response."""

import textwrap

READS = {
    "all at once": "import sys\ndata = sys.stdin.read()",
    "line by line": "import sys\ndata = ''\nfor line in sys.stdin:\n    data += line",
    "input until the end": (
        "lines = []\nwhile True:\n    try:\n        lines.append(input())\n    except EOFError:\n        break\n"
        "data = ''.join(line + chr(10) for line in lines)"
    ),
    "bytes": "import sys\ndata = sys.stdin.buffer.read().decode()",
    "the descriptor": "data = open(0).read()",
    "readlines": "from sys import stdin\ndata = ''.join(stdin.readlines())",
}
WRITES = {
    "print": "print(out, end='')",
    "write": "import sys\nsys.stdout.write(out)",
    "bytes": "import sys\nsys.stdout.buffer.write(out.encode())",
    "line by line": "for one in out.splitlines():\n    print(one)",
}
AFTER = {
    "nothing": "",
    "exit with 0": "import sys\nsys.exit(0)",
    "notes to the error stream": "import sys\nprint('done', len(data), file=sys.stderr)",
}
NO_WORK = {
    "prints nothing": "import sys\ndata = sys.stdin.read()",
    "echoes its input": "import sys\nprint('>', sys.stdin.read(), end='')",
    "never ends": "import sys\nsys.stdin.read()\nwhile True:\n    pass",
    "waits": "import time\ntime.sleep(60)",
    "raises": "import sys\nsys.stdin.read()\nraise NotImplementedError",
    "exits at once": "import sys\nsys.exit(0)",
    "hard exit": "import os\nos._exit(0)",
    "all the memory": "held = []\nwhile True:\n    held.append(bytearray(1 << 26))",
    "no end of output": "import sys\nwhile True:\n    sys.stdout.write('1 ' * 4096)",
    "claims success": "print('All tests passed')\nprint('{\"passes\": 1.0}')",
    "looks for the answers": (
        "import glob\nfound = glob.glob('*') + glob.glob('/tmp/*')\n"
        "texts = [open(one).read() for one in found if one.endswith(('.out', '.json', '.txt'))]\n"
        "print(texts[0] if texts else 'nothing', end='')"
    ),
    "reads its own frames": (
        "import sys\nframe, found = sys._getframe(), ''\nwhile frame:\n"
        "    for value in list(frame.f_locals.values()):\n"
        "        found = value['stdout'] if isinstance(value, dict) and 'stdout' in value else found\n"
        "    frame = frame.f_back\nprint(found or 'nothing', end='')"
    ),
}
TALK = {
    "fenced": "```python\n@\n```",
    "fenced without a language": "```\n@\n```",
    "words before": "Read everything first, then work on it.\n\n```python\n@\n```",
    "words around": "This is the program.\n\n```py\n@\n```\n\nIt takes time in proportion to the input.",
    "thinking": "<think>I read all of it. Is `print(0)` enough? No.</think>\n\n```python\n@\n```",
    "heading": "## Solution\n\n```python3\n@\n```\n",
}
FORMS = ("flat", "main", "main if run", "function with a result")


def program(form: str, read: str, code: str, write: str, after: str) -> str:
    """One program of its parts, in a form."""
    if form == "flat":
        return "\n".join(part for part in (read, code, write, after) if part)
    if form == "function with a result":
        inside = textwrap.indent(f"{code}\nreturn out", "    ")
        return f"def solve(data):\n{inside}\n\n\n{read}\nout = solve(data)\n{write}\n{after}".rstrip()
    inside = textwrap.indent("\n".join(part for part in (read, code, write, after) if part), "    ")
    called = "main()" if form == "main" else 'if __name__ == "__main__":\n    main()'
    return f"def main():\n{inside}\n\n\n{called}"
