"""No irreversible action on a claim that no longer stands on a live span.

    python gate.py http://127.0.0.1:8000 < claims.json

`retrieval` is anything with `fetch(key)`; here it is a live store. Prints what each claim stands on, or says which one
does not and exits with 1.
"""

from __future__ import annotations

import json
import sys
from typing import Any

from spanstore import Store


class RehydrationBoundaryError(RuntimeError):
    """A summary's claim cannot be substantiated by retrieval at the point of use."""


def assert_claim_substantiated(claim: dict[str, Any], retrieval: Any) -> dict[str, str]:
    """The span a claim stands on. claim: {"text", "self_sufficient", "dependency_key"}."""
    if claim["self_sufficient"]:
        return {"span": claim["text"], "source": "summary"}
    key = claim["dependency_key"]
    if key is None:
        raise RehydrationBoundaryError(f"{claim['text']!r} is not self-sufficient and names no key")
    result = retrieval.fetch(key)
    if result["status"] == "tombstone":
        raise RehydrationBoundaryError(
            f"{claim['text']!r} stands on {key}, which was retired ({result['reason']}); "
            f"read its successors: {', '.join(result['successors']) or 'there are none'}"
        )
    if result["status"] == "empty":
        raise RehydrationBoundaryError(f"{claim['text']!r} stands on {key}, which has no text")
    if result["status"] != "ok":
        raise RehydrationBoundaryError(f"{claim['text']!r} stands on {key}, which is {result['status']}")
    if result.get("state", "current") != "current":
        raise RehydrationBoundaryError(f"{claim['text']!r} stands on {key}, a summary that is {result['state']}")
    # Compare polarity and quantifiers of the claim and of result["span"] here, before use.
    return {"span": result["span"], "source": "retrieval"}


def pre_action_gate(claims: list[dict[str, Any]], retrieval: Any) -> list[dict[str, str]]:
    """Fails closed: one claim that is not backed blocks the action."""
    return [assert_claim_substantiated(claim, retrieval) for claim in claims]


if __name__ == "__main__":
    try:
        for backed in pre_action_gate(json.load(sys.stdin), Store(sys.argv[1])):
            print(json.dumps(backed))
    except RehydrationBoundaryError as error:
        sys.exit(f"blocked: {error}")
