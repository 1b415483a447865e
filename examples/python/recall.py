"""A compacted summary has to resolve its own anchors, by itself.

    python recall.py http://127.0.0.1:8000 < summary.txt

Prints the keys the summary stands on, or says what is wrong with it and exits with 1.
"""

from __future__ import annotations

import re
import sys
from typing import Callable

from spanstore import Store

ANCHOR = re.compile(r"\[\[([A-Za-z0-9:_\-/.]+)\]\]")
ELISION = re.compile(r"\b(etc\.|and related|as noted|the above|earlier)", re.IGNORECASE)


class RecallGuaranteeViolation(RuntimeError):
    """A summary can no longer resolve its own anchors in isolation."""


def check_anchor_isolation(summary: str, resolver: Callable[[str], bool], floor: float = 0.5) -> set[str]:
    anchors = ANCHOR.findall(summary)
    if not anchors:
        raise RecallGuaranteeViolation("the summary holds no anchor; nothing it leaves out can be found again")
    density = len(anchors) / (len(anchors) + len(ELISION.findall(summary)))
    if density < floor:
        raise RecallGuaranteeViolation(f"anchor density {density:.2f} is below {floor:.2f}")
    unresolved = [anchor for anchor in anchors if not resolver(anchor)]
    if unresolved:
        raise RecallGuaranteeViolation(f"anchors that do not resolve: {', '.join(unresolved)}")
    return set(anchors)


def resolver_of(retrieval: Store) -> Callable[[str], bool]:
    """An anchor resolves where there is live text to stand on: empty, retired and unknown keys do not."""
    return lambda key: retrieval.fetch(key)["status"] == "ok"


if __name__ == "__main__":
    try:
        print("\n".join(sorted(check_anchor_isolation(sys.stdin.read(), resolver_of(Store(sys.argv[1]))))))
    except RecallGuaranteeViolation as error:
        sys.exit(f"refused: {error}")
