import type { TextRange } from '../../../ports/text.ts'
import { type Quantity, quantitiesOf } from '../quantities/quantities.ts'
import { type Clause, type Reading, read } from '../reading/clauses.ts'
import { effectOf } from '../reading/operators.ts'
import { type Scopes, scopesOf } from '../reading/scopes.ts'
import { type Statement, statementsOf } from '../reading/statements.ts'
import type { FidelityCode, FidelityPair, FidelityReason } from '../types.ts'
import { retagged } from '../words/word.ts'
import { type Alignment, align, isContent } from './alignment.ts'

/** One side of a pair, read. */
export interface Side extends Reading {
  readonly scopes: Scopes
  readonly quantities: readonly Quantity[]
  readonly statements: readonly Statement[]
  /** For each word, where its sentence begins. */
  readonly sentenceOf: readonly number[]
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

/** Texts read last: a gate holds several claims against one source. */
/** The latest first. */
const recent: Side[] = []
const MOST_RECENT = 16
/** Characters beyond which a text is kept only as the last of its kind, and as long as memory is not wanted. */
const KEPT = 4000
let lastLong: WeakRef<Side> | undefined

function sideOf(text: string): Side {
  if (text.length > KEPT) {
    const last = lastLong?.deref()
    if (last?.text === text) return last
    const side = readSide(text)
    lastLong = new WeakRef(side)
    return side
  }
  let at = 0
  while (at < recent.length && recent[at]!.text !== text) at++
  const known = recent[at]
  if (known !== undefined && at === 0) return known
  const side = known ?? readSide(text)
  if (known !== undefined) recent.splice(at, 1)
  else if (recent.length === MOST_RECENT) recent.pop()
  recent.unshift(side)
  return side
}

function readSide(text: string): Side {
  const reading = read(text)
  const quantities = quantitiesOf(reading.words)
  // Spelled out: objects made by spreading another and adding to it each get a shape of their own, which is slow to read.
  return {
    text,
    words: withUnits(reading, quantities),
    clauses: reading.clauses,
    clauseOf: reading.clauseOf,
    wordsOf: reading.wordsOf,
    scopes: scopesOf(reading),
    quantities,
    statements: statementsOf(reading, quantities),
    sentenceOf: sentencesOf(reading),
  }
}

function sentencesOf({ words }: Reading): number[] {
  let from = 0
  return words.map((_, i) => {
    if (i > 0 && SENTENCE_ENDS.has(words[i - 1]!.norm)) from = i
    return from
  })
}

const SENTENCE_ENDS: ReadonlySet<string> = new Set(['.', '!', '?', ';', '\n'])

/** Quantities that are numbers from their first word on: "2GB", "USD 500", not "May 12" or "noon". */
const WHOLE: ReadonlySet<Quantity['kind']> = new Set(['money', 'duration', 'bytes', 'length', 'mass'])

/** "30s" and "30 seconds": what a number is measured in is part of it, and compared with it. */
function withUnits({ words }: Reading, quantities: readonly Quantity[]): Reading['words'] {
  const measured = quantities.filter(
    ({ kind, loose }) => loose !== true && kind !== 'ordinal' && kind !== 'times' && kind !== 'version',
  )
  if (measured.length === 0) return words
  const changed = [...words]
  for (const { kind, from, to } of measured)
    for (let i = WHOLE.has(kind) ? from : from + 1; i < to && i < words.length; i++)
      changed[i] = retagged(words[i]!, '#')
  return changed
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
    edited: alignment.edited,
  }
}

/** Statements from which on a text is a summary rather than a note. */
const OF_SUMMARIES = 4

/** An edited summary: other words in a part's place are a rewording as often as a change, and no proof by themselves. */
export const isSummary = ({ source, edited }: Comparison): boolean =>
  edited && source.statements.length >= OF_SUMMARIES

/** Statements beyond which a text is a document: what belongs together in it stands far apart. */
const MANY = 12

export const isDocument = ({ statements }: Side): boolean => statements.length > MANY

const NOWHERE: TextRange = { start: 0, end: 0 }

/** The stretch of text from the first to the last of some words. */
function rangeOf(side: Reading, ...at: readonly number[]): TextRange {
  let start = Number.POSITIVE_INFINITY
  let end = 0
  for (const i of at) {
    const word = side.words[i]
    if (word === undefined) continue
    if (word.start < start) start = word.start
    if (word.end > end) end = word.end
  }
  return end === 0 ? NOWHERE : { start, end }
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

/** The clause itself and those it shares its participants with: complements, relatives, conjuncts. */
export function familyOf({ clauses }: Reading, id: number): ReadonlySet<number> {
  const family = new Set([id])
  const shares = (link: Clause['link']) =>
    link === 'complement' ||
    link === 'relative' ||
    link === 'coordinate' ||
    link === 'adjunct' ||
    link === 'purpose'
  const own = clauses[id]
  if (own !== undefined && own.parent >= 0 && shares(own.link)) family.add(own.parent)
  for (const { id: other, parent, link } of clauses) if (parent === id && shares(link)) family.add(other)
  return family
}

/**
 * Of the other words in the clause of a claim's word: how many there are, how many have a counterpart, and how many of
 * those stand with this word of the source.
 */
export function supportOf(
  { source, claim, alignment }: Comparison,
  c: number,
  s: number,
): { all: number; linked: number; near: number } {
  const family = familyOf(source, source.clauseOf[s] ?? -1)
  const mine = familyOf(claim, claim.clauseOf[c] ?? -1)
  let all = 0
  let linked = 0
  let near = 0
  for (let k = 0; k < alignment.links.length; k++) {
    if (k === c || !mine.has(claim.clauseOf[k]!) || !isContent(claim.words[k]!)) continue
    const link = alignment.links[k]!
    all++
    if (link.source < 0) continue
    linked++
    if (family.has(source.clauseOf[link.source]!)) near++
  }
  return { all, linked, near }
}

/** "didn't forget to", "never fails to": the word denies what it governs and is itself denied, so nothing is. */
export function isDeniedDenier({ words, clauses, scopes }: Side, at: number): boolean {
  const own = clauses.find(({ head }) => head === at)
  return (
    own !== undefined &&
    scopes.stances[own.id]!.sign === -1 &&
    effectOf(words[at]!.lemma) === 'denies' &&
    clauses.some(({ governor }) => governor === at)
  )
}
