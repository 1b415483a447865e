import { setImmediate as nextTurn } from 'node:timers/promises'
import { invalid } from '../../core/given.ts'
import { judge } from './judge.ts'
import type { FidelityPair, FidelityResult, FidelityVerdict, SecondOpinion } from './types.ts'

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
 * matched to tell. Synchronous, and longer texts take longer: `judgeFidelity` holds nobody up. @throws INVALID_ARGUMENT
 */
export function checkFidelity(pair: FidelityPair): FidelityResult {
  check(pair)
  return judge(pair)
}

function check(pair: FidelityPair): void {
  if (typeof pair !== 'object' || pair === null)
    throw invalid('pair', pair, 'give an object with source and claim')
  const { source, claim, context } = pair
  if (typeof source !== 'string') throw invalid('pair.source', source, 'give the text the claim is about')
  if (typeof claim !== 'string') throw invalid('pair.claim', claim, 'give the text of the claim')
  if (context !== undefined && typeof context !== 'string')
    throw invalid('pair.context', context, 'give the text that stood before, or leave it out')
}

/** Characters of a pair that are judged on the caller's thread: at most some 18 ms of work, once the code has run. */
const SHORT = 1200

/** Long texts are judged in a thread; of several short ones others get their turn after each. */
async function judgeInTurn({ source, claim, context }: FidelityPair): Promise<FidelityResult> {
  const pair: FidelityPair = { source, claim, context }
  if (source.length + claim.length + (context?.length ?? 0) > SHORT)
    // Loaded when it is needed: most processes never meet a long pair.
    return (await import('./judge-elsewhere.ts')).judgeElsewhere(pair)
  const result = judge(pair)
  await nextTurn()
  return result
}

const VERDICTS: readonly FidelityVerdict[] = ['faithful', 'unfaithful', 'abstain']
const isVerdict = (value: unknown): value is FidelityVerdict => VERDICTS.includes(value as FidelityVerdict)

/**
 * `checkFidelity`, and the second opinion where it abstains; an opinion that is no verdict settles nothing. The reasons
 * stay those of the rules. Above 1,200 characters the rules run in a thread of their own. @throws INVALID_ARGUMENT
 */
export async function judgeFidelity(
  pair: FidelityPair,
  secondOpinion?: SecondOpinion,
): Promise<FidelityResult> {
  check(pair)
  if (secondOpinion !== undefined && typeof secondOpinion !== 'function')
    throw invalid('secondOpinion', secondOpinion, 'give a function from a pair to a verdict')
  const result = await judgeInTurn(pair)
  if (result.verdict !== 'abstain' || secondOpinion === undefined) return result
  const opinion: unknown = await secondOpinion(pair)
  return isVerdict(opinion) ? { ...result, verdict: opinion } : result
}
