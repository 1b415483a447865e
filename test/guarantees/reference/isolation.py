"""The reference code of anchored recall, as its authors wrote it, and a loop around it: one JSON line in, one out."""

import json
import re
import sys

ANCHOR_RE = re.compile(r"\[\[([A-Za-z0-9:_\-/\.]+)\]\]")
ELISION_RE = re.compile(r"\b(etc\.|and related|as noted|the above|earlier)\b", re.IGNORECASE)


class RecallGuaranteeViolation(RuntimeError):
    """Raised when a compacted summary can no longer resolve its own anchors in isolation."""
    pass


def check_anchor_isolation(summary: str, resolver, min_anchor_density: float = 0.5) -> None:
    anchors = ANCHOR_RE.findall(summary)
    elisions = len(ELISION_RE.findall(summary))

    if not anchors:
        raise RecallGuaranteeViolation(
            "summary contains no opaque anchors; every elision is orphaned"
        )

    density = len(anchors) / (len(anchors) + elisions)
    if density < min_anchor_density:
        raise RecallGuaranteeViolation(
            f"anchor density {density:.2f} below floor {min_anchor_density:.2f}; "
            "pointers have been paraphrased into prose"
        )

    unresolved = [a for a in anchors if not resolver(a)]
    if unresolved:
        raise RecallGuaranteeViolation(
            f"anchors unresolvable without dropped context: {unresolved}"
        )


def verdict(case):
    try:
        check_anchor_isolation(case["summary"], lambda key: key in case["known"], case["floor"])
        return "holds"
    except RecallGuaranteeViolation as error:
        message = str(error)
        if message.startswith("summary contains"):
            return "no-anchors"
        return "density" if message.startswith("anchor density") else "unresolvable"


for line in sys.stdin:
    print(json.dumps(verdict(json.loads(line))))
