"""The session: a tool to try queries on one database, and an answer. A model without tools answers at once."""

import json
import re

from lecture_sql_questions.running import QueryError
from lecture_sql_questions.tasks import case_of

MOST_QUERIES, MOST_ROWS_SHOWN, MOST_SILENT = 12, 20, 3
_BLOCK = re.compile(r"(?:```|~~~)[ \t]*(\w*sql\w*\b|\w*(?=[ \t]*\r?\n)|)(.*?)(?:```|~~~|\Z)", re.DOTALL | re.IGNORECASE)
_QUERY = re.compile(r"(?:\s|--[^\n]*\n|/\*.*?\*/|\()*(?:SELECT|WITH|VALUES)\b", re.DOTALL | re.IGNORECASE)
_BARE = re.compile(r"^[ \t]*(?:SELECT|WITH)\b.*\Z", re.DOTALL | re.IGNORECASE | re.MULTILINE)
QUERY = {
    "type": "function",
    "function": {
        "name": "query",
        "description": (
            f"Run one SELECT on the database as it is now, at most {MOST_QUERIES} times. Shows at most "
            f"{MOST_ROWS_SHOWN} rows."
        ),
        "parameters": {
            "type": "object",
            "properties": {"sql": {"type": "string", "description": "one SELECT statement"}},
            "required": ["sql"],
        },
    },
}


class Session:
    """One question. The last message without a call is the answer."""

    def reset(self, task: dict, seed: int) -> dict:
        place = task["info"]
        self.case = case_of(place["split"], place["seed"], place["index"])
        self.answer: str | None = None
        self.queries = self.silent = 0
        return {"messages": [{"role": "user", "content": task["prompt"]}], "tools": [QUERY]}

    def step(self, message: dict) -> dict:
        if self._is_over():
            return {"messages": [{"role": "user", "content": "This question is answered."}], "done": True}
        made = message.get("tool_calls")
        if isinstance(made, list) and made:
            replies = [self._reply(call) for call in made if not self._is_over()]
            return {"messages": replies, "done": self._is_over()}
        self.answer = find_query(text_of(message.get("content")))
        if self.answer is None:
            self.silent += 1
            said = "Answer with one SELECT statement in a code block marked sql."
            return {"messages": [{"role": "user", "content": said}], "done": self._is_over()}
        return {"messages": [{"role": "user", "content": "Thank you."}], "done": True}

    def state(self) -> dict:
        """The query that was given as the answer (or None), and how many were tried."""
        return {"answer": self.answer, "queries": self.queries}

    def _is_over(self) -> bool:
        return self.answer is not None or self.silent >= MOST_SILENT

    def _reply(self, call: object) -> dict:
        if self.queries >= MOST_QUERIES:
            self.silent += 1
            said = "error: no query is left; answer now, in a code block marked sql"
            return {"role": "tool", "tool_call_id": _ident(call), "content": said}
        self.queries += 1
        call = call if isinstance(call, dict) else {}
        function = call.get("function") if isinstance(call.get("function"), dict) else {}
        return {"role": "tool", "tool_call_id": _ident(call), "content": self._act(function)}

    def _act(self, function: dict) -> str:
        try:
            arguments = json.loads(function["arguments"]) if isinstance(function.get("arguments"), str) else None
        except (ValueError, RecursionError):
            arguments = None
        sql = arguments.get("sql") if isinstance(arguments, dict) else None
        if function.get("name") != "query" or not isinstance(sql, str):
            return 'error: the only tool is query, with arguments {"sql": TEXT}'
        try:
            rows = self.case.rows(self.case.shown, sql)
        except QueryError as error:
            return f"error: {error}"
        shown = "\n".join(json.dumps(row, ensure_ascii=False, default=str) for row in rows[:MOST_ROWS_SHOWN])
        more = f"\n… {len(rows) - MOST_ROWS_SHOWN} more" if len(rows) > MOST_ROWS_SHOWN else ""
        return f"{shown or 'no rows'}{more}"


def _ident(call: object) -> str:
    ident = call.get("id", "") if isinstance(call, dict) else ""
    return str(ident)[:200].encode(errors="replace").decode()


def find_query(text: str) -> str | None:
    """The query that a message commits to: its last code block that is one, or else what stands from SELECT or WITH on.

    A block that is none (rows, prose) does not count; where no block is a query, the last one marked sql does.
    """
    spoken = text.rsplit("</think>", 1)[-1]
    blocks = [(tag.lower(), body.strip()) for tag, body in _BLOCK.findall(spoken) if body.strip()]
    queries = [body for _, body in blocks if _QUERY.match(body)] or [body for tag, body in blocks if "sql" in tag]
    if queries:
        return queries[-1]
    bare = None if blocks else _BARE.search(spoken)
    return bare.group().strip() if bare else None


def text_of(content: object) -> str:
    """The text of a message: a string, or OpenAI's list of content parts."""
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, dict) and part.get("type") == "text"]
        return "".join(part for part in parts if isinstance(part, str))
    return content if isinstance(content, str) else ""
