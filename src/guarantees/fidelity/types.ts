import type { TextRange } from '../../ports/text.ts'

/** What a reason says went wrong between a source and a claim about it. */
export type FidelityCode =
  /** The claim denies what the source says, or says what the source denies. */
  | 'polarity_flip'
  /** The claim speaks of more, fewer or other members of a set than the source does. */
  | 'quantifier_shift'
  /** The claim is surer, or more binding, than the source: "pencil in" became "confirmed". */
  | 'modality_upgrade'
  /** The claim leaves out a condition or exception the source hangs on. */
  | 'condition_dropped'
  /** A number, amount, date or bound differs. */
  | 'number_mismatch'
  /** A name differs, or is nowhere in the source. */
  | 'entity_mismatch'
  /** The claim says something the source does not cover, or generalises it the wrong way. */
  | 'unsupported'
  /** The claim is less binding than the source: "must" became "may". */
  | 'weakened'
  /** The same participants with their parts exchanged. */
  | 'role_swap'

export interface FidelityReason {
  readonly code: FidelityCode
  /** A hard reason rejects by itself; a soft one raises the risk. */
  readonly severity: 'hard' | 'soft'
  /** Where in the source; empty (0 to 0) when nothing in the source corresponds. */
  readonly sourceRange: TextRange
  readonly claimRange: TextRange
  /** For people: names the words in question. */
  readonly message: string
}

export interface FidelityPair {
  /** The text the claim is about. */
  readonly source: string
  readonly claim: string
  /** Earlier turns. They may tell what a pronoun stands for; nothing is supported by them alone. */
  readonly context?: string | undefined
}

export type FidelityVerdict = 'faithful' | 'unfaithful' | 'abstain'

export interface FidelityResult {
  readonly verdict: FidelityVerdict
  /** From 0 (no sign of trouble) to 1: an ordering of claims, not a probability. */
  readonly risk: number
  readonly reasons: readonly FidelityReason[]
}

/** Another judge, asked when the rules abstain: an NLI model, an LLM, a person. */
export type SecondOpinion = (pair: FidelityPair) => Promise<FidelityVerdict>
