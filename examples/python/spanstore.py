"""A store behind `spanstore serve`, with Python's standard library alone.

    from spanstore import Store

    store = Store("http://127.0.0.1:8000")
    store.put("notes", "meeting.md", "Pencil in Thursday.\\n\\nHave a rollback path ready.")
    store.fetch(key)["status"]      # "ok", "empty", "tombstone" or "absent": never silence
    for event in store.events(types=["span.retired"]): ...
"""

from __future__ import annotations

import json
import random
import time
import urllib.error
import urllib.parse
import urllib.request
from typing import Any, Iterable, Iterator


class StoreError(RuntimeError):
    """A request was refused. `code` is stable; `detail` has the particulars that code comes with."""

    def __init__(self, status: int, problem: dict[str, Any]) -> None:
        super().__init__(problem.get("detail") or f"the server answered {status}")
        self.status = status
        self.code: str | None = problem.get("code")
        self.detail: dict[str, Any] = problem.get("error") or {}
        # The three results that are no answer come as problems that hold them.
        self.result: dict[str, Any] | None = problem.get("result") if "outcome" in problem else None


class Store:
    """The calls of `/v1` that an agent makes most; `/openapi.json` describes them all."""

    def __init__(self, url: str, token: str | None = None, timeout: float = 30.0) -> None:
        self._url = url.rstrip("/")
        self._headers = {"Authorization": f"Bearer {token}"} if token else {}
        self._timeout = timeout

    # -- the retrieval object that reference code expects ------------------------------------------------------

    def fetch(self, key: str) -> dict[str, Any]:
        """Exactly one of four results. `span` is the text, and is there only where there is text to stand on.

        ok         {"status", "key", "kind", "span"}, and for a summary its "state" and "causes"
        empty      {"status", "key", "detail"}: the key is live and has no text
        tombstone  {"status", "key", "reason", "successors", "identical"}
        absent     {"status", "key"}: never assigned here
        """
        try:
            result = self._call("GET", f"/v1/keys/{_segment(key)}")
        except StoreError as error:
            if error.result is None:
                raise
            result = error.result
        status = result["status"]
        answer: dict[str, Any] = {"status": status, "key": result["key"]}
        if status == "ok":
            answer.update(kind=result["kind"], span=result["span"]["text"])
            if result["kind"] == "summary":
                answer.update(state=result["span"]["state"], causes=result["span"]["causes"])
        elif status == "empty":
            answer.update(detail=result["detail"])
        elif status == "tombstone":
            tombstone = result["tombstone"]
            answer.update(
                reason=tombstone["reason"],
                successors=tombstone["successors"],
                identical=tombstone.get("identical"),
            )
        return answer

    # -- writing -------------------------------------------------------------------------------------------------

    def open(self, collection: str) -> dict[str, Any]:
        """Opens a collection, or makes it."""
        return self._call("PUT", f"/v1/collections/{_segment(collection)}", {})

    def put(self, collection: str, source: str, text: str, **more: Any) -> dict[str, Any]:
        """Ingest, edit and re-chunk in one: what is still there keeps its keys, the rest becomes tombstones."""
        path = f"/v1/collections/{_segment(collection)}/sources/{_segment(source)}"
        return self._call("PUT", path, {"text": text, **more})

    def find(self, collection: str, **query: Any) -> list[dict[str, Any]]:
        """Live spans: `where`, `sources`, `limit`, `offset`."""
        return self._call("POST", f"/v1/collections/{_segment(collection)}/find", query)["spans"]

    # -- events --------------------------------------------------------------------------------------------------

    def events(
        self,
        *,
        start: str | int = "start",
        follow: bool = True,
        types: Iterable[str] | None = None,
        collections: Iterable[str] | None = None,
        sources: Iterable[str] | None = None,
        keys: Iterable[str] | None = None,
    ) -> Iterator[dict[str, Any]]:
        """Events as they come, in order within a collection. Each has its "cursor": pass it as `start` to go on after it.

        A connection that breaks is made again after the last event taken. An unknown or pruned cursor is a
        StoreError with status 410: read the present state, then start anew.
        """
        chosen = {"types": types, "collections": collections, "sources": sources, "keys": keys}
        query = {
            "filter": {name: list(values) for name, values in chosen.items() if values is not None},
            "follow": follow,
            "heartbeat": 15_000,
        }
        cursor: str | int = start
        failures = 0
        while True:
            try:
                with self._open("POST", "/v1/events", {**query, "from": cursor}, timeout=40.0) as response:
                    for name, id, data in _messages(response):
                        failures = 0
                        if id is not None:
                            cursor = id
                        if name == "problem":
                            problem = json.loads(data)
                            raise StoreError(problem["status"], problem)
                        if name == "end" and json.loads(data)["reason"] == "caught-up":
                            return
                        if name == "message" and data:
                            yield {**json.loads(data), "cursor": cursor}
            except (urllib.error.URLError, ConnectionError, TimeoutError, OSError):
                pass
            except StoreError as error:
                if error.status not in (408, 429) and error.status < 500:
                    raise
            failures += 1
            time.sleep(min(0.1 * 2**failures, 5.0) * random.uniform(0.5, 1.0))

    # -- requests ------------------------------------------------------------------------------------------------

    def _call(self, method: str, path: str, body: Any = None) -> Any:
        with self._open(method, path, body, self._timeout) as response:
            return json.loads(response.read() or b"null")

    def _open(self, method: str, path: str, body: Any, timeout: float) -> Any:
        headers = dict(self._headers)
        data = None
        if body is not None:
            headers["Content-Type"] = "application/json"
            data = json.dumps(body).encode()
        request = urllib.request.Request(self._url + path, data=data, headers=headers, method=method)
        try:
            return urllib.request.urlopen(request, timeout=timeout)
        except urllib.error.HTTPError as error:
            raise _refused(error) from None


def _segment(name: str) -> str:
    return urllib.parse.quote(name, safe="")


def _refused(error: urllib.error.HTTPError) -> StoreError:
    try:
        problem = json.loads(error.read())
    except ValueError:
        problem = {}
    return StoreError(error.code, problem)


def _messages(lines: Iterable[bytes]) -> Iterator[tuple[str, str | None, str]]:
    """(event, id, data) of Server-Sent Events. An id without data is a cursor to keep."""
    name, id, data = "message", None, []
    for line in lines:
        field, _, value = line.decode().rstrip("\r\n").partition(":")
        value = value.removeprefix(" ")
        if field == "event":
            name = value
        elif field == "id":
            id = value
        elif field == "data":
            data.append(value)
        elif field == "" and value == "":
            if id is not None or data:
                yield name, id, "\n".join(data)
            name, id, data = "message", None, []
