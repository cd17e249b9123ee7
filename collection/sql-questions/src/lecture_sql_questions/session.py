"""The session: a tool to try queries on one database, and an answer. A model without tools answers at once."""

import json
import re

from lecture_sql_questions.running import QueryError, run_query
from lecture_sql_questions.tasks import case_of

MOST_QUERIES, MOST_ROWS_SHOWN, MOST_SILENT = 12, 20, 3
_BLOCK = re.compile(r"```[ \t]*(?:sql|sqlite)?[ \t]*\r?\n(.*?)(?:```|\Z)", re.DOTALL | re.IGNORECASE)
_BARE = re.compile(r"\A\s*(?:SELECT|WITH)\b.*\Z", re.DOTALL | re.IGNORECASE)
QUERY = {
    "type": "function",
    "function": {
        "name": "query",
        "description": f"Run one SELECT on the database as it is now. Shows at most {MOST_ROWS_SHOWN} rows.",
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
        return self.answer is not None or self.queries >= MOST_QUERIES or self.silent >= MOST_SILENT

    def _reply(self, call: object) -> dict:
        self.queries += 1
        call = call if isinstance(call, dict) else {}
        function = call.get("function") if isinstance(call.get("function"), dict) else {}
        return {"role": "tool", "tool_call_id": str(call.get("id", "")), "content": self._act(function)}

    def _act(self, function: dict) -> str:
        try:
            arguments = json.loads(function["arguments"]) if isinstance(function.get("arguments"), str) else None
        except (ValueError, RecursionError):
            arguments = None
        sql = arguments.get("sql") if isinstance(arguments, dict) else None
        if function.get("name") != "query" or not isinstance(sql, str):
            return 'error: the only tool is query, with arguments {"sql": TEXT}'
        try:
            rows = run_query(self.case.domain, self.case.shown, sql)
        except QueryError as error:
            return f"error: {error}"
        shown = "\n".join(json.dumps(row, ensure_ascii=False, default=str) for row in rows[:MOST_ROWS_SHOWN])
        more = f"\n… {len(rows) - MOST_ROWS_SHOWN} more" if len(rows) > MOST_ROWS_SHOWN else ""
        return f"{shown or 'no rows'}{more}"


def find_query(text: str) -> str | None:
    """The query that a message commits to: its last code block, or the whole of it where that is a query."""
    spoken = text.rsplit("</think>", 1)[-1]
    blocks = [block.strip() for block in _BLOCK.findall(spoken) if block.strip()]
    if blocks:
        return blocks[-1]
    return spoken.strip() if _BARE.match(spoken) else None


def text_of(content: object) -> str:
    """The text of a message: a string, or OpenAI's list of content parts."""
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, dict) and part.get("type") == "text"]
        return "".join(part for part in parts if isinstance(part, str))
    return content if isinstance(content, str) else ""
