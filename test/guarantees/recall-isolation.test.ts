import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Key } from '../../src/core/key.ts'
import type { FetchResult } from '../../src/core/model.ts'
import { checkAnchorIsolation } from '../../src/guarantees/isolation.ts'
import { hasPython, reference } from './reference/run.ts'

const A = '01KBADQ7XF8K2M4N6P8R0T2V4W' as Key
const B = '01KBADQ7XF8K2M4N6P8R0T2V4X' as Key
const known =
  (...keys: string[]) =>
  (key: string) =>
    keys.includes(key)

const codes = async (...given: Parameters<typeof checkAnchorIsolation>) =>
  (await checkAnchorIsolation(...given)).violations.map(({ code }) => code)

describe('a summary is tried alone', () => {
  it('holds when every key it prints resolves, and says how dense they are', async () => {
    const found = await checkAnchorIsolation(
      `Budget set [[${A}]], and so on. Date set [[${B}]].`,
      known(A, B),
    )
    expect(found).toMatchObject({ holds: true, violations: [], anchors: [A, B], reference: 'holds' })
    expect(found.density).toBeCloseTo(2 / 3)
  })

  it('a summary without a key is refused, however well it reads', async () => {
    expect(await codes('The budget was set.', known())).toEqual(['NO_ANCHORS'])
  })

  it('pointers that became prose are refused below the floor, and pass at it', async () => {
    const text = `As noted earlier, the above applies, etc. [[${A}]]`
    expect(await codes(text, known(A))).toEqual(['DENSITY_BELOW_FLOOR'])
    expect(await codes(text, known(A), { minAnchorDensity: 0.2 })).toEqual([])
    expect(await codes(`Set [[${A}]], and so on.`, known(A), { minAnchorDensity: 0.5 })).toEqual([])
  })

  it('names what stands between brackets and is no key, whatever it is', async () => {
    const text = `[[${A}]] [[config.yaml]] [[see the ledger]] [[ ${B} ]] [[${A.toLowerCase()}]] [[]]`
    const { violations } = await checkAnchorIsolation(text, known(A))
    expect(violations.map(({ code, anchor }) => [code, anchor])).toEqual([
      ['NOT_A_KEY', 'config.yaml'],
      ['NOT_A_KEY', 'see the ledger'],
      ['NOT_A_KEY', ` ${B} `],
      ['NOT_A_KEY', A.toLowerCase()],
      ['NOT_A_KEY', ''],
    ])
  })

  it('tells a key never assigned, a blank span and a retired one apart, and follows a text that came back', async () => {
    const retired = (identical?: Key): FetchResult => ({
      status: 'tombstone',
      key: A,
      kind: 'span',
      tombstone: {
        collection: 'notes',
        source: 's',
        reason: 'rechunked',
        position: 3,
        at: 0,
        successors: [B],
        ...(identical === undefined ? {} : { identical }),
      },
    })
    const span = { key: B, collection: 'n', source: 's', text: ' ', metadata: {}, position: 1 }
    const text = `Said [[${A}]].`
    expect(await codes(text, (key) => ({ status: 'absent', key: key as Key }))).toEqual(['KEY_ABSENT'])
    expect(
      await codes(text, (key) => ({ status: 'empty', key: key as Key, kind: 'span', detail: 'blank', span })),
    ).toEqual(['KEY_EMPTY'])
    expect((await checkAnchorIsolation(text, () => retired())).violations).toMatchObject([
      { code: 'KEY_TOMBSTONE', anchor: A, successors: [B] },
    ])
    const back = (status: 'ok' | 'empty') => (key: string) =>
      key === A
        ? retired(B)
        : status === 'ok'
          ? ({ status, key: B, kind: 'span', span: { ...span, text: 'Said.' } } as const)
          : ({ status, key: B, kind: 'span', detail: 'blank', span } as const)
    expect(await codes(text, back('ok'))).toEqual([])
    expect(await codes(text, back('empty'))).toEqual(['KEY_TOMBSTONE'])
  })

  it('names the elisions of a sentence without a key, in English and in German', async () => {
    const text = `As noted, the plan holds. The rest, etc. stands [[${A}]]. Wie oben erwähnt gilt das. Termine usw. [[${B}]]`
    const { orphans, elisions } = await checkAnchorIsolation(text, known(A, B))
    expect(orphans.map((one) => [one.text, one.kind])).toEqual([
      ['As noted', 'anaphora'],
      ['Wie oben', 'anaphora'],
    ])
    for (const one of [...orphans, ...elisions])
      expect(text.slice(one.at, one.at + one.text.length)).toBe(one.text)
    expect(elisions.map((one) => one.text)).toContain('usw.')
    const english = await checkAnchorIsolation(text, known(A, B), { languages: ['en'] })
    expect(english.elisions.map((one) => one.text)).not.toContain('usw.')
    const own = await checkAnchorIsolation(`Und dies und das [[${A}]]`, known(A), {
      languages: [{ elisions: ['dies und das'], anaphora: [] }],
    })
    expect(own.elisions).toEqual([{ text: 'dies und das', kind: 'elision', at: 4 }])
  })

  it('refuses a floor that is none, a language it does not know, a resolver that cannot be asked', async () => {
    for (const [resolver, options] of [
      [known(), { minAnchorDensity: Number.NaN }],
      [known(), { minAnchorDensity: 1.5 }],
      [known(), { languages: ['fr'] }],
      [undefined, {}],
    ] as never[][])
      await expect(checkAnchorIsolation('x', resolver!, options)).rejects.toMatchObject({
        code: 'INVALID_ARGUMENT',
      })
  })
})

describe('the reference code', () => {
  it('counts "etc." only where a letter follows the full stop, and the verdict of the store does not copy that', async () => {
    const text = (etc: string) => `Set [[${A}]] ${etc}`
    const floor = { minAnchorDensity: 0.6 }
    for (const etc of ['etc. and so', 'etc.', 'etc.\n'])
      expect(await checkAnchorIsolation(text(etc), known(A), floor)).toMatchObject({
        reference: 'holds',
        holds: false,
      })
    expect(await checkAnchorIsolation(text('etc.x'), known(A), floor)).toMatchObject({ reference: 'density' })
  })

  it('takes whatever looks like an identifier for a key', async () => {
    expect(await checkAnchorIsolation('See [[config.yaml]].', known('config.yaml'))).toMatchObject({
      reference: 'holds',
      holds: false,
    })
  })

  it.runIf(hasPython)('decides in Python what `reference` says, on thousands of summaries', async () => {
    const piece = fc.constantFrom(
      `[[${A}]]`,
      `[[${B}]]`,
      '[[config.yaml]]',
      '[[a b]]',
      '[[]]',
      'etc.',
      'etc. ',
      'etc.x',
      'Etc.ß',
      'etc._',
      'and related',
      'and relatedly',
      'AS NOTED',
      'as noted_',
      'the above',
      'äthe above',
      'earlier',
      'earlierſ',
      ' ',
      '. ',
      'word',
      '\n',
      '²',
      '́',
    )
    const cases = fc.sample(
      fc.record({
        summary: fc.array(piece, { maxLength: 14 }).map((pieces) => pieces.join('')),
        known: fc.subarray([A, B, 'config.yaml'] as string[]),
        floor: fc.constantFrom(0, 0.25, 1 / 3, 0.5, 0.5000001, 2 / 3, 0.75, 1),
      }),
      { numRuns: 4000, seed: 4 },
    )
    const expected = reference<string>('isolation', cases)
    const seen = new Set<string>()
    for (const [i, { summary, known: keys, floor }] of cases.entries()) {
      const { reference: actual } = await checkAnchorIsolation(summary, known(...keys), {
        minAnchorDensity: floor,
      })
      expect(actual, JSON.stringify(cases[i])).toBe(expected[i])
      seen.add(actual)
    }
    expect([...seen].sort()).toEqual(['density', 'holds', 'no-anchors', 'unresolvable'])
  })
})
