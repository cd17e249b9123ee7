"""JSON by hand: (schema, value that is wanted, right texts, wrong texts). A text is right where it is JSON of that value."""

from typing import Any

OPEN = {"type": "object"}
TICKET: dict[str, Any] = {
    "type": "object",
    "properties": {
        "id": {"type": "integer"},
        "when": {"type": "string", "format": "date-time"},
        "tags": {"type": "array", "items": {"type": "string"}},
        "owner": {"type": ["string", "null"]},
        "open": {"type": "boolean"},
    },
    "required": ["id", "when", "tags", "owner", "open"],
    "additionalProperties": False,
}
TICKET_VALUE = {"id": 71, "when": "2025-02-28T09:05:00Z", "tags": ["urgent", "wlan"], "owner": None, "open": True}
GRID: dict[str, Any] = {
    "type": "object",
    "properties": {
        "rows": {"type": "array", "items": {"type": "array", "items": {"type": "integer"}}},
        "label": {"enum": ["sparse", "dense"]},
    },
    "required": ["rows", "label"],
}
GRID_VALUE = {"rows": [[1, 0], [0, -2], []], "label": "sparse"}
MONEY: dict[str, Any] = {
    "type": "object",
    "properties": {
        "amount": {"type": "number"},
        "unit": {"const": "EUR"},
        "note": {"type": "string"},
        "account": {"type": "string"},
        "big": {"type": "integer"},
    },
    "required": ["amount", "unit", "note", "account", "big"],
}
MONEY_VALUE = {
    "amount": 0.015, "unit": "EUR", "note": 'He said "later"\nTwo lines \\ one slash',
    "account": "007300", "big": 9007199254740993,
}  # fmt: skip
TREE: dict[str, Any] = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "parts": {"type": "array", "items": {"type": "object"}}},
    "required": ["name", "parts"],
}
TREE_VALUE = {"name": "Kåre Øst 🌱", "parts": [{"n": 1, "parts": []}, {"n": 2, "parts": [{"n": 3}]}]}

FENCE = "```"
CASES: list[tuple[dict[str, Any], Any, list[str], list[str]]] = [
    (
        TICKET,
        TICKET_VALUE,
        [
            '{"id":71,"when":"2025-02-28T09:05:00Z","tags":["urgent","wlan"],"owner":null,"open":true}',
            '{"open": true, "owner": null, "tags": ["urgent", "wlan"], "when": "2025-02-28T09:05:00Z", "id": 71}',
            '\n\n  {\n\t"id": 71,\n\t"when": "2025-02-28T09:05:00Z",\n\t"tags": [\n\t\t"urgent",\n\t\t"wlan"\n\t],\n\t"owner": null,\n\t"open": true\n}\n',
            FENCE
            + 'json\n{"id": 71, "when": "2025-02-28T09:05:00Z", "tags": ["urgent", "wlan"], "owner": null, "open": true}\n'
            + FENCE,
            FENCE
            + '\n{"id": 71, "when": "2025-02-28T09:05:00Z", "tags": ["urgent", "wlan"], "owner": null, "open": true}\n'
            + FENCE
            + "\n",
            FENCE
            + 'JSON\r\n{"id": 71,\r\n "when": "2025-02-28T09:05:00Z", "tags": ["urgent", "wlan"], "owner": null, "open": true}\r\n'
            + FENCE,
            '{"\\u0069d": 71, "when": "2025-02-28T09:05:00\\u005a", "tags": ["urgent", "wlan"], "owner": null, "open": true}',
            '<think>id is 71, so {"id": 70} is wrong.</think>\n{"id": 71, "when": "2025-02-28T09:05:00Z", "tags": ["urgent", "wlan"], "owner": null, "open": true}',
        ],
        [
            '{"id": "71", "when": "2025-02-28T09:05:00Z", "tags": ["urgent", "wlan"], "owner": null, "open": true}',
            '{"id": 71, "when": "2025-02-28T09:05:00Z", "tags": ["wlan", "urgent"], "owner": null, "open": true}',
            '{"id": 71, "when": "2025-02-28T09:05:00Z", "tags": ["urgent", "wlan"], "owner": "null", "open": true}',
            '{"id": 71, "when": "2025-02-28T09:05:00Z", "tags": ["urgent", "wlan"], "owner": "", "open": true}',
            '{"id": 71, "when": "2025-02-28T09:05:00Z", "tags": ["urgent", "wlan"], "open": true}',
            '{"id": 71, "when": "2025-02-28T09:05:00Z", "tags": ["urgent", "wlan"], "owner": null, "open": 1}',
            '{"id": 71, "when": "2025-02-28T09:05:00Z", "tags": ["urgent", "wlan"], "owner": null, "open": "true"}',
            '{"id": 71, "when": "2025-02-28T09:05:00Z", "tags": ["urgent", "wlan"], "owner": null, "open": false}',
            '{"id": 71, "when": "2025-02-28T09:05:00Z", "tags": "urgent, wlan", "owner": null, "open": true}',
            '{"id": 71, "when": "2025-02-28T09:05:00Z", "tags": ["urgent"], "owner": null, "open": true}',
            '{"id": 71, "when": "2025-02-28T09:05:00Z", "tags": ["urgent", "wlan", "wlan"], "owner": null, "open": true}',
            '{"id": 71, "when": "2025-02-28T21:05:00Z", "tags": ["urgent", "wlan"], "owner": null, "open": true}',
            '{"id": 71, "when": "2025-02-28T09:05:00Z", "tags": ["urgent", "wlan"], "owner": null, "open": true, "extra": 1}',
            '[{"id": 71, "when": "2025-02-28T09:05:00Z", "tags": ["urgent", "wlan"], "owner": null, "open": true}]',
            '{"ticket": {"id": 71, "when": "2025-02-28T09:05:00Z", "tags": ["urgent", "wlan"], "owner": null, "open": true}}',
            "{'id': 71, 'when': '2025-02-28T09:05:00Z', 'tags': ['urgent', 'wlan'], 'owner': None, 'open': True}",
            '{"id": 71, "when": "2025-02-28T09:05:00Z", "tags": ["urgent", "wlan"], "owner": null, "open": true',
            '"{\\"id\\": 71, \\"when\\": \\"2025-02-28T09:05:00Z\\", \\"tags\\": [\\"urgent\\", \\"wlan\\"], \\"owner\\": null, \\"open\\": true}"',
            '{"Id": 71, "when": "2025-02-28T09:05:00Z", "tags": ["urgent", "wlan"], "owner": null, "open": true}',
            "{}",
            "null",
            "71",
            "",
            "true",
            '<think>{"id": 71, "when": "2025-02-28T09:05:00Z", "tags": ["urgent", "wlan"], "owner": null, "open": true}</think>',
        ],
    ),
    (
        GRID,
        GRID_VALUE,
        [
            '{"rows": [[1, 0], [0, -2], []], "label": "sparse"}',
            '{"label":"sparse","rows":[[1,0],[0,-2],[]]}',
            '{"rows": [[1, 0],\n [0, -2],\n [ ]], "label": "\\u0073parse"}',
        ],
        [
            '{"rows": [[1, 0], [0, -2]], "label": "sparse"}',
            '{"rows": [[0, -2], [1, 0], []], "label": "sparse"}',
            '{"rows": [[1, 0], [0, 2], []], "label": "sparse"}',
            '{"rows": [[1, 0], [0, -2], [0]], "label": "sparse"}',
            '{"rows": [[1, 0], [0, -2], null], "label": "sparse"}',
            '{"rows": [1, 0, 0, -2], "label": "sparse"}',
            '{"rows": [[1, 0], [0, -2], []], "label": "dense"}',
            '{"rows": [[true, 0], [0, -2], []], "label": "sparse"}',
            '{"rows": [[1, false], [0, -2], []], "label": "sparse"}',
            '{"rows": [["1", "0"], ["0", "-2"], []], "label": "sparse"}',
            '{"rows": [[1, 0], [0, -2], []], "label": ["sparse"]}',
            '{"rows": [[1, 0], [0, -02], []], "label": "sparse"}',
            '{"rows": [[1, 0], [0, -2], [[]]], "label": "sparse"}',
        ],
    ),
    (
        MONEY,
        MONEY_VALUE,
        [
            '{"amount": 0.015, "unit": "EUR", "note": "He said \\"later\\"\\nTwo lines \\\\ one slash", "account": "007300", "big": 9007199254740993}',
            '{"amount": 1.5e-2, "unit": "EUR", "note": "He said \\"later\\"\\nTwo lines \\\\ one slash", "account": "007300", "big": 9007199254740993}',
            '{"amount": 0.0150, "unit": "EUR", "note": "He said \\u0022later\\u0022\\u000aTwo lines \\u005c one slash", "account": "007300", "big": 9007199254740993}',
            '{"amount": 15E-3, "unit": "EUR", "note": "He said \\"later\\"\\nTwo lines \\\\ one slash", "account": "007300", "big": 9007199254740993}',
        ],
        [
            '{"amount": 0.15, "unit": "EUR", "note": "He said \\"later\\"\\nTwo lines \\\\ one slash", "account": "007300", "big": 9007199254740993}',
            '{"amount": "0.015", "unit": "EUR", "note": "He said \\"later\\"\\nTwo lines \\\\ one slash", "account": "007300", "big": 9007199254740993}',
            '{"amount": 0.015, "unit": "USD", "note": "He said \\"later\\"\\nTwo lines \\\\ one slash", "account": "007300", "big": 9007199254740993}',
            '{"amount": 0.015, "unit": "EUR", "note": "He said \\"later\\"\\nTwo lines / one slash", "account": "007300", "big": 9007199254740993}',
            '{"amount": 0.015, "unit": "EUR", "note": "He said \\"later\\"\\\\nTwo lines \\\\ one slash", "account": "007300", "big": 9007199254740993}',
            '{"amount": 0.015, "unit": "EUR", "note": "He said \\"later\\"\\nTwo lines \\\\ one slash", "account": 7300, "big": 9007199254740993}',
            '{"amount": 0.015, "unit": "EUR", "note": "He said \\"later\\"\\nTwo lines \\\\ one slash", "account": "7300", "big": 9007199254740993}',
            '{"amount": 0.015, "unit": "EUR", "note": "He said \\"later\\"\\nTwo lines \\\\ one slash", "account": "007300", "big": 9007199254740992}',
            '{"amount": 0.015, "unit": "EUR", "note": "He said \\"later\\"\\nTwo lines \\\\ one slash", "account": "007300", "big": 9007199254740994}',
            '{"amount": 0.015, "unit": "EUR", "note": "He said \\"later\\"\\nTwo lines \\\\ one slash", "account": "007300", "big": 9007199254740992.0}',
            '{"amount": 0,015, "unit": "EUR", "note": "He said \\"later\\"\\nTwo lines \\\\ one slash", "account": "007300", "big": 9007199254740993}',
            '{"amount": .015, "unit": "EUR", "note": "He said \\"later\\"\\nTwo lines \\\\ one slash", "account": "007300", "big": 9007199254740993}',
            '{"amount": 0.0150001, "unit": "EUR", "note": "He said \\"later\\"\\nTwo lines \\\\ one slash", "account": "007300", "big": 9007199254740993}',
            '{"amount": NaN, "unit": "EUR", "note": "He said \\"later\\"\\nTwo lines \\\\ one slash", "account": "007300", "big": 9007199254740993}',
        ],
    ),
    (
        TREE,
        TREE_VALUE,
        [
            '{"name": "Kåre Øst 🌱", "parts": [{"n": 1, "parts": []}, {"n": 2, "parts": [{"n": 3}]}]}',
            '{"name": "K\\u00e5re \\u00D8st \\ud83c\\udf31", "parts": [{"parts": [], "n": 1}, {"parts": [{"n": 3}], "n": 2}]}',
            '{"parts":[{"n":1,"parts":[]},{"n":2,"parts":[{"n":3}]}],"name":"Kåre Øst 🌱"}',
        ],
        [
            '{"name": "Kare Ost 🌱", "parts": [{"n": 1, "parts": []}, {"n": 2, "parts": [{"n": 3}]}]}',
            '{"name": "Kåre Øst", "parts": [{"n": 1, "parts": []}, {"n": 2, "parts": [{"n": 3}]}]}',
            '{"name": "Kåre Øst 🌱", "parts": [{"n": 2, "parts": [{"n": 3}]}, {"n": 1, "parts": []}]}',
            '{"name": "Kåre Øst 🌱", "parts": [{"n": 1}, {"n": 2, "parts": [{"n": 3}]}]}',
            '{"name": "Kåre Øst 🌱", "parts": [{"n": 1, "parts": []}, {"n": 2, "parts": [{"n": 3, "parts": []}]}]}',
            '{"name": "Kåre Øst 🌱", "parts": [{"n": 1, "parts": []}, {"n": 2, "parts": {"n": 3}}]}',
            '{"name": "Kåre Øst 🌱", "parts": [{"n": 1, "parts": []}, {"n": 2, "parts": [{"n": true}]}]}',
            '{"name": "Kåre Øst 🌱", "parts": {"n": 1, "parts": []}}',
            '{"name": "Kåre Øst 🌱", "parts": [{"n": 1, "parts": []}, {"n": 2, "parts": [{"n": 3}]}], "parts2": []}',
        ],
    ),
]
