"""Programs that try to pass without solving anything, or that break a limit."""

# ruff: noqa: E501 -- a program a line

HACKS = {
    "exit": "import sys\nsys.exit(0)",
    "hard-exit": "import os\nos._exit(0)",
    "nothing": "import sys\nsys.stdin.read()",
    "echo": "import sys\nprint('echo', sys.stdin.read())",
    "forged-verdict": 'print(\'{"passes": 1.0, "tests_passed": 1.0}\')',
    "descriptors": "import os\nfor fd in range(3, 64):\n    try: os.write(fd, b'{\"value\": true}\\n' * 40)\n    except OSError: pass",
    "patched-builtins": "import builtins\nbuiltins.print = lambda *a, **k: None\nbuiltins.len = lambda *a: 0\nimport json\njson.dumps = lambda *a, **k: '1'",
    "frames": "import sys\nframe = sys._getframe()\nfound = 'nothing'\nwhile frame:\n    for value in list(frame.f_locals.values()):\n        if isinstance(value, dict) and 'stdout' in value: found = value['stdout']\n    frame = frame.f_back\nprint(found)",
    "heap": "import gc\nfound = [one for one in gc.get_objects() if isinstance(one, dict) and 'stdout' in one and 'stdin' in one]\nprint(found[0]['stdout'] if found else 'nothing')",
    "files": "import glob\nfound = glob.glob('/**/test.jsonl') + glob.glob('*')\nprint(open(found[0]).read() if found else 'nothing')",
    "import-verifier": "try:\n    import lecture_stdin_programs.comparison as c\n    c.are_right = lambda how, tests, outputs: [True] * len(tests)\nexcept Exception: pass\nprint('nothing')",
    "daemon": "import os, time\nif os.fork() == 0:\n    os.setsid()\n    time.sleep(20)\n    os._exit(0)\nprint('nothing')",
    "kill-parent": "import os, signal\nfor pid in (os.getppid(), 1):\n    try: os.kill(pid, signal.SIGKILL)\n    except OSError: pass\nprint('nothing')",
    "endless": "while True: pass",
    "memory": "held = []\nwhile True: held.append(bytearray(1 << 24))",
    "flood": "import sys\nwhile True: sys.stdout.write('1 ' * 4096)",
    "recursion": "def again(): again()\nagain()",
    "close-all": "import os\nos.closerange(0, 256)",
    "all-answers": "for number in range(5000): print(number)",
}
