import fc from 'fast-check'
import { expect, test } from 'vitest'
import { plan, planOne } from '../../src/core/plan.ts'
import { nonBlank } from '../../src/core/tokens.ts'

const LEAD = { gap: '', overlap: 0 }

test('a record is planned as any source of one span is', () => {
  const sentence = fc.constantFrom(
    'The cat sat.',
    'The dog sat on the mat.',
    'and then some',
    ' ',
    '\n\n',
    'x',
  )
  const text = fc.option(
    fc.oneof(
      fc.array(sentence, { maxLength: 5 }).map((parts) => parts.join(' ')),
      fc.string(),
    ),
    { nil: undefined },
  )
  const metadata = fc.constantFrom(undefined, '{"a":1}')
  fc.assert(
    fc.property(text, text, metadata, metadata, (old, now, before, after) => {
      const of = (one: string | undefined) => ({ hash: one, length: one?.length ?? 0, lead: LEAD })
      const entry = { id: 1, live: true, metadata: before, ...of(old) }
      const chunk = { metadata: after, ...of(now) }
      const general = plan(
        [entry],
        '',
        { chunks: [chunk], trailing: '' },
        { old: (indices) => indices.map(() => old), chunk: () => now },
      )
      expect(planOne(entry, chunk, nonBlank(now ?? '') === 0)).toEqual(general)
    }),
    { numRuns: 2_000 },
  )
})
