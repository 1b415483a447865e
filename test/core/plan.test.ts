import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Changeset, Draft, Entry } from '../../src/core/changeset.ts'
import { plan } from '../../src/core/plan.ts'

/** What a chunker made of a text. */
interface Cut {
  readonly draft: Draft
  readonly texts: readonly (string | undefined)[]
  /** Where each chunk starts. */
  readonly starts: readonly number[]
}

type Chunker = (text: string) => Cut

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex')

/** Chunks from ranges of a text, whatever lies between them. */
function cut(text: string, ranges: readonly (readonly [number, number])[]): Cut {
  let covered = 0
  const texts: string[] = []
  const chunks = ranges.map(([start, end]) => {
    const own = text.slice(start, end)
    texts.push(own)
    const lead = { gap: text.slice(covered, start), overlap: Math.max(0, covered - start) }
    covered = Math.max(covered, end)
    return { hash: hashOf(own), length: own.length, metadata: undefined, lead }
  })
  return { draft: { chunks, trailing: text.slice(covered) }, texts, starts: ranges.map(([start]) => start) }
}

const rangesOf = (pattern: RegExp, text: string) =>
  [...text.matchAll(pattern)].map((match) => [match.index, match.index + match[0].length] as const)

const paragraphs: Chunker = (text) => cut(text, rangesOf(/\S.*(?:\n.*\S.*)*/g, text))
const sentences: Chunker = (text) => cut(text, rangesOf(/\S[^.?!\n]*[.?!]?/g, text))

/** Windows of a size; each starts `overlap` before the end of the last one. */
const windows =
  (size: number, overlap = 0): Chunker =>
  (text) => {
    const ranges: [number, number][] = []
    for (let start = 0; start < text.length; start += size - overlap) {
      ranges.push([start, Math.min(text.length, start + size)])
      if (start + size >= text.length) break
    }
    return cut(text, ranges)
  }

/** Ready-made spans: nothing between them. `undefined` has no text. */
function turns(...spans: readonly (string | undefined)[]): Cut {
  const chunks = spans.map((text) => ({
    hash: text === undefined ? undefined : hashOf(text),
    length: text?.length ?? 0,
    metadata: undefined,
    lead: { gap: '', overlap: 0 },
  }))
  return { draft: { chunks, trailing: '' }, texts: spans, starts: [] }
}

const withMetadata = (made: Cut, metadataOf: (index: number) => string | undefined): Cut => ({
  ...made,
  draft: {
    ...made.draft,
    chunks: made.draft.chunks.map((chunk, k) => ({ ...chunk, metadata: metadataOf(k) })),
  },
})

interface Outcome extends Changeset {
  readonly entries: readonly Entry[]
  /** The indices asked for, call by call. */
  readonly asked: readonly (readonly number[])[]
}

/** Plans one cut after another. `retired`: entries retired since. `erased`: entries whose text is gone. */
function outcome(
  old: Cut,
  now: Cut,
  retired: readonly number[] = [],
  erased: readonly number[] = [],
): Outcome {
  const asked: (readonly number[])[] = []
  const entries = old.draft.chunks.map((chunk, id) => ({
    ...chunk,
    hash: erased.includes(id) ? undefined : chunk.hash,
    id,
    live: !retired.includes(id),
  }))
  const changeset = plan(entries, old.draft.trailing, now.draft, {
    old: (indices) => {
      asked.push(indices)
      return indices.map((index) => (erased.includes(index) ? undefined : old.texts[index]))
    },
    chunk: (index) => now.texts[index],
  })
  return { ...changeset, entries, asked }
}

/** What became of each old span, as `entry:what`. Minted chunks are m, kept ones k, each with its chunk's index. */
function story(old: Cut, now: Cut, retired: readonly number[] = [], erased: readonly number[] = []): string {
  const changes = outcome(old, now, retired, erased)
  const kept = changes.slots.flatMap((slot) => ('keep' in slot ? [[slot.keep, slot.chunk] as const] : []))
  const lines = [
    ...kept.map(
      ([entry, chunk]) => [entry, changes.moved.includes(entry) ? `moved ${chunk}` : 'kept'] as const,
    ),
    ...changes.retired.map(({ entry, reason, successors }) => {
      const names = successors.map((chunk) => ('keep' in changes.slots[chunk]! ? `k${chunk}` : `m${chunk}`))
      return [entry, [reason, ...names].join(' ')] as const
    }),
    ...changes.restored.map(([entry, chunk]) => [entry, `restored ${chunk}`] as const),
  ]
  return lines
    .sort(([a], [b]) => a - b)
    .map(([entry, what]) => `${entry}:${what}`)
    .join(', ')
}

const A = 'Apples are picked in autumn, when the nights grow cold and the air is clear.'
const B = 'Boats leave the harbour at dawn. They return with the evening tide, heavy with fish.'
const C = 'Clocks were rare in the village, and nobody owned a watch before the railway came.'
const D = 'Dust settled on the shelves of the library, which had been closed for years.'
const doc = (...parts: readonly string[]) => paragraphs(parts.join('\n\n'))

describe('plan keeps', () => {
  it('everything of a draft that is equal to what lives', () => {
    const changes = outcome(doc(A, B, C), doc(A, B, C))
    expect(changes.slots).toEqual([0, 1, 2].map((chunk) => ({ keep: chunk, chunk })))
    expect(changes).toMatchObject({ retired: [], moved: [], updated: [], restored: [], asked: [] })
  })

  it('what an edit did not touch, without reading it', () => {
    const many = Array.from({ length: 1000 }, (_, i) => `${A} Number ${i}.`)
    const changes = outcome(doc(...many), doc(...many.with(500, B)))
    expect(changes.retired).toEqual([{ entry: 500, reason: 'edited', successors: [500] }])
    expect(changes.asked).toEqual([[500]])
  })

  it('text that moved', () => {
    expect(story(doc(A, B, C, D), doc(D, A, B, C))).toBe('0:kept, 1:kept, 2:kept, 3:moved 0')
    expect(story(doc(A, B, C), doc(C, B, A))).toBe('0:kept, 1:moved 1, 2:moved 0')
  })

  it('short text only where it moved as part of a longer run', () => {
    expect(story(doc(A, B, C, 'Yes.'), doc('Yes.', A, B, C))).toBe('0:kept, 1:kept, 2:kept, 3:edited')
    expect(story(doc(A, B, C, D, 'Yes.'), doc(D, 'Yes.', A, B, C))).toBe(
      '0:kept, 1:kept, 2:kept, 3:moved 0, 4:moved 1',
    )
  })

  it('no run that occurs twice among what is unmatched', () => {
    expect(story(doc(A, B, C, D), doc(D, D, A, B, C))).toContain('3:edited')
    expect(story(doc(A, B, C, D, D), doc(D, A, B, C))).toMatch(/3:edited.*, 4:edited/)
  })

  it('a run of repeated texts whose order is unique', () => {
    const [x, y] = ['A sentence of twenty.', 'Another one like it.']
    const old = turns(A, B, C, D, `${A}!`, x, x, y, y)
    expect(story(old, turns(x, x, y, y, A, B, C, D, `${A}!`))).toMatch(/5:moved 0, 6:moved 1.*8:moved 3/)
  })

  it('the "Yes." with the same neighbours, and no other', () => {
    const old = turns('Shall we start?', 'Yes.', 'Shall we delete it?', 'Yes.', 'Bye.')
    expect(story(old, turns('Shall we delete it?', 'Yes.', 'Bye.'))).toBe(
      '0:edited, 1:edited, 2:kept, 3:kept, 4:kept',
    )
  })

  it('the text with the same metadata, where that is what tells two apart', () => {
    const old = withMetadata(turns('Yes.', 'Yes.'), (k) => `{"at":${k}}`)
    expect(
      story(
        old,
        withMetadata(turns('Yes.'), () => '{"at":1}'),
      ),
    ).toBe('0:edited, 1:kept')
  })

  it('a span whose metadata changed, and says so', () => {
    const changes = outcome(
      doc(A, B),
      withMetadata(doc(A, B), (k) => (k === 1 ? '{}' : undefined)),
    )
    expect(changes).toMatchObject({ retired: [], updated: [1] })
  })
})

describe('plan retires', () => {
  it('a rewritten paragraph in favour of its rewrite', () => {
    expect(story(doc(A, B, C), doc(A, D, C))).toBe('0:kept, 1:edited m1, 2:kept')
    expect(story(doc(A, B, C), doc(A, 'Short.', C))).toBe('0:kept, 1:edited m1, 2:kept')
  })

  it('a split paragraph in favour of both halves', () => {
    const [first, second] = B.split(/(?<=\.) /)
    expect(story(doc(A, B, C), doc(A, first!, second!, C))).toBe('0:kept, 1:edited m1 m2, 2:kept')
    expect(story(paragraphs(B), sentences(B))).toBe('0:rechunked m0 m1')
  })

  it('merged paragraphs in favour of what has the text of both', () => {
    expect(story(doc(A, B, C), doc(A, `${B} ${C}`))).toBe('0:kept, 1:rechunked m1, 2:rechunked m1')
    expect(story(sentences(B), paragraphs(B))).toBe('0:rechunked m0, 1:rechunked m0')
  })

  it('a removed paragraph in favour of none', () => {
    expect(story(doc(A, B, C), doc(A, C))).toBe('0:kept, 1:edited, 2:kept')
    expect(story(doc(A, B, C), doc())).toBe('0:edited, 1:edited, 2:edited')
  })

  it('a removed paragraph in favour of none, also where a neighbour was edited', () => {
    const edited = C.replace('rare', 'scarce')
    expect(story(doc(A, B, C), doc(A, edited))).toBe('0:kept, 1:edited, 2:edited m1')
    expect(story(doc(C, B, A), doc(edited, A))).toBe('0:edited m0, 1:edited, 2:kept')
    expect(story(doc(B, C, A, D), doc(edited, A))).toBe('0:edited, 1:edited m0, 2:kept, 3:edited')
  })

  it('a removed paragraph in favour of none, even if it began like its neighbour', () => {
    const [cat, dog] = ['The cat sat.', 'The dog ran away today.']
    expect(story(doc(cat, dog), doc('The dog ran home today.'))).toBe('0:edited, 1:edited m0')
  })

  it('nothing for a new paragraph', () => {
    expect(story(doc(A, C), doc(A, B, C))).toBe('0:kept, 1:kept')
  })

  it('edited paragraphs each in favour of its own edit', () => {
    const edit = (text: string) => text.replace(/ \w+ /, ' really ')
    expect(story(doc(A, B, C), doc(edit(A), edit(B), edit(C)))).toBe('0:edited m0, 1:edited m1, 2:edited m2')
    expect(story(doc(A, B, C), doc(edit(A), D, edit(B), edit(C)))).toBe(
      '0:edited m0, 1:edited m2, 2:edited m3',
    )
  })

  it('unchanged text as rechunked beside text that was edited', () => {
    const old = doc(A, B, C, D)
    expect(story(old, doc(`${A} ${B}`, C.replace('rare', 'scarce'), D))).toBe(
      '0:rechunked m0, 1:rechunked m0, 2:edited m1, 3:kept',
    )
  })

  it('text in favour of nothing that came from elsewhere', () => {
    // D moves to where B was: it is not what became of B.
    expect(story(doc(D, A, B, C), doc(A, D, C))).toMatch(/2:edited, 3:kept/)
  })

  it('an overwritten record in favour of what it says now', () => {
    expect(story(turns('red'), turns('blue'))).toBe('0:edited m0')
    expect(story(turns('red'), turns('red and blue'))).toBe('0:edited m0')
    expect(story(turns(undefined), turns('blue'))).toBe('0:edited m0')
    expect(story(turns('red'), turns(undefined))).toBe('0:edited')
    expect(story(turns('red'), turns(' '))).toBe('0:edited')
    expect(story(turns(undefined), turns(undefined))).toBe('0:kept')
  })

  it('a turn that was written over in favour of what it says now', () => {
    expect(story(turns('a?', 'No.', 'b?'), turns('a?', 'Perhaps!', 'b?'))).toBe('0:kept, 1:edited m1, 2:kept')
  })

  it('a span whose text is gone in favour of what stands in its place', () => {
    expect(story(doc(A, B, C), doc(A, B, C), [], [1])).toBe('0:kept, 1:edited m1, 2:kept')
    expect(story(doc(A, B, C), doc(A, C), [], [1])).toBe('0:kept, 1:edited, 2:kept')
  })

  it('spans in favour of kept ones only where these overlap them', () => {
    const text = `${A} ${B} ${C} ${D}`
    const end = text.length
    const old = cut(text, [
      [0, 100],
      [80, 180],
      [160, end],
    ])
    const now = cut(text, [
      [0, 100],
      [90, 150],
      [150, 170],
      [160, end],
    ])
    expect(story(old, now)).toBe('0:kept, 1:rechunked k0 m1 m2 k3, 2:kept')
    const apart = cut(text, [
      [0, 100],
      [100, 160],
      [160, end],
    ])
    const split = cut(text, [
      [0, 100],
      [100, 130],
      [130, 160],
      [160, end],
    ])
    expect(story(apart, split)).toBe('0:kept, 1:rechunked m1 m2, 2:kept')
  })
})

describe('plan restores', () => {
  it('a text at the place of an entry retired earlier, under a new key', () => {
    expect(story(doc(A, B, C), doc(A, B, C), [1])).toBe('0:kept, 1:restored 1, 2:kept')
    expect(outcome(doc(A, B, C), doc(A, B, C), [1]).slots[1]).toEqual({ mint: 1 })
  })

  it('nothing that was retired earlier and stands elsewhere now', () => {
    expect(story(doc(A, B, C, D), doc(D, A, B, C), [3])).toBe('0:kept, 1:kept, 2:kept')
  })

  it('no retired place instead of a live span', () => {
    expect(story(turns('Yes.', 'Yes.'), turns('Yes.'), [0])).toBe('1:kept')
  })
})

const paragraph = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(A, B, C, D, `${A} ${B}`, `${C}\n${D}`) },
  { weight: 2, arbitrary: fc.constantFrom('Yes.', 'No.', 'Yes. No.', '---') },
  {
    weight: 2,
    arbitrary: fc
      .array(fc.constantFrom('the', 'cat', 'saw', 'a', 'boat.', 'Dust', 'fell?', 'on', 'it!'), {
        minLength: 1,
        maxLength: 20,
      })
      .map((words) => words.join(' ')),
  },
)

const edit = fc.record({
  at: fc.nat(),
  to: fc.nat(),
  kind: fc.constantFrom('remove', 'insert', 'rewrite', 'move', 'word', 'merge', 'split'),
  text: paragraph,
})

/** A document and what a few edits made of it. */
const history = fc
  .tuple(fc.array(paragraph, { maxLength: 9 }), fc.array(edit, { maxLength: 4 }), fc.nat(3))
  .map(([old, edits, blanks]) => {
    const now = [...old]
    for (const { at, to, kind, text } of edits) {
      const k = now.length === 0 ? 0 : at % now.length
      const here = now[k] ?? ''
      if (kind === 'remove') now.splice(k, 1)
      else if (kind === 'insert') now.splice(k, 0, text)
      else if (kind === 'rewrite') now.splice(k, 1, text)
      else if (kind === 'word') now.splice(k, 1, here.replace(/\w+(?=\W*$)/, 'end'))
      else if (kind === 'merge') now.splice(k, 2, `${here} ${now[k + 1] ?? ''}`)
      else if (kind === 'split') now.splice(k, 1, ...here.split(/(?<=[.?!]) /))
      else now.splice(to % (now.length + 1), 0, ...now.splice(k, 1))
    }
    return [old.join('\n\n'), `${'\n'.repeat(blanks)}${now.join('\n\n')}`] as const
  })

const chunker = fc.constantFrom(paragraphs, sentences, windows(60), windows(60, 20), windows(35, 20))

const scene = fc
  .record({
    texts: history,
    chunkers: fc.oneof(
      chunker.map((one) => [one, one] as const),
      fc.tuple(chunker, chunker),
    ),
    retired: fc.array(fc.nat(15), { maxLength: 3 }),
    erased: fc.array(fc.nat(30), { maxLength: 1 }),
    metadata: fc.array(fc.constantFrom(undefined, undefined, '{"a":1}'), { minLength: 1, maxLength: 7 }),
    shifted: fc.boolean(),
  })
  .map(({ texts, chunkers, retired, erased, metadata, shifted }) => {
    const metadataOf = (k: number) => metadata[k % metadata.length]
    const old = withMetadata(chunkers[0](texts[0]), metadataOf)
    const now = withMetadata(chunkers[1](texts[1]), shifted ? (k) => metadataOf(k + 1) : metadataOf)
    return { old, now, retired, erased }
  })

/** Throws where a changeset breaks what holds for all of them. */
function verify(old: Cut, now: Cut, changes: Outcome, erased: readonly number[] = []): void {
  const { entries, slots, retired, moved, updated, restored } = changes
  const { chunks } = now.draft
  expect(slots.map((slot) => ('keep' in slot ? slot.chunk : slot.mint))).toEqual(chunks.map((_, k) => k))

  const kept = slots.flatMap((slot) => ('keep' in slot ? [slot] : []))
  const once = [...kept.map(({ keep }) => keep), ...retired.map(({ entry }) => entry)]
  expect(once.sort((a, b) => a - b)).toEqual(entries.flatMap(({ live }, i) => (live ? [i] : [])))
  for (const { keep, chunk } of kept) expect(entries[keep]!.hash).toBe(chunks[chunk]!.hash)
  expect([...updated].sort((a, b) => a - b)).toEqual(
    kept
      .filter(({ keep, chunk }) => entries[keep]!.metadata !== chunks[chunk]!.metadata)
      .map(({ keep }) => keep)
      .sort((a, b) => a - b),
  )

  expect(kept.map(({ keep }) => keep)).toEqual(expect.arrayContaining([...moved]))
  const inOrder = kept.map(({ keep }) => keep).filter((keep) => !moved.includes(keep))
  expect(inOrder).toEqual([...inOrder].sort((a, b) => a - b))

  for (const [entry, chunk] of restored) {
    expect(entries[entry]).toMatchObject({ live: false, hash: chunks[chunk]!.hash })
    expect(slots[chunk]).toEqual({ mint: chunk })
  }
  for (const { entry, successors } of retired) {
    expect(successors).toEqual([...new Set(successors)].sort((a, b) => a - b))
    for (const chunk of successors) {
      const slot = slots[chunk]!
      expect(now.texts[chunk]?.trim()).not.toBe('')
      if ('keep' in slot) {
        expect(erased).not.toContain(entry)
        expect(shares(old.texts[entry]!, now.texts[chunk]!)).toBe(true)
      }
    }
  }
  expect(changes.asked.length).toBeLessThanOrEqual(1)
}

/** Whether two texts have a character that is not blank in common. */
const shares = (a: string, b: string): boolean =>
  [...a].some((unit) => unit.trim() !== '' && b.includes(unit))

describe('plan, whatever the edit', () => {
  it('keeps or retires each live entry once and breaks no other promise', () => {
    fc.assert(
      fc.property(scene, ({ old, now, retired, erased }) => {
        verify(old, now, outcome(old, now, retired, erased), erased)
      }),
      { numRuns: 400 },
    )
  })

  it('gives the same output for the same input', () => {
    fc.assert(
      fc.property(scene, ({ old, now, retired, erased }) => {
        expect(outcome(old, now, retired, erased)).toEqual(outcome(old, now, retired, erased))
      }),
      { numRuns: 300 },
    )
  })

  it('mints and retires nothing where nothing changed', () => {
    fc.assert(
      fc.property(history, chunker, ([text], chunk) => {
        const changes = outcome(chunk(text), chunk(text))
        expect(changes.slots).toEqual(changes.entries.map((_, chunk) => ({ keep: chunk, chunk })))
        expect(changes).toMatchObject({ retired: [], moved: [], updated: [], restored: [], asked: [] })
      }),
      { numRuns: 300 },
    )
  })

  it('names only minted successors where spans do not overlap', () => {
    fc.assert(
      fc.property(history, ([before, after]) => {
        const { retired, slots } = outcome(paragraphs(before), sentences(after))
        for (const chunk of retired.flatMap(({ successors }) => successors)) {
          expect(slots[chunk]).toEqual({ mint: chunk })
        }
      }),
      { numRuns: 300 },
    )
  })

  it('binds no short text that is not in order', () => {
    const short = fc.array(fc.constantFrom('Yes.', 'No.', 'Why?', 'Ok.'), { maxLength: 7 })
    fc.assert(
      fc.property(short, short, (before, after) => {
        const { moved } = outcome(turns(...before), turns(...after))
        // Seven of these reach 32 units only where nearly all of them moved together, and then they are in order.
        expect(moved).toEqual([])
      }),
      { numRuns: 300 },
    )
  })

  it('names exactly the spans that cover the same text, where only the chunker changed', () => {
    const words = fc.array(fc.nat(12), { minLength: 1, maxLength: 60 })
    const sizes = fc.tuple(fc.integer({ min: 10, max: 90 }), fc.integer({ min: 0, max: 9 }))
    fc.assert(
      fc.property(words, sizes, sizes, (lengths, [size, overlap], [newSize, newOverlap]) => {
        // Each letter is unique, so that no two texts are equal by chance.
        const blanks = lengths.map((length) => `${'x'.repeat(length)}  `).join('')
        const text = blanks.replaceAll('x', (_, at: number) => String.fromCharCode(0x4e00 + at))
        const old = windows(size, overlap)(text)
        const now = windows(newSize, newOverlap)(text)
        for (const { entry, reason, successors } of outcome(old, now).retired) {
          const start = old.starts[entry]!
          const end = start + old.texts[entry]!.length
          const covering = now.starts.flatMap((from, chunk) => {
            const shared = text.slice(Math.max(start, from), Math.min(end, from + now.texts[chunk]!.length))
            return shared.trim() === '' ? [] : [chunk]
          })
          expect({ reason, successors }).toEqual({ reason: 'rechunked', successors: covering })
        }
      }),
      { numRuns: 300 },
    )
  })

  it('names the rewrite of each edited paragraph and no other', () => {
    const unique = (k: number) =>
      Array.from({ length: 12 }, (_, w) => `w${(k * 7919 + w * 104729) % 9973}x${k}`).join(' ')
    // Something new right after what was removed would be its rewrite.
    const kindsOf = fc
      .array(fc.nat(3), { minLength: 1, maxLength: 12 })
      .filter((kinds) => kinds.every((kind, k) => kind !== 3 || kinds[k - 1] !== 2))
    fc.assert(
      fc.property(kindsOf, (kinds) => {
        const old = kinds.map((_, k) => unique(k))
        // 0: unchanged, 1: a word edited, 2: removed, 3: something new before it.
        const now = kinds.flatMap((kind, k) => {
          if (kind === 0) return [unique(k)]
          if (kind === 1) return [unique(k).replace(/(?<= )\w+(?= )/, 'edited')]
          return kind === 2 ? [] : [unique(100 + k), unique(k)]
        })
        let at = 0
        const expected = kinds.map((kind, k) => {
          if (kind === 2) return `${k}:edited`
          at += kind === 3 ? 2 : 1
          return kind === 1 ? `${k}:edited m${at - 1}` : `${k}:kept`
        })
        expect(story(doc(...old), doc(...now))).toBe(expected.join(', '))
      }),
      { numRuns: 300 },
    )
  })
})

describe('plan copes', () => {
  const many = Array.from({ length: 5000 }, (_, k) => `${[A, B, C, D][k % 4]} Number ${k}.`)

  it.each([
    ['a document that is rewritten', doc(...many.map((text) => text.replaceAll(/[aeiou]/g, 'ø')))],
    ['a document in another order', doc(...many.toReversed())],
    [
      'a document with an edit in each paragraph',
      doc(...many.map((text) => text.replace(/ \w+ /, ' really '))),
    ],
    ['another chunker', windows(700, 100)(many.join('\n\n'))],
    ['another chunker and an edit', windows(700)(many.with(2500, 'Edited.').join('\n\n'))],
    ['other line breaks', doc(...many.map((text) => text.replaceAll(' ', '\n')))],
    ['the loss of everything', doc()],
  ])('with %s', (_, now) => {
    const old = doc(...many)
    const changes = outcome(old, now)
    expect(changes.retired.length + changes.slots.filter((slot) => 'keep' in slot).length).toBe(many.length)
    verify(old, now, changes)
  })

  it('with a large document in which every paragraph was edited, and still names each rewrite', () => {
    const changes = outcome(doc(...many), doc(...many.map((text) => text.replace(/ \w+ /, ' really '))))
    expect(changes.retired.filter(({ entry, successors }) => successors.includes(entry))).toHaveLength(5000)
  })
})

const CORPORA = fileURLToPath(new URL('../../../shared/corpora/doc-history/', import.meta.url))
const corpora = existsSync(CORPORA) ? readdirSync(CORPORA).filter((name) => name.endsWith('.jsonl')) : []

describe.skipIf(corpora.length === 0)('plan, over the history of real documents', () => {
  it.each(corpora)('keeps most keys of %s and breaks no promise', (name) => {
    const revisions = readFileSync(`${CORPORA}${name}`, 'utf8').trim().split('\n')
    const survival: number[] = []
    let last: Cut | undefined
    for (const line of revisions) {
      const now = paragraphs((JSON.parse(line) as { text: string }).text)
      if (last && last.texts.length > 0) {
        const changes = outcome(last, now)
        verify(last, now, changes)
        survival.push(changes.slots.filter((slot) => 'keep' in slot).length / last.texts.length)
      }
      last = now
    }
    expect(survival.reduce((sum, share) => sum + share, 0) / survival.length).toBeGreaterThan(0.8)
  })
})
