import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Key } from '../../src/core/key.ts'
import type { FetchResult, SummaryState } from '../../src/core/model.ts'
import { type GateClaim, type GatePort, judgeClaims } from '../../src/guarantees/gate.ts'

/*
 * A world where what a text says can be counted: its facts are its capital letters, and a claim is faithful to a
 * source that has all of its facts. So whether a claim may pass is known without the gate.
 */

const FACTS = 'ABCDEFGH'
const keyOf = (i: number) => `01KBADQ7XF8K2M4N6P${String(i).padStart(8, '0')}` as Key
const factsOf = (text: string) =>
  new Set([...text.replace(/\[\[.*?\]\]/g, '')].filter((c) => FACTS.includes(c)))

interface SpanNode {
  readonly kind: 'span'
  readonly status: 'ok' | 'empty' | 'tombstone' | 'absent'
  readonly facts: string
  /** Of a tombstone: an older span that brought its text back. */
  readonly identical: number | undefined
}

interface SummaryNode {
  readonly kind: 'summary'
  readonly state: SummaryState
  readonly claims: readonly {
    readonly facts: string
    readonly on: readonly number[]
    readonly unverified: boolean
  }[]
}

type World = readonly (SpanNode | SummaryNode)[]

const printed = (facts: string, on: readonly number[]) =>
  `${[...facts].join(' ')} it is said ${on.map((i) => `[[${keyOf(i)}]]`).join(' ')}.`.replace(' .', '.')

const textOf = (node: SummaryNode) => node.claims.map((claim) => printed(claim.facts, claim.on)).join('\n')

function answer(world: World, key: string): FetchResult {
  const i = Number(key.slice(18))
  const node = world[i]
  const own = keyOf(i)
  if (node === undefined || (node.kind === 'span' && node.status === 'absent'))
    return { status: 'absent', key: own }
  if (node.kind === 'summary') {
    const text = textOf(node)
    return {
      status: 'ok',
      key: own,
      kind: 'summary',
      span: {
        key: own,
        collection: 'c',
        session: 's',
        epoch: 1,
        text,
        claims: node.claims.map(({ facts, on, unverified }) => ({
          text: printed(facts, on),
          anchors: on.map(keyOf),
          derivable: on.length > 0,
          unverified,
        })),
        dependsOn: [],
        covers: [],
        position: i,
        state: node.state,
        causes: [],
      },
    }
  }
  const span = { key: own, collection: 'c', source: 's', text: node.facts, metadata: {}, position: i }
  if (node.status === 'tombstone')
    return {
      status: 'tombstone',
      key: own,
      kind: 'span',
      tombstone: {
        collection: 'c',
        source: 's',
        reason: 'edited',
        position: i,
        at: 0,
        successors: [],
        ...(node.identical === undefined ? {} : { identical: keyOf(node.identical) }),
      },
    }
  return node.status === 'ok'
    ? { status: 'ok', key: own, kind: 'span', span }
    : { status: 'empty', key: own, kind: 'span', detail: 'blank', span: { ...span, text: '' } }
}

function portOf(world: World) {
  const asked: string[] = []
  const port: GatePort = {
    fetch: async (keys) => {
      asked.push(...keys)
      return keys.map((key) => answer(world, key))
    },
    judge: async ({ source, claim }) => {
      const has = factsOf(source)
      const faithful = [...factsOf(claim)].every((fact) => has.has(fact))
      return { verdict: faithful ? 'faithful' : 'unfaithful', risk: faithful ? 0 : 1, reasons: [] }
    },
  }
  return { port, asked }
}

/** What a node may be quoted for: undefined when it may not be stood on at all. */
function grounded(world: World, i: number): ReadonlySet<string> | undefined {
  const node = world[i]
  if (node === undefined) return undefined
  if (node.kind === 'span') {
    if (node.status === 'ok') return new Set(node.facts)
    return node.status === 'tombstone' && node.identical !== undefined
      ? grounded(world, node.identical)
      : undefined
  }
  if (node.state !== 'current') return undefined
  const claims = node.claims.filter((claim) => !claim.unverified && passes(world, claim))
  return claims.length === 0 ? undefined : new Set(claims.flatMap(({ facts }) => [...facts]))
}

function passes(world: World, claim: { readonly facts: string; readonly on: readonly number[] }): boolean {
  const below = claim.on.map((i) => grounded(world, i))
  if (below.length === 0 || below.includes(undefined)) return false
  const has = new Set(below.flatMap((facts) => [...facts!]))
  return [...claim.facts].every((fact) => has.has(fact))
}

const facts = fc.subarray([...FACTS], { minLength: 1, maxLength: 3 }).map((letters) => letters.join(''))
const wide = fc.subarray([...FACTS], { minLength: 3 }).map((letters) => letters.join(''))

function nodeAt(i: number): fc.Arbitrary<SpanNode | SummaryNode> {
  const below = (max: number) => fc.uniqueArray(fc.nat({ max: Math.max(0, i - 1) }), { maxLength: max })
  const span = fc.record({
    kind: fc.constant('span' as const),
    status: fc.constantFrom(
      'ok' as const,
      'ok' as const,
      'ok' as const,
      'empty' as const,
      'tombstone' as const,
      'absent' as const,
    ),
    facts: wide,
    identical: i === 0 ? fc.constant(undefined) : fc.option(fc.nat({ max: i - 1 }), { nil: undefined }),
  })
  if (i < 4) return span.map((node) => ({ ...node, identical: undefined }))
  const summary = fc.record({
    kind: fc.constant('summary' as const),
    state: fc.constantFrom(
      'current' as const,
      'current' as const,
      'current' as const,
      'current' as const,
      'stale' as const,
      'suspect' as const,
    ),
    claims: fc.array(
      fc.record({ facts, on: below(2), unverified: fc.integer({ min: 0, max: 7 }).map((n) => n === 0) }),
      { minLength: 1, maxLength: 3 },
    ),
  })
  return fc.oneof({ weight: 1, arbitrary: span }, { weight: 2, arbitrary: summary })
}

const SIZE = 14
const worlds = fc.tuple(...Array.from({ length: SIZE }, (_, i) => nodeAt(i))) as fc.Arbitrary<World>

const STRICT = { allowUnverified: false, allowBesideKeys: false }
const claimOf = (said: string, on: readonly number[]): GateClaim => ({
  text: printed(said, on),
  selfSufficient: false,
  beside: [],
  within: undefined,
  against: [],
  unverified: false,
})

describe('nothing is laundered through summaries of summaries', () => {
  it('a claim passes if and only if live spans say it, through claims that pass themselves', async () => {
    let passed = 0
    await fc.assert(
      fc.asyncProperty(
        worlds,
        facts,
        fc.uniqueArray(fc.nat({ max: SIZE }), { minLength: 1, maxLength: 3 }),
        async (world, said, on) => {
          const { port, asked } = portOf(world)
          const [judged] = await judgeClaims(port, [claimOf(said, on)], STRICT)
          expect(judged!.verdict === 'substantiated').toBe(passes(world, { facts: said, on }))
          if (judged!.verdict === 'substantiated') {
            passed++
            // What it says is said, letter by letter, by live spans it was led to.
            const live = judged!.rehydrated
              .filter(({ status }) => status === 'ok')
              .map(({ key }) => world[Number(key.slice(18))]!)
              .flatMap((node) => (node.kind === 'span' ? [...node.facts] : []))
            for (const fact of said) expect(live).toContain(fact)
          } else expect(judged!.reasons.length).toBeGreaterThan(0)
          // Nothing is asked twice.
          expect(new Set(asked).size).toBe(asked.length)
        },
      ),
      { numRuns: 1500, seed: 7 },
    )
    expect(passed).toBeGreaterThan(100)
  })

  it('a chain of 3000 summaries is followed to its span, each asked for once', async () => {
    const chain: World = [
      { kind: 'span', status: 'ok', facts: 'A', identical: undefined },
      ...Array.from(
        { length: 3000 },
        (_, i): SummaryNode => ({
          kind: 'summary',
          state: 'current',
          claims: [{ facts: 'A', on: [i], unverified: false }],
        }),
      ),
    ]
    const { port, asked } = portOf(chain)
    expect((await judgeClaims(port, [claimOf('A', [3000])], STRICT))[0]!.verdict).toBe('substantiated')
    expect(asked).toHaveLength(3001)
    const dead: World = [
      { kind: 'span', status: 'tombstone', facts: 'A', identical: undefined },
      ...chain.slice(1),
    ]
    expect((await judgeClaims(portOf(dead).port, [claimOf('A', [3000])], STRICT))[0]!).toMatchObject({
      verdict: 'refused',
      code: 'KEY_TOMBSTONE',
    })
  })

  it('a wide lattice is judged once for each summary, not once for each way down', async () => {
    const layers = 16
    const world: (SpanNode | SummaryNode)[] = [
      { kind: 'span', status: 'ok', facts: 'A', identical: undefined },
      { kind: 'span', status: 'ok', facts: 'A', identical: undefined },
    ]
    for (let layer = 1; layer <= layers; layer++)
      for (const _ of [0, 1])
        world.push({
          kind: 'summary',
          state: 'current',
          claims: [{ facts: 'A', on: [layer * 2 - 2, layer * 2 - 1], unverified: false }],
        })
    const { port, asked } = portOf(world)
    const [judged] = await judgeClaims(port, [claimOf('A', [layers * 2, layers * 2 + 1])], STRICT)
    expect(judged!.verdict).toBe('substantiated')
    expect(asked).toHaveLength(2 * (layers + 1))
    // Each key is reported once, however many ways lead to it.
    expect(judged!.rehydrated.length).toBeLessThanOrEqual(2 * (layers + 1))
  })

  it('a summary that comes back to itself through a text that returned stands on nothing', async () => {
    const world: World = [
      { kind: 'span', status: 'tombstone', facts: 'A', identical: 1 },
      { kind: 'summary', state: 'current', claims: [{ facts: 'A', on: [0], unverified: false }] },
    ]
    const [judged] = await judgeClaims(portOf(world).port, [claimOf('A', [1])], STRICT)
    expect(judged!.verdict).toBe('refused')
  })
})
