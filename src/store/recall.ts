import { type RecallSignals, recalling } from '../guarantees/recall.ts'
import type { CollectionInfo, Ledger } from '../ports/ledger.ts'
import { inTurns } from '../threads/turn.ts'

/** How many steps back a chain of re-compactions is looked at. */
const STEPS = 8

/**
 * The five signals of anchored recall for a session: from its live summaries, the last few that each took the place
 * of, and the log of what was asked.
 */
export async function recall(
  { ledger }: { readonly ledger: Ledger },
  info: CollectionInfo,
  session: string,
): Promise<RecallSignals> {
  const [{ chains, gone }, { anchored, queried }] = await Promise.all([
    ledger.gates.chains(info.ref, session, STEPS),
    ledger.sessions.probes(info.ref, session),
  ])
  return await inTurns(recalling({ chains, gone, anchors: anchored, queries: queried }))
}
