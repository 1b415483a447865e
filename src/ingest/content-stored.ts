import type { Collection, Key } from '../index.ts'
import type { Content, ContentSpan } from './content.ts'
import type { Stored } from './sync-report.ts'

/** Whether the store has exactly this content; and the text it has. */
export async function isStored(
  collection: Collection,
  stored: Stored,
  content: Content,
): Promise<{ same: boolean; text: string }> {
  const { text, places, gaps } = await collection.read(stored.source)
  const whole = gaps.length === 0 && places.every((place) => place.status !== 'tombstone')
  const same =
    whole &&
    text === content.text &&
    stored.info.metadata.kind === content.kind &&
    (content.spans === undefined
      ? stored.info.chunker === content.chunker.id
      : stored.info.chunker === undefined &&
        places.length === content.spans.length &&
        (await holds(
          collection,
          places.map((place) => place.key),
          content.spans,
        )))
  return { same, text }
}

/** Whether the keys answer these spans, with their own metadata. */
export async function holds(
  collection: Collection,
  keys: readonly Key[],
  spans: readonly ContentSpan[],
): Promise<boolean> {
  const results = await collection.fetchMany(keys)
  return results.every((result, i) => {
    if (result.status !== 'ok' && result.status !== 'empty') return false
    if (result.kind !== 'span' || result.span.text !== spans[i]!.text) return false
    const { metadata } = result.span
    return Object.entries(spans[i]!.metadata ?? {}).every(([name, value]) => isSame(metadata[name], value))
  })
}

/** Equal JSON, whatever the order of members. */
function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  const as = Object.entries(a)
  const bs = b as Record<string, unknown>
  return (
    Array.isArray(a) === Array.isArray(b) &&
    as.length === Object.keys(b).length &&
    as.every(([name, value]) => Object.hasOwn(bs, name) && isSame(value, bs[name]))
  )
}
