import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Key } from '../../src/core/key.ts'
import type { FetchResult } from '../../src/core/model.ts'
import { type CompactionSpan, runCompaction } from '../../src/guarantees/compaction.ts'

/** Unlike keys minted in one go, so that what a mistyped one was meant to be is beyond doubt. */
const keyOf = (i: number) =>
  `01KBADQ7XF${'8K2M4N6P8R0T2V4W'.slice(i % 8)}${'ZYXWVTSRQPNMKJHG'.slice(0, i % 8)}` as Key
const STRANGER = '7ZZZZZZZZZ0000000000000000' as Key

const spanOf = (i: number): CompactionSpan => ({
  key: keyOf(i),
  kind: 'span',
  anchor: `[[${keyOf(i)}]]`,
  text: `Fact ${i} holds.`,
})

/** 0 to 3 are carried on, 4 to 7 are new. */
const OLD = [0, 1, 2, 3]
const NEW = [4, 5, 6, 7]

const faults = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant('drop' as const), of: fc.nat({ max: 7 }) }),
    fc.record({
      kind: fc.constant('alter' as const),
      of: fc.nat({ max: 7 }),
      at: fc.integer({ min: 10, max: 25 }),
    }),
    fc.record({ kind: fc.constant('small' as const), of: fc.nat({ max: 7 }) }),
    fc.record({ kind: fc.constant('bare' as const), of: fc.nat({ max: 7 }) }),
    fc.record({ kind: fc.constant('invent' as const) }),
    fc.record({ kind: fc.constant('prose' as const) }),
  ),
  { maxLength: 3 },
)

type Fault = typeof faults extends fc.Arbitrary<(infer F)[]> ? F : never

function corrupted(text: string, fault: Fault): string {
  if (fault.kind === 'invent') return `${text} More [[${STRANGER}]].`
  if (fault.kind === 'prose') return `${text} See [[the first note]].`
  const key = keyOf(fault.of)
  const put = (instead: string) => text.replaceAll(`[[${key}]]`, instead)
  switch (fault.kind) {
    case 'drop':
      return put('')
    case 'small':
      return put(`[[${key.toLowerCase()}]]`)
    case 'bare':
      return put(key)
    case 'alter':
      return put(
        `[[${key.slice(0, fault.at)}${key[fault.at] === '0' ? '1' : '0'}${key.slice(fault.at + 1)}]]`,
      )
  }
}

it('no lost, changed or invented anchor is ever kept, and each that had to stay is named', async () => {
  const keys = new Set([...OLD, ...NEW].map(keyOf))
  expect(keys.size).toBe(8)
  const resolve = (key: string): FetchResult =>
    keys.has(key as Key)
      ? {
          status: 'ok',
          key: key as Key,
          kind: 'span',
          span: { key: key as Key, collection: 'c', source: 's', text: 'Fact.', metadata: {}, position: 1 },
        }
      : { status: 'absent', key: key as Key }
  let kept = 0
  let refused = 0
  await fc.assert(
    fc.asyncProperty(faults, async (found) => {
      const prior = OLD.map((i) => `Fact ${i} holds. [[${keyOf(i)}]]`).join('\n')
      const clean = `${prior}\n${NEW.map((i) => `Fact ${i} holds. [[${keyOf(i)}]]`).join('\n')}`
      const text = found.reduce(corrupted, clean)
      const modes: string[] = []
      const outcome = await runCompaction(
        {
          spans: NEW.map(spanOf),
          prior: [{ key: STRANGER, kind: 'summary', anchor: `[[${STRANGER}]]`, text: prior }],
          protectedKeys: OLD.map(keyOf),
          densities: [1],
        },
        ({ mode }) => {
          modes.push(mode)
          return text
        },
        {
          gate: {
            fetch: async (asked) => asked.map(resolve),
            judge: async () => ({ verdict: 'faithful', risk: 0, reasons: [] }),
          },
          resolve,
          expand: async () => [...OLD, ...NEW].map(spanOf),
          answer: (value) => ({ text: value as string }),
        },
        { minAnchorDensity: 0.5, languages: undefined },
      )
      const printed = [...text.matchAll(/\[\[(.*?)\]\]/g)].map(([, inner]) => inner!)
      const missing = OLD.map(keyOf).filter((key) => !printed.includes(key))
      const sound = missing.length === 0 && printed.every((inner) => keys.has(inner as Key))
      expect(outcome.kept).toBe(sound)
      if (outcome.kept) {
        kept++
        expect(modes).toEqual(['compaction'])
        return
      }
      refused++
      expect(modes).toEqual(['compaction', 're-expansion'])
      const named = outcome.problems.flatMap(({ about, original }) => [about, original])
      for (const key of missing) expect(named, `${key} in ${JSON.stringify(outcome.problems)}`).toContain(key)
      for (const inner of printed) if (!keys.has(inner as Key)) expect(named).toContain(inner)
    }),
    { numRuns: 600, seed: 3 },
  )
  expect(kept).toBeGreaterThan(50)
  expect(refused).toBeGreaterThan(300)
})
