import { expect, test } from 'vitest'
import type { Entry } from '../../src/core/changeset.ts'
import { plan } from '../../src/core/plan.ts'
import { hashOf } from '../../src/store/draft.ts'
import { isLong, planElsewhere } from '../../src/store/plan-elsewhere.ts'
import { random } from './random.ts'

const next = random(11)
const some = <T>(all: readonly T[]): T => all[Math.floor(next() * all.length)]!
const WORDS = 'the river ran past an old mill and nobody saw who opened its gate at night'.split(' ')
const sentence = () => `${Array.from({ length: 8 }, () => some(WORDS)).join(' ')}.`

/** Some kept, some edited, some gone, some new, some that moved. */
function edited(texts: readonly string[]): string[] {
  const after = texts.flatMap((text) => {
    const what = next()
    if (what < 0.5) return [text]
    if (what < 0.7) return [`${text} ${sentence()}`]
    if (what < 0.8) return []
    return what < 0.9 ? [sentence(), text] : [sentence()]
  })
  if (next() < 0.5) after.push(...after.splice(0, Math.floor(after.length / 3)))
  return after
}

function comparisonOf(before: readonly string[], after: readonly string[]) {
  const lead = (i: number) => ({ gap: i === 0 ? '' : '\n\n', overlap: 0 })
  const entries = before.map(
    (text, i): Entry => ({
      id: i + 1,
      live: next() > 0.05,
      hash: hashOf(text),
      length: text.length,
      metadata: next() < 0.1 ? '{"a":1}' : undefined,
      lead: lead(i),
    }),
  )
  const chunks = after.map((text, i) => ({
    hash: hashOf(text),
    length: text.length,
    metadata: undefined,
    lead: lead(i),
    text,
  }))
  return { entries, trailing: '\n', draft: { chunks, trailing: '' } }
}

test('a comparison in a thread decides what it would decide here', async () => {
  for (const size of [0, 1, 7, 60, 400]) {
    const before = Array.from({ length: size }, sentence)
    const comparison = comparisonOf(before, edited(before))
    // Some are erased.
    const texts = before.map((text) => (next() < 0.05 ? undefined : text))
    const read = (indices: readonly number[]) => indices.map((i) => texts[i])
    const here = plan(comparison.entries, comparison.trailing, comparison.draft, {
      old: read,
      chunk: (i) => comparison.draft.chunks[i]!.text,
    })
    expect(await planElsewhere(comparison, async (indices) => read(indices))).toEqual(here)
  }
})

test('several comparisons may be under way at once, and one that fails leaves the others alone', async () => {
  const before = Array.from({ length: 50 }, sentence)
  const comparisons = [1, 2, 3].map(() => comparisonOf(before, edited(before)))
  const done = comparisons.map((comparison, i) =>
    planElsewhere(comparison, async (indices) => {
      if (i === 1) throw new Error('the ledger is closed')
      return indices.map((index) => before[index])
    }),
  )
  await expect(done[1]).rejects.toThrow('the ledger is closed')
  for (const i of [0, 2]) {
    const { entries, trailing, draft } = comparisons[i]!
    const here = plan(entries, trailing, draft, {
      old: (indices) => indices.map((index) => before[index]),
      chunk: (index) => draft.chunks[index]!.text,
    })
    expect(await done[i]).toEqual(here)
  }
})

test('only what takes long is compared elsewhere', () => {
  expect(isLong(comparisonOf([sentence()], [sentence()]))).toBe(false)
  expect(isLong(comparisonOf(['x'.repeat(150_000)], ['y'.repeat(150_000)]))).toBe(true)
})
