import { describe, expect, it } from 'vitest'
import { openStore } from '../../src/index.ts'

/** Cuts at the places it is given, whatever the text. */
const cutAt = (id: string, ranges: readonly (readonly [number, number])[]) => ({
  id,
  chunk: (text: string) => ranges.map(([start, end]) => ({ start, end, text: text.slice(start, end) })),
})

describe('what brought a text back', () => {
  it('is never a span that was there beside it all along, though it holds the same bytes and covers its place', async () => {
    const store = await openStore(':memory:')
    const notes = await store.collection('notes')
    const text = 'ha ha ha ha'
    // Both say "ha ha ha", and overlap.
    const { added } = await notes.put({
      source: 's',
      text,
      chunker: cutAt('two', [
        [0, 8],
        [3, 11],
      ]),
    })
    const { retired, kept } = await notes.put({ source: 's', text, chunker: cutAt('one', [[3, 11]]) })
    expect([kept, retired.length]).toEqual([1, 1])
    const staying = added.find((key) => key !== retired[0])!
    const result = await notes.fetch(retired[0]!)
    if (result.status !== 'tombstone') throw new Error(`it is ${result.status}`)
    expect(result.tombstone.successors).toEqual([staying])
    expect(result.tombstone.identical).toBeUndefined()
    await store.close()
  })
})
