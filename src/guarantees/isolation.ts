import { parseAnchors } from '../core/anchors.ts'
import { claimsIn } from '../core/claims.ts'
import { fraction, invalid, object } from '../core/given.ts'
import { isKey, type Key } from '../core/key.ts'
import type { FetchResult } from '../core/model.ts'
import { inTurns, Turns } from '../threads/turn.ts'
import { type Elision, type ElisionMarkers, findElisions, LANGUAGES, type Language } from './elisions.ts'

/** Why a summary, alone, does not lead back to what it leaves out. */
export type IsolationCode =
  /** It prints no key at all: everything it leaves out is orphaned. */
  | 'NO_ANCHORS'
  /** Too few keys for what it leaves out: pointers have become prose. */
  | 'DENSITY_BELOW_FLOOR'
  /** Between double brackets stands something that is no key. */
  | 'NOT_A_KEY'
  /** A key that was never assigned here; one of another store is such a key. */
  | 'KEY_ABSENT'
  /** A retired key whose text lives nowhere. */
  | 'KEY_TOMBSTONE'
  /** A live key without text. */
  | 'KEY_EMPTY'
  /** The resolver does not know the key, and says no more. */
  | 'UNRESOLVABLE'

export interface IsolationViolation {
  readonly code: IsolationCode
  /** The key, or what stands in a key's place. */
  readonly anchor?: string
  /** Of a retired key: where to go on. */
  readonly successors?: readonly Key[]
  readonly message: string
}

export interface AnchorIsolation {
  /** True when every printed anchor resolves from the summary alone, and there are enough of them. */
  readonly holds: boolean
  readonly violations: readonly IsolationViolation[]
  /** The keys printed, in order of first appearance. */
  readonly anchors: readonly Key[]
  /** Anchors, repetitions counted, as a part of anchors and elisions together; 0 when there is no anchor. */
  readonly density: number
  readonly elisions: readonly Elision[]
  /** Elisions in sentences that print no key: nothing leads back to what they stand for. */
  readonly orphans: readonly Elision[]
  /** What the reference code of the seed decides, where it differs from `holds` or not (docs/guarantees.md lists how). */
  readonly reference: 'holds' | 'no-anchors' | 'density' | 'unresolvable'
}

/** What a key leads to: a result of `fetch`, or just whether it leads anywhere. */
export type AnchorResolver = (
  key: string,
) => FetchResult | boolean | undefined | Promise<FetchResult | boolean | undefined>

export interface IsolationOptions {
  /** From 0 to 1; default 0.5. */
  readonly minAnchorDensity?: number
  /** Whose elision marks count; default English and German. */
  readonly languages?: readonly (Language | ElisionMarkers)[]
}

/** Milliseconds after which others get their turn: one look at a whole text may take some more. */
const STRETCH = 3

/** Sentences looked at in one step. */
const SENTENCES = 16

/** The pattern of the seed's code, which takes anything for a key that looks like an identifier. */
const REFERENCE_ANCHOR = /\[\[([A-Za-z0-9:_\-/.]+)\]\]/g

/**
 * The pattern of the seed's code. `etc\.` asks for a word's border behind the full stop, so "etc. " never matches and
 * "etc.x" does. Python's `\b` knows the letters of all scripts; JavaScript's has to be told.
 */
const REFERENCE_ELISION =
  /(?<![\p{L}\p{N}_])(?:etc\.(?=[\p{L}\p{N}_])|(?:and related|as noted|the above|earlier)(?![\p{L}\p{N}_]))/giu

/**
 * Strips everything but the summary and tries every anchor it prints. Finding dropped facts by search says nothing
 * here: that tests the store, not the summary. @throws INVALID_ARGUMENT
 */
export async function checkAnchorIsolation(
  summary: string,
  resolver: AnchorResolver,
  options: IsolationOptions = {},
): Promise<AnchorIsolation> {
  if (typeof summary !== 'string') throw invalid('summary', summary, 'give a text')
  if (typeof resolver !== 'function')
    throw invalid('resolver', resolver, 'give a function from a key to what it leads to')
  object('options', options, ['minAnchorDensity', 'languages'])
  const floor = fraction('options.minAnchorDensity', options.minAnchorDensity ?? 0.5)
  const turns = new Turns(STRETCH)
  const { keys, notKeys } = parseAnchors(summary)
  await turns.step()
  const elisions = findElisions(summary, options.languages)
  await turns.step()
  const printed = [...summary.matchAll(REFERENCE_ANCHOR)].map(([, inner]) => inner!)
  const count = printed.filter(isKey).length
  const density = count === 0 ? 0 : count / (count + elisions.length)
  const unresolved = new Map<string, IsolationViolation>()
  for (const key of new Set([...keys, ...printed])) {
    await turns.step()
    const violation = await unresolvable(key, resolver)
    if (violation !== undefined) unresolved.set(key, violation)
  }
  const violations: IsolationViolation[] = [
    ...(count === 0
      ? [
          {
            code: 'NO_ANCHORS' as const,
            message: 'the summary prints no key, so nothing it leaves out can be found again',
          },
        ]
      : density < floor
        ? [
            {
              code: 'DENSITY_BELOW_FLOOR' as const,
              message: `anchor density ${density.toFixed(2)} is below the floor of ${floor.toFixed(2)}: ${counted(count, 'anchor')} for ${counted(elisions.length, 'elision')}`,
            },
          ]
        : []),
    ...notKeys.map((anchor) => ({
      code: 'NOT_A_KEY' as const,
      anchor,
      message: `[[${anchor}]] is no key; print keys as the store returned them`,
    })),
    ...keys.flatMap((key) => unresolved.get(key) ?? []),
  ]
  await turns.step()
  return {
    holds: violations.length === 0,
    violations,
    anchors: keys,
    density,
    elisions,
    orphans: await inTurns(orphansIn(summary, options.languages ?? LANGUAGES), STRETCH),
    reference: referenceVerdict(summary, printed, floor, (anchor) => !unresolved.has(anchor)),
  }
}

async function unresolvable(key: string, resolver: AnchorResolver): Promise<IsolationViolation | undefined> {
  const found = await resolver(key)
  if (found === true) return undefined
  const violation = (code: IsolationCode, why: string, successors?: readonly Key[]): IsolationViolation => ({
    code,
    anchor: key,
    ...(successors === undefined || successors.length === 0 ? {} : { successors }),
    message: `[[${key}]] ${why}`,
  })
  if (typeof found !== 'object' || found === null)
    return violation('UNRESOLVABLE', 'does not resolve from the summary alone')
  switch (found.status) {
    case 'ok':
      return undefined
    case 'absent':
      return violation('KEY_ABSENT', 'was never assigned in this store')
    case 'empty':
      return violation('KEY_EMPTY', 'is live, and there is no text to stand on')
    case 'tombstone': {
      const { identical, successors, reason } = found.tombstone
      if (identical !== undefined) {
        const living = await resolver(identical)
        if (living === true || (typeof living === 'object' && living.status === 'ok')) return undefined
      }
      return violation(
        'KEY_TOMBSTONE',
        `was retired (${reason})${successors.length === 0 ? '' : `; continue from ${successors.join(', ')}`}`,
        successors,
      )
    }
  }
}

/** Sentence by sentence: an elision is kept company by a key of its own sentence, or by none. */
export function* orphansIn(
  text: string,
  languages: readonly (Language | ElisionMarkers)[] = LANGUAGES,
): Generator<void, Elision[]> {
  const orphans: Elision[] = []
  let from = 0
  for (const [i, sentence] of (yield* claimsIn(text)).entries()) {
    if (i % SENTENCES === SENTENCES - 1) yield
    const at = text.indexOf(sentence.slice(0, 40), from)
    const start = at < 0 ? from : at
    if (parseAnchors(sentence).keys.length === 0)
      orphans.push(
        ...findElisions(sentence, languages).map((elision) => ({ ...elision, at: start + elision.at })),
      )
    from = start
  }
  return orphans
}

/** Decides as the code of the seed does, order of its checks included. */
function referenceVerdict(
  summary: string,
  anchors: readonly string[],
  floor: number,
  resolves: (anchor: string) => boolean,
): AnchorIsolation['reference'] {
  if (anchors.length === 0) return 'no-anchors'
  const elisions = [...summary.matchAll(REFERENCE_ELISION)].length
  if (anchors.length / (anchors.length + elisions) < floor) return 'density'
  return anchors.every(resolves) ? 'holds' : 'unresolvable'
}

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`
