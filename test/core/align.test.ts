import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { alignInOrder } from '../../src/core/align.ts'
import type { DraftChunk, Entry } from '../../src/core/changeset.ts'
import { alignTokens, nonBlank, sentences, words } from '../../src/core/tokens.ts'

const lead = { gap: '', overlap: 0 }

/** A place by its text; `-text` was retired, `text/m` has metadata m, and '' has no text. */
function entry(name: string, id = 0): Entry {
  const { hash, length, metadata } = chunk(name.replace(/^-/, ''))
  return { id, live: !name.startsWith('-'), hash, length, metadata, lead }
}

function chunk(name: string): DraftChunk {
  const [hash, metadata] = name.split('/')
  return { hash: hash || undefined, length: hash?.length ?? 0, metadata, lead }
}

const align = (old: string, now: string) =>
  [...alignInOrder(split(old).map(entry), split(now).map(chunk))].map((i) => (i < 0 ? '.' : i)).join(' ')

const split = (names: string) => (names === '' ? [] : names.split(' '))

describe('alignInOrder', () => {
  it.each([
    ['keeps what is the same', 'a b c', 'a b c', '0 1 2'],
    ['keeps what surrounds an edit', 'a b c', 'a x c', '0 . 2'],
    ['keeps what surrounds a removal', 'a b c', 'a c', '0 2'],
    ['keeps what surrounds an addition', 'a c', 'a b c', '0 . 1'],
    ['matches nothing with nothing', '', 'a', '.'],
    ['keeps as many live entries as possible', 'a b c d', 'd a b c', '. 0 1 2'],
    ['prefers a live entry to a retired one', '-a a', 'a', '1'],
    ['prefers one live entry to many retired ones', 'a -b -c', 'b c a', '. . 0'],
    ['matches the place of a retired entry', 'a -b c', 'a b c', '0 1 2'],
    ['prefers equal metadata', 'yes/1 yes/2', 'yes/2', '1'],
    ['keeps the key of a text whose metadata changed', 'a/1', 'a/2', '0'],
    ['prefers equal neighbours: the question before', 'q1 yes q2 yes', 'q2 yes', '2 3'],
    ['prefers equal neighbours: the question after', 'yes q1 yes q2', 'x yes q2', '. 2 3'],
    ['does not let the common start decide', 'q yes', 'q yes r yes', '0 1 . .'],
    ['does not let the common end decide', 'yes a yes b yes', 'yes b yes', '2 3 4'],
    ['does not let an end decide against neighbours', 'a yes b c yes', 'a c yes', '0 3 4'],
    ['takes the earlier where nothing else tells them apart', 'yes x yes', 'yes', '0'],
    ['takes the earlier chunk as well', 'yes', 'x yes y yes', '. 0 . .'],
  ])('%s', (_, old, now, expected) => expect(align(old, now)).toBe(expected))

  it('matches records without text only with records without text', () => {
    const textless = { id: 0, live: true, hash: undefined, length: 0, metadata: undefined, lead }
    const erased = { ...textless, length: 5 }
    const none = { hash: undefined, length: 0, metadata: undefined, lead }
    expect([...alignInOrder([textless], [none])]).toEqual([0])
    expect([...alignInOrder([erased], [none])]).toEqual([-1])
    expect([...alignInOrder([erased], [{ ...none, length: 5 }])]).toEqual([-1])
    expect([...alignInOrder([textless], [chunk('a')])]).toEqual([-1])
    expect([...alignInOrder([entry('a')], [none])]).toEqual([-1])
  })

  const names = fc.constantFrom('a', 'b', 'c', 'a/1', 'b/1')
  const olds = fc.array(
    fc.tuple(fc.boolean(), fc.boolean(), names).map(([x, y, name]) => (x && y ? `-${name}` : name)),
    {
      maxLength: 7,
    },
  )

  it('finds the best matching there is', () => {
    fc.assert(
      fc.property(olds, fc.array(names, { maxLength: 7 }), (old, now) => {
        const entries = old.map(entry)
        const chunks = now.map(chunk)
        const worth = worthOf(entries, chunks, [...alignInOrder(entries, chunks)])
        for (const other of matchings(entries, chunks)) {
          expect(compare(worth, worthOf(entries, chunks, other))).toBeGreaterThanOrEqual(0)
        }
      }),
      { numRuns: 500 },
    )
  })

  it('is in order and matches equal texts only, whatever the size', () => {
    const symbols = fc.integer({ min: 1, max: 2000 })
    const sizes = fc.integer({ min: 0, max: 1500 })
    fc.assert(
      fc.property(sizes, sizes, symbols, fc.integer(), (n, m, kinds, seed) => {
        const next = random(seed)
        const name = () => `t${Math.floor(next() * kinds)}`
        const entries = Array.from({ length: n }, () => entry(next() < 0.1 ? `-${name()}` : name()))
        const chunks = Array.from({ length: m }, () => chunk(name()))
        let last = -1
        alignInOrder(entries, chunks).forEach((i, j) => {
          if (i < 0) return
          expect(i).toBeGreaterThan(last)
          expect(entries[i]!.hash).toBe(chunks[j]!.hash)
          last = i
        })
      }),
      { numRuns: 60 },
    )
  })

  const count = 10_000
  const shuffled = (seed: number) => {
    const next = random(seed)
    return Array.from({ length: count }, (_, i) => [next(), i] as const)
      .sort((a, b) => a[0] - b[0])
      .map(([, i]) => `t${i}`)
  }
  const made = (name: (i: number) => string) => Array.from({ length: count }, (_, i) => name(i))

  it.each([
    ['all equal', made(() => 'yes'), made(() => 'yes').slice(1), count - 1],
    ['all equal, half of them retired', made((i) => (i % 2 ? 'yes' : '-yes')), made(() => 'yes'), count / 2],
    ['reversed', made((i) => `t${i}`), made((i) => `t${count - i}`), 1],
    ['disjoint', made((i) => `a${i}`), made((i) => `b${i}`), 0],
    ['shuffled', shuffled(1), shuffled(2), 100],
    ['of two texts in turn', made((i) => `t${i % 2}`), made((i) => `t${(i + 1) % 2}`), count - 1],
    ['of few texts', made((i) => `t${i % 7}`), made((i) => `t${(i * 3) % 11}`), 2000],
    [
      'led astray by one unique text',
      ['u', ...made((i) => `t${i % 3}`)],
      [...made((i) => `t${i % 3}`), 'u'],
      count,
    ],
  ])('copes with 10 000 × 10 000 texts, %s', (_, old, now, expected) => {
    const matches = alignInOrder(old.map(entry), now.map(chunk))
    expect(matches.filter((i) => i >= 0).length).toBeGreaterThanOrEqual(expected)
  })
})

describe('alignTokens', () => {
  const common = (split: typeof words, a: string, b: string) =>
    alignTokens(split(a, 0, a.length), split(b, 0, b.length)).map((piece) => {
      const text = a.slice(piece.old, piece.old + piece.length)
      expect(b.slice(piece.new, piece.new + piece.length)).toBe(text)
      return text
    })

  it('finds the words two texts share, whatever the blanks between them', () => {
    expect(common(words, 'The cat  sat,\nsaid Zoë.', 'A cat sat, Zoë!')).toEqual(['cat', 'sat', ',', 'Zoë'])
    expect(common(words, '我喜欢猫', '我们喜欢狗')).toEqual(['我', '喜', '欢'])
  })

  it('finds the sentences and lines two texts share', () => {
    const a = 'One is here. Two is v2.0 now!\n  Three'
    expect(common(sentences, a, 'Two is v2.0 now! One.\nThree')).toEqual(['Two is v2.0 now!', 'Three'])
  })

  it('is the same each time, also where the shortest edit is too long to look for', () => {
    const next = random(7)
    const text = () => Array.from({ length: 3000 }, () => `w${Math.floor(next() * 900)}`).join(' ')
    const [a, b] = [text(), text()]
    const found = common(words, a, b)
    expect(found.length).toBeGreaterThan(100)
    expect(common(words, a, b)).toEqual(found)
  })

  it('sees as blank what `trim` does', () => {
    for (let code = 0; code < 0x10000; code++) {
      const unit = String.fromCharCode(code)
      expect(nonBlank(unit), code.toString(16)).toBe(unit.trim().length)
    }
  })
})

type Worth = readonly number[]

/** What a matching is worth: live entries, retired places, equal metadata, equal neighbours. */
function worthOf(
  entries: readonly Entry[],
  chunks: readonly DraftChunk[],
  matching: readonly number[],
): Worth {
  const worth = [0, 0, 0, 0]
  matching.forEach((i, j) => {
    if (i < 0) return
    worth[entries[i]!.live ? 0 : 1]!++
    if (entries[i]!.metadata === chunks[j]!.metadata) worth[2]!++
    for (const step of [-1, 1]) {
      const [a, b] = [entries[i + step]?.hash, chunks[j + step]?.hash]
      if (a !== undefined && a === b) worth[3]!++
    }
  })
  return worth
}

const compare = (a: Worth, b: Worth): number => {
  const at = a.findIndex((value, k) => value !== b[k])
  return at < 0 ? 0 : a[at]! - b[at]!
}

function* matchings(entries: readonly Entry[], chunks: readonly DraftChunk[], i = 0): Generator<number[]> {
  const [first, ...rest] = chunks
  if (!first) return yield []
  for (const others of matchings(entries, rest, i)) yield [-1, ...others]
  for (let k = i; k < entries.length; k++) {
    if (entries[k]!.hash !== first.hash) continue
    for (const others of matchings(entries, rest, k + 1)) yield [k, ...others]
  }
}

/** Numbers in [0, 1) that follow from the seed (mulberry32). */
function random(seed: number): () => number {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}
