"""Reads CompactionSignals as JSON lines, answers a decision a line. The class and the function are seed 001's, as they stand there."""

import json
import sys
from dataclasses import dataclass


@dataclass(frozen=True)
class CompactionSignals:
    summary_cited_ids: frozenset[str]
    store_recent_ids: frozenset[str]
    self_cited_hit_rate: float
    external_cited_hit_rate: float
    duplicate_representation_density: float
    references_per_summary: tuple[int, ...]  # oldest -> newest


def check_compaction_boundary(signals: CompactionSignals) -> str:
    """Return 'proceed', 'freeze', or 'freeze_and_rollback' per the decision boundary."""
    # Signal 1: summarizer cites IDs the retriever cannot surface.
    citation_overhang = len(signals.summary_cited_ids - signals.store_recent_ids) > 0

    # Signal 2: self-citations rehydrate worse than external queries.
    self_citation_asymmetry = (
        signals.self_cited_hit_rate < signals.external_cited_hit_rate - 0.05
    )

    # Signal 4: references-per-summary should be non-increasing across epochs.
    refs = signals.references_per_summary
    monotonicity_violated = any(
        refs[i] > refs[i - 1] for i in range(1, len(refs))
    )

    # Signal 3: redundant framing above threshold.
    duplicate_density_high = signals.duplicate_representation_density > 0.08

    if monotonicity_violated:
        return "freeze_and_rollback"
    if citation_overhang and self_citation_asymmetry:
        return "freeze"
    if citation_overhang and duplicate_density_high:
        return "freeze"
    return "proceed"


for line in sys.stdin:
    case = json.loads(line)
    signals = CompactionSignals(
        frozenset(case["summaryCitedIds"]),
        frozenset(case["storeRecentIds"]),
        case["selfCitedHitRate"],
        case["externalCitedHitRate"],
        case["duplicateRepresentationDensity"],
        tuple(case["referencesPerSummary"]),
    )
    print(json.dumps(check_compaction_boundary(signals)))
