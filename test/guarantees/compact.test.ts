import { describe, expect, it } from 'vitest'
import {
  type Collection,
  type Compacted,
  type CompactionRequest,
  type CompactOptions,
  isSpanStoreError,
  type Key,
  openStore,
  type Session,
  type Store,
  type Summarize,
} from '../../src/index.ts'
import { meetings } from './meetings.ts'

const TURNS = [
  'The budget for the new site is 40 000 euros.',
  'Anna will write the migration plan.',
  'We keep the old server until March.',
  'The rollback path must be ready before Thursday.',
]

async function world(): Promise<{ store: Store; notes: Collection; session: Session; keys: readonly Key[] }> {
  const store = await openStore(':memory:')
  const notes = await store.collection('notes')
  const { added } = await notes.put({ source: 'chat', spans: TURNS.map((text) => ({ text })) })
  return { store, notes, session: notes.session('a'), keys: added }
}

/** Quotes: each of what it is given, word for word, with its anchor, after what it said before. */
const quote: Summarize = ({ spans, prior, protectedAnchors }) => {
  const before = prior.map(({ text }) => text).join('\n')
  const kept = protectedAnchors.filter(
    (anchor) => before.includes(anchor) || spans.some((s) => s.anchor === anchor),
  )
  expect(kept).toEqual(protectedAnchors)
  return [before, ...spans.map(({ text, anchor }) => `${text} ${anchor}`)]
    .filter((part) => part !== '')
    .join('\n')
}

function made(compacted: Compacted): Extract<Compacted, { outcome: 'compacted' }> {
  if (compacted.outcome !== 'compacted') throw new Error(compacted.outcome)
  return compacted
}

async function broken(session: Session, options: CompactOptions): Promise<[string, string | undefined][]> {
  const error = await session.compact(options).then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (!isSpanStoreError(error, 'RECALL_BROKEN')) throw error ?? new Error('nothing was refused')
  for (const { message } of error.detail.problems) expect(error.message).toContain(message)
  return error.detail.problems.map(({ code, about }) => [code, about])
}

describe('a compaction', () => {
  it('covers what no summary covers yet, depends on all it read, and passes the gate as it stands', async () => {
    const { store, notes, session, keys } = await world()
    const done = made(await session.compact({ source: 'chat', summarize: quote }))
    expect(done).toMatchObject({
      epoch: 1,
      covers: keys,
      anchors: keys,
      density: 1,
      attempts: 1,
      orphans: [],
    })
    expect(done.claims.every(({ derivable, unverified }) => derivable && !unverified)).toBe(true)
    expect((await session.gate(done.key)).verdict).toBe('substantiated')
    const [summary] = await session.summaries()
    expect(summary).toMatchObject({ key: done.key, covers: keys, dependsOn: keys })
    expect(await session.compact({ source: 'chat', summarize: quote })).toEqual({ outcome: 'nothing' })
    // Unread, but covered: an edit of what the text left out makes it stale all the same.
    await notes.retire([keys[1]!])
    expect((await session.stale()).map(({ key }) => key)).toEqual([done.key])
    await store.close()
  })

  it('carries the summary on: it is given the new spans, the old text, and the anchors to keep', async () => {
    const { store, notes, session, keys } = await world()
    const first = made(await session.compact({ source: 'chat', summarize: quote, keep: 2 }))
    expect(first.covers).toEqual(keys.slice(0, 2))
    const { added } = await notes.append({ source: 'chat', spans: [{ text: 'Ben books the room.' }] })
    let seen: CompactionRequest | undefined
    const second = made(
      await session.compact({
        summarize: (request) => {
          seen = request
          return quote(request)
        },
      }),
    )
    expect(seen).toMatchObject({
      mode: 'compaction',
      attempt: 1,
      prior: [{ key: first.key, text: first.text, kind: 'summary' }],
      protectedAnchors: keys.slice(0, 2).map((key) => `[[${key}]]`),
    })
    expect(seen!.spans.map(({ key }) => key)).toEqual([keys[2], keys[3], added[0]])
    expect(second.covers).toEqual([...keys, ...added])
    expect(await store.fetch(first.key)).toMatchObject({
      status: 'tombstone',
      tombstone: { reason: 'superseded', successors: [second.key] },
    })
    expect((await session.summaries()).map(({ key }) => key)).toEqual([second.key])
    // Asked for by name, what has nothing new to cover is compacted again.
    const beside = made(await session.compact({ source: 'chat', replaces: [second.key], summarize: quote }))
    expect(beside.anchors).toEqual(second.anchors)
    await store.close()
  })

  it('can be asked for keys, summaries among them, and for a summary beside the others', async () => {
    const { store, session, keys } = await world()
    const low = made(await session.compact({ keys: keys.slice(0, 2), summarize: quote }))
    const other = made(await session.compact({ source: 'chat', replaces: [], summarize: quote }))
    expect(other.covers).toEqual(keys.slice(2))
    const high = made(
      await session.compact({
        keys: [low.key, other.key],
        summarize: ({ spans }) => `${TURNS[0]} ${spans[0]!.anchor}`,
      }),
    )
    expect(high.covers).toEqual([low.key, other.key])
    expect((await session.gate(high.key)).verdict).toBe('substantiated')
    await store.close()
  })

  it('continues where covered spans were cut anew: what stands in their place is given with the new', async () => {
    const { store, notes, session, keys } = await world()
    // Covers the conversation, and stands on one span of it alone.
    await session.register({ text: `${TURNS[1]} [[${keys[1]}]]`, covers: keys })
    const { added } = await notes.put({
      source: 'chat',
      spans: [
        { text: 'The budget for the new site is 45 000 euros.' },
        ...TURNS.slice(1).map((text) => ({ text })),
      ],
    })
    const second = made(
      await session.compact({
        summarize: (request) => {
          expect(request.spans.map(({ key }) => key)).toEqual(added)
          return quote(request)
        },
      }),
    )
    expect(second.covers).toEqual([...keys.slice(1), ...added])
    expect(second.anchors).toEqual([keys[1], ...added])
    expect(await session.stale()).toEqual([])
    await store.close()
  })

  it('carries on a summary that is stale because of what it had read and not cited', async () => {
    const { store, notes, session, keys } = await world()
    const first = made(
      await session.compact({
        source: 'chat',
        summarize: ({ spans }) => `${TURNS[1]} ${spans[1]!.anchor}`,
      }),
    )
    const { added, stale } = await notes.put({
      source: 'chat',
      spans: [
        { text: 'The budget for the new site is 45 000 euros.' },
        ...TURNS.slice(1).map((text) => ({ text })),
      ],
    })
    expect(stale).toEqual([first.key])
    const second = made(
      await session.compact({
        summarize: (request) => {
          expect(request.spans.map(({ key }) => key)).toEqual(added)
          return quote(request)
        },
      }),
    )
    expect([second.covers, second.anchors]).toEqual([
      [...keys.slice(1), ...added],
      [keys[1], ...added],
    ])
    expect(await session.stale()).toEqual([])
    await store.close()
  })

  it('is refused where a key the summary cites no longer resolves, before the summarizer is asked', async () => {
    const { store, notes, session, keys } = await world()
    await session.compact({ source: 'chat', summarize: quote, keep: 1 })
    await notes.put({
      source: 'chat',
      spans: [
        { text: 'The budget for the new site is 45 000 euros.' },
        ...TURNS.slice(1).map((text) => ({ text })),
      ],
    })
    const summarize = () => {
      throw new Error('asked')
    }
    await expect(session.compact({ summarize })).rejects.toMatchObject({ code: 'SESSION_FROZEN' })
    await session.reconcile({
      summarize: ({ sources }) => sources.map(({ text, key }) => `${text} [[${key}]]`).join('\n'),
    })
    const done = made(await session.compact({ summarize: quote }))
    expect(done.anchors).toContain(keys[3])
    expect(done.anchors).not.toContain(keys[0])
    expect((await session.gate(done.key)).verdict).toBe('substantiated')
    await store.close()
  })

  it('refuses inputs that moved while the summarizer was at work', async () => {
    const { store, notes, session, keys } = await world()
    await expect(
      session.compact({
        source: 'chat',
        summarize: async (request) => {
          await notes.retire([keys[0]!])
          return `${TURNS[1]} ${request.spans[1]!.anchor}`
        },
      }),
    ).rejects.toMatchObject({ code: 'INPUTS_MOVED', detail: { keys: [keys[0]] } })
    expect(await session.summaries()).toEqual([])
    await store.close()
  })

  it('says what it needs when it is not told what to compact', async () => {
    const { store, session } = await world()
    await expect(session.compact({ summarize: quote })).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
    await expect(session.compact({ source: 'never', summarize: quote })).rejects.toMatchObject({
      code: 'SOURCE_UNKNOWN',
    })
    await expect(session.compact({ source: 'chat', summarize: () => '  ' })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
    })
    await expect(
      session.compact({ source: 'chat', summarize: () => ({ text: 'x', completeness: 2 }) }),
    ).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
    await store.close()
  })
})

describe('anchors are protected', () => {
  const rewritten =
    (change: (text: string, request: CompactionRequest) => string): Summarize =>
    async (request) =>
      change((await quote(request)) as string, request)

  it('altered, dropped and invented ones are named, after a second try with everything read anew', async () => {
    const { store, notes, session, keys } = await world()
    const first = made(await session.compact({ source: 'chat', summarize: quote, keep: 1 }))
    const [a, b, c, d] = keys as [Key, Key, Key, Key]
    // Off by one character, and not by chance the key of another span.
    const near = ['0', '1', '2', '3', '4']
      .map((end) => `${a.slice(0, -1)}${end}`)
      .find((key) => !keys.includes(key as Key))!
    const far = '7ZZZZZZZZZ0000000000000000'
    const modes: string[] = []
    const problems = await broken(session, {
      summarize: rewritten((text, request) => {
        modes.push(`${request.mode} ${request.spans.length} ${request.prior.length}`)
        return text
          .replace(`[[${a}]]`, `[[${near}]]`)
          .replace(`${TURNS[1]} [[${b}]]`, `${TURNS[1]}`)
          .replace(`[[${c}]]`, c)
          .concat(` [[${far}]] [[the ledger]]`)
      }),
    })
    expect(problems.sort()).toEqual(
      [
        ['ANCHOR_ALTERED', near],
        ['ANCHOR_ALTERED', c],
        ['ANCHOR_DROPPED', b],
        ['ANCHOR_INVENTED', far],
        ['NOT_A_KEY', 'the ledger'],
      ].sort(),
    )
    // The raw spans, all of them, and not the text that drifted.
    expect(modes).toEqual(['compaction 1 1', 're-expansion 4 0'])
    expect((await session.summaries()).map(({ key }) => key)).toEqual([first.key])
    expect(d).toBeDefined()
    expect(await notes.count()).toBe(4)
    await store.close()
  })

  it('a summarizer that does better when given everything is registered, and said to have been given it', async () => {
    const { store, session } = await world()
    await session.compact({ source: 'chat', summarize: quote, keep: 1 })
    const again = made(
      await session.compact({
        summarize: rewritten((text, { mode, problems, previous }) => {
          if (mode === 'compaction') return text.replace(/ \[\[.*?\]\]/, '')
          expect(problems.map(({ code }) => code)).toEqual(['ANCHOR_DROPPED'])
          expect(previous).toContain(TURNS[0])
          return text
        }),
      }),
    )
    expect(again).toMatchObject({ attempts: 2, reexpanded: true })
    await store.close()
  })

  it('a key in small letters, with a space, or cut short is recognised as the one that was meant', async () => {
    const { store, session, keys } = await world()
    await session.compact({ source: 'chat', summarize: quote, keep: 1 })
    for (const wrong of [keys[0]!.toLowerCase(), ` ${keys[0]} `, keys[0]!.slice(0, 20), `key ${keys[0]}`]) {
      const problems = await session
        .compact({ summarize: rewritten((text) => text.replace(keys[0]!, wrong)) })
        .catch((error) => error.detail.problems)
      expect(problems).toMatchObject([{ code: 'ANCHOR_ALTERED', about: wrong, original: keys[0] }])
    }
    await store.close()
  })

  it('a re-compaction may print more anchors only of what it newly covers', async () => {
    const { store, notes, session, keys } = await world()
    const sparse: Summarize = ({ prior, spans }) =>
      `${prior.map(({ text }) => text).join('\n')}\n${spans[0]!.text} ${spans[0]!.anchor}`
    await session.compact({ source: 'chat', summarize: sparse })
    await notes.append({ source: 'chat', spans: [{ text: 'Ben books the room.' }] })
    expect(
      await broken(session, {
        summarize: (request) =>
          `${sparse({ ...request, prior: [] })}\n${TURNS[0]} [[${keys[0]}]] ${TURNS[1]} [[${keys[1]}]]`,
      }),
    ).toEqual([['ANCHOR_INVENTED', keys[1]]])
    await store.close()
  })

  it('a fall of the density is a hard stop: the summarizer is not asked again', async () => {
    const { store, notes, session } = await world()
    let asked = 0
    const vague = (text: string): Summarize => {
      return (request) => {
        asked++
        return `${quote(request)} ${text}`
      }
    }
    expect(
      await broken(session, {
        source: 'chat',
        summarize: vague('As noted earlier, etc. And so on, as before, usw. and more.'),
      }),
    ).toEqual([['DENSITY_BELOW_FLOOR', undefined]])
    expect(asked).toBe(1)
    await session.compact({ source: 'chat', summarize: quote })
    await notes.append({ source: 'chat', spans: [{ text: 'Ben books the room.' }] })
    asked = 0
    // Above the floor, but far below what it was.
    expect(await broken(session, { summarize: vague('As noted earlier, etc. And so on.') })).toEqual([
      ['DENSITY_COLLAPSED', undefined],
    ])
    expect(asked).toBe(1)
    expect(
      made(await session.compact({ summarize: vague('And so on.') })).orphans.map(({ text }) => text),
    ).toEqual(['And so on'])
    await store.close()
  })
})

describe('claims are compared before they are registered', () => {
  const WRONG = 'The rollback path need not be ready before Thursday.'

  it('an unfaithful one goes back with what is wrong, and is corrected', async () => {
    const { store, session } = await world()
    const modes: string[] = []
    const done = made(
      await session.compact({
        source: 'chat',
        summarize: (request) => {
          modes.push(request.mode)
          if (request.mode === 'correction') {
            expect(request.problems).toMatchObject([{ code: 'NOT_FAITHFUL' }])
            expect(request.problems[0]!.about).toContain(WRONG)
            return quote(request)
          }
          return (quote(request) as string).replace(TURNS[3]!, WRONG)
        },
      }),
    )
    expect(modes).toEqual(['compaction', 'correction'])
    expect(done.claims.some(({ unverified }) => unverified)).toBe(false)
    await store.close()
  })

  it('goes back at most twice, is then registered as unverified, and the gate refuses it, then and later', async () => {
    const { store, session } = await world()
    const done = made(
      await session.compact({
        source: 'chat',
        summarize: (request) => ({
          text: (quote(request) as string).replace(TURNS[3]!, WRONG),
          completeness: 0.9,
        }),
      }),
    )
    expect(done.attempts).toBe(3)
    expect(done.claims.filter(({ unverified }) => unverified)).toMatchObject([
      { derivable: true, problems: [{ code: 'NOT_FAITHFUL' }] },
    ])
    const gated = await session.gate(done.key)
    expect(gated.verdict).toBe('refused')
    const refused = gated.claims.filter(({ verdict }) => verdict === 'refused')
    expect(refused).toHaveLength(1)
    expect(refused[0]!.text).toContain(WRONG)
    expect(refused[0]!.reasons.map(({ code }) => code)).toEqual(['NOT_FAITHFUL', 'UNVERIFIED'])
    // Nor is it laundered through a summary of the summary.
    const high = await session.register({ text: `${WRONG} [[${done.key}]]` })
    expect((await session.gate(high.key)).verdict).toBe('refused')
    await store.close()
  })

  it('a sentence that the summarizer leaves out of its list of claims is compared all the same', async () => {
    const { store, session, keys } = await world()
    const done = made(
      await session.compact({
        source: 'chat',
        summarize: (request) => ({
          text: (quote(request) as string).replace(TURNS[3]!, WRONG),
          claims: [`${TURNS[0]} [[${keys[0]}]]`],
        }),
      }),
    )
    expect(done.claims.map(({ text, unverified }) => [text, unverified])).toEqual([
      [`${TURNS[0]} [[${keys[0]}]]`, false],
      [`${WRONG} [[${keys[3]}]]`, true],
    ])
    expect((await session.gate(done.key)).verdict).toBe('refused')
    await store.close()
  })
})

describe('real conversations', () => {
  const files = meetings(['ES2006a.json'])

  it.skipIf(files.length === 0)(
    'eight compactions of a meeting keep every anchor that still leads somewhere',
    async () => {
      const store = await openStore(':memory:')
      for (const { name, turns } of files) {
        const notes = await store.collection(name.replace('.json', ''))
        const session = notes.session('agent')
        const said = turns.map(({ speaker, content }) => ({ text: `${speaker}: ${content}` }))
        // One turn in eight is quoted; the rest is covered, and left out.
        const sparse: Summarize = ({ prior, spans }) =>
          [
            ...prior.map(({ text }) => text),
            ...spans
              .filter((_, i) => i % 8 === 0)
              .map(({ text, anchor }) => `${text.replaceAll('\n', ' ')} ${anchor}`),
          ].join('\n')
        const step = Math.ceil(said.length / 8)
        let anchors = 0
        for (let from = 0; from < said.length; from += step) {
          await notes.append({ source: 'talk', spans: said.slice(from, from + step) })
          const done = await session.compact({ source: 'talk', summarize: sparse })
          if (done.outcome === 'nothing') continue
          expect(done.reexpanded).toBe(false)
          expect(done.anchors.length).toBeGreaterThan(anchors)
          anchors = done.anchors.length
        }
        const [summary, ...others] = await session.summaries()
        expect(others).toEqual([])
        expect(summary!.covers.length).toBe(await notes.count())
        expect(summary!.state).toBe('current')
        const derivable = summary!.claims.filter((claim) => claim.derivable)
        // Every one is a quotation; what the check takes amiss is a few in a hundred.
        expect(derivable.filter((claim) => claim.unverified).length).toBeLessThan(derivable.length / 10)
        const { idempotence, density } = (await session.boundary()).recall
        expect([idempotence.elevated, density.elevated]).toEqual([false, false])
      }
      await store.close()
    },
  )
})
