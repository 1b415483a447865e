import type { TextRange } from '../../ports.ts'
import { type Alignment, align } from './alignment.ts'
import { type Clause, type Reading, read } from './clauses.ts'
import { type Quantity, quantitiesOf } from './quantities.ts'
import { type Scopes, scopesOf } from './scopes.ts'
import type { FidelityCode, FidelityPair, FidelityReason } from './types.ts'

/** One side of a pair, read. */
export interface Side extends Reading {
  readonly scopes: Scopes
  readonly quantities: readonly Quantity[]
}

export interface Comparison {
  readonly source: Side
  readonly claim: Side
  readonly context: Side | undefined
  readonly alignment: Alignment
  /** Most of one text is in the other, in order: what differs can be looked at piece by piece. */
  readonly edited: boolean
}

/** A reason, and how much it alone should worry. */
export interface Finding extends FidelityReason {
  /** From 0 to 1. */
  readonly weight: number
}

function sideOf(text: string): Side {
  const reading = read(text)
  return { ...reading, scopes: scopesOf(reading), quantities: quantitiesOf(reading.words) }
}

export function compare({ source, claim, context }: FidelityPair): Comparison {
  const one = sideOf(source)
  const other = sideOf(claim)
  const alignment = align(one, other)
  return {
    source: one,
    claim: other,
    context: context === undefined || context === '' ? undefined : sideOf(context),
    alignment,
    edited: alignment.closeness >= 0.62 && alignment.containment >= 0.55,
  }
}

const NOWHERE: TextRange = { start: 0, end: 0 }

/** The stretch of text from the first to the last of some words. */
export function rangeOf(side: Reading, ...at: readonly number[]): TextRange {
  const words = at.filter((i) => i >= 0 && i < side.words.length).map((i) => side.words[i]!)
  if (words.length === 0) return NOWHERE
  return {
    start: Math.min(...words.map(({ start }) => start)),
    end: Math.max(...words.map(({ end }) => end)),
  }
}

export function finding(
  { source, claim }: Comparison,
  code: FidelityCode,
  severity: 'hard' | 'soft',
  weight: number,
  inSource: readonly number[],
  inClaim: readonly number[],
  message: string,
): Finding {
  return {
    code,
    severity,
    weight,
    sourceRange: rangeOf(source, ...inSource),
    claimRange: rangeOf(claim, ...inClaim),
    message,
  }
}

export const clauseAt = (side: Reading, word: number): Clause | undefined =>
  side.clauses[side.clauseOf[word] ?? -1]

export const said = (side: Reading, ...at: readonly number[]): string => {
  const { start, end } = rangeOf(side, ...at)
  return side.text.slice(start, end)
}
