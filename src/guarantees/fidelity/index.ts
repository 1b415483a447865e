import { judge } from './judge.ts'
import type { FidelityPair, FidelityResult, SecondOpinion } from './types.ts'

export type {
  FidelityCode,
  FidelityPair,
  FidelityReason,
  FidelityResult,
  FidelityVerdict,
  SecondOpinion,
} from './types.ts'

/**
 * Says whether a claim is faithful to its source, by rules alone: the same pair gives the same answer, offline,
 * without a model. `unfaithful` when a hard reason was found; `abstain` when too little of the claim could be
 * matched to tell.
 */
export function checkFidelity(pair: FidelityPair): FidelityResult {
  return judge(pair)
}

/** `checkFidelity`, and the second opinion where it abstains. The reasons stay those of the rules. */
export async function judgeFidelity(
  pair: FidelityPair,
  secondOpinion?: SecondOpinion,
): Promise<FidelityResult> {
  const result = checkFidelity(pair)
  if (result.verdict !== 'abstain' || secondOpinion === undefined) return result
  return { ...result, verdict: await secondOpinion(pair) }
}
