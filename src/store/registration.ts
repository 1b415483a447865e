import { parseAnchors, withoutAnchors } from '../core/anchors.ts'
import { claimsIn, derivableKeys } from '../core/claims.ts'
import { decodeCursor } from '../core/cursor.ts'
import { parseKey } from '../core/key.ts'
import type { CollectionInfo } from '../ports/ledger.ts'
import type { RegisterCommand } from '../ports/sessions.ts'
import { hashOf } from './draft.ts'
import { array, fraction, invalid, object, wellFormed, wholeNumber } from './input.ts'

export interface SummaryInput {
  /** Anchors in it, `[[KEY]]`, are its dependencies. */
  readonly text: string
  /** Its sentences, unless given. */
  readonly claims?: readonly string[]
  /** Keys it depends on beside its anchors, of any collection of the store. */
  readonly dependsOn?: readonly string[]
  /** Keys of the spans it stands for. */
  readonly covers?: readonly string[]
  /** A live summary of this session that it takes the place of. */
  readonly replaces?: string | readonly string[]
  /** What the summarizer had read: a position of this collection, or a cursor of the store when its inputs lie in several. */
  readonly basedOn?: number | string
  /** How complete the summarizer calls it, from 0 to 1. Kept to be held against it, never believed. */
  readonly completeness?: number
}

/** Claims of one step. */
const CLAIMS = 16

const FIELDS = ['text', 'claims', 'dependsOn', 'covers', 'replaces', 'basedOn', 'completeness']

/**
 * Checks a summary as it was handed in, in steps. `unverified`: claims, by place, that are registered though they were
 * found unfaithful.
 */
export function* registering(
  info: CollectionInfo,
  input: SummaryInput,
  path: string,
  unverified: ReadonlySet<number> = new Set(),
): Generator<void, RegisterCommand> {
  object(path, input, FIELDS)
  const text = wellFormed(`${path}.text`, input.text)
  if (text.trim() === '') throw invalid(`${path}.text`, text, 'a summary needs text')
  const keys = (name: 'dependsOn' | 'covers', value: readonly string[] | undefined) => [
    ...new Set(
      value === undefined
        ? []
        : array(`${path}.${name}`, value).map((key, i) => parseKey(key, `${path}.${name}[${i}]`)),
    ),
  ]
  const claims =
    input.claims === undefined
      ? yield* claimsIn(text)
      : array(`${path}.claims`, input.claims).map((claim, i) => wellFormed(`${path}.claims[${i}]`, claim))
  yield
  const printed = parseAnchors(text).keys
  yield
  const own = new Set(printed)
  const beside = keys('dependsOn', input.dependsOn).filter((key) => !own.has(key))
  yield
  const made: RegisterCommand['claims'][number][] = []
  for (const [i, claim] of claims.entries()) {
    if (i % CLAIMS === CLAIMS - 1) yield
    const derivable = derivableKeys(claim, text).length > 0
    made.push({ text: claim, derivable, unverified: unverified.has(i) })
  }
  const skeleton = [withoutAnchors(text)]
  yield
  for (const [i, claim] of claims.entries()) {
    if (i % CLAIMS === CLAIMS - 1) yield
    skeleton.push(withoutAnchors(claim))
  }
  yield
  const replaces =
    input.replaces === undefined
      ? []
      : typeof input.replaces === 'string'
        ? [input.replaces]
        : array(`${path}.replaces`, input.replaces)
  return {
    text,
    claims: made,
    dependsOn: [
      ...printed.map((key) => ({ key, printed: true })),
      ...beside.map((key) => ({ key, printed: false })),
    ],
    covers: keys('covers', input.covers),
    replaces: [...new Set(replaces.map((key, i) => parseKey(key, `${path}.replaces[${i}]`)))],
    basedOn:
      input.basedOn === undefined
        ? undefined
        : typeof input.basedOn === 'string'
          ? decodeCursor(input.basedOn)
          : new Map([[info.id, wholeNumber(`${path}.basedOn`, input.basedOn, 0)]]),
    skeleton: hashOf(skeleton.join('\u0000')),
    completeness:
      input.completeness === undefined ? undefined : fraction(`${path}.completeness`, input.completeness),
  }
}
