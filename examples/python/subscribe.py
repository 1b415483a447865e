"""Follows what is retired and what turns stale, and goes on where it was after any crash, its own or the server's.

    python subscribe.py http://127.0.0.1:8000 cursor.txt [COUNT]

The cursor is written after each event was dealt with, so that none is lost; one may come twice. Ends after COUNT events,
where a number is given.
"""

from __future__ import annotations

import itertools
import os
import sys

from spanstore import Store, StoreError

TYPES = ["span.retired", "summary.stale", "summary.current"]


def remember(path: str, cursor: str) -> None:
    """All of it or nothing, whenever the power fails."""
    with open(path + ".new", "w") as file:
        file.write(cursor)
        file.flush()
        os.fsync(file.fileno())
    os.replace(path + ".new", path)


def main(url: str, path: str, count: str | None = None) -> None:
    start = "start"
    if os.path.exists(path):
        with open(path) as file:
            start = file.read()
    events = Store(url).events(start=start, types=TYPES)
    for event in itertools.islice(events, None if count is None else int(count)):
        data = event["data"]
        if event["type"] == "span.retired":
            print(f"{event['subject']} {data['reason']} -> {' '.join(data['successors']) or 'nothing'}", flush=True)
        else:
            print(f"{event['subject']} {event['type'].removeprefix('summary.')}", flush=True)
        remember(path, event["cursor"])


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except KeyboardInterrupt:
        pass
    except StoreError as error:
        # Events after the cursor are gone: what depends on them has to be read anew, and the cursor's file removed.
        sys.exit(f"{error.code}: {error}")
