import type { RecordOutcome, RecordResult } from '../../core/record.ts'
import { ChromaFailure } from './failure.ts'

/*
 * Where Chroma leaves something out and says nothing, it is said here beside the answer: in a header, and in a member
 * of the body for clients that look. `strict` makes a refusal of it.
 */

/** What a request named and did not get. */
export interface Missing {
  readonly absent: readonly string[]
  readonly tombstone: readonly MissingRecord[]
  /** Given to `add`, though they are there: nothing was written for them. */
  readonly exists: readonly string[]
}

export interface MissingRecord {
  readonly id: string
  readonly key: string
  readonly reason?: string
  /** Milliseconds since the epoch. */
  readonly at?: number
}

export const NOTHING_MISSING: Missing = { absent: [], tombstone: [], exists: [] }

export const isMissing = ({ absent, tombstone, exists }: Missing): boolean =>
  absent.length + tombstone.length + exists.length > 0

export function missingOf(results: readonly (RecordResult | RecordOutcome)[]): Missing {
  const absent = new Set<string>()
  const tombstone = new Map<string, MissingRecord>()
  const exists = new Set<string>()
  for (const result of results) {
    const status = 'status' in result ? result.status : result.outcome
    if (status === 'absent') absent.add((result as { source: string }).source)
    else if (status === 'exists') exists.add((result as { source: string }).source)
    else if (status === 'tombstone') {
      const { source, key, reason, at } = result as {
        source: string
        key: string
        reason?: string
        at?: number
      }
      const known = reason === undefined ? {} : { reason, at: at! }
      tombstone.set(source, { id: source, key, ...known })
    }
  }
  return { absent: [...absent], tombstone: [...tombstone.values()], exists: [...exists] }
}

export const MISSING_HEADER = 'Spanstore-Missing'

/** Headers have little room: the first ids, percent-encoded, and how many there are beyond. */
const ROOM = 1_500

function listText(ids: readonly string[]): string {
  let text = ''
  for (const [i, id] of ids.entries()) {
    const next = `${i === 0 ? '' : ','}${encodeURIComponent(id.toWellFormed())}`
    if (text.length + next.length > ROOM) return `${text}${i === 0 ? '' : ','}+${ids.length - i}`
    text += next
  }
  return text
}

/** `absent=a,b;tombstone=c`; undefined where nothing is missing. */
export function missingText({ absent, tombstone, exists }: Missing): string | undefined {
  const parts = Object.entries({ absent, tombstone: tombstone.map(({ id }) => id), exists })
    .filter(([, ids]) => ids.length > 0)
    .map(([name, ids]) => `${name}=${listText(ids)}`)
  return parts.length === 0 ? undefined : parts.join(';')
}

/** @throws ChromaFailure 404 where an id was never there, 410 where it is gone, 409 where it is there already */
export function refuseMissing(missing: Missing): void {
  const { absent, tombstone, exists } = missing
  const named = (ids: readonly string[]) =>
    ids
      .slice(0, 20)
      .map((id) => JSON.stringify(id))
      .join(', ')
  if (absent.length > 0)
    throw new MissingFailure(404, 'NotFoundError', `no record was ever there under ${named(absent)}`, missing)
  if (tombstone.length > 0)
    throw new MissingFailure(
      410,
      'GoneError',
      `no record is there any more under ${named(tombstone.map(({ id }) => id))}`,
      missing,
    )
  if (exists.length > 0)
    throw new MissingFailure(
      409,
      'UniqueConstraintError',
      `a record is there already under ${named(exists)}; upsert or update to change it`,
      missing,
    )
}

/** A refusal that says what was missing. */
export class MissingFailure extends ChromaFailure {
  readonly missing: Missing

  constructor(status: number, error: string, message: string, missing: Missing) {
    super(status, error, message)
    this.missing = missing
  }
}
