import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Key, openStore } from '../src/index.ts'
import type { Call } from './stretches.ts'
import { words } from './words.ts'

/*
 * What grows with one thing that is given, however small the store: a long text, a summary that thousands stand on, a
 * summary of thousands of claims.
 */

const sentence = (i: number): string =>
  `The ${words[i % 997]!} of ${words[(i * 7) % 4_999]!} was ${i} in the ${words[(i * 13) % 9_973]!} report, and nobody doubted it.`

const paragraphsOf = (count: number, change: (i: number) => string = () => ''): string =>
  Array.from({ length: count }, (_, i) => `${sentence(i)} ${sentence(i + 1)}${change(i)}`).join('\n\n')

/** Paragraphs of a long text: two megabytes. */
const PARAGRAPHS = 10_000

/** Summaries that stand on one span. */
const DEPENDENTS = 20_000

/** Claims of one summary. */
const CLAIMS = 5_000

/** Summaries that are reconciled in one pass. */
const RECONCILED = 1_000

export async function everyPiece(call: Call): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'spanstore-pieces-'))
  const store = await openStore(directory)
  const notes = await store.collection('notes')
  try {
    const text = paragraphsOf(PARAGRAPHS)
    await call('put of a text of 2 MB', () => notes.put({ source: 'long', text }))
    await call('put of it again', () => notes.put({ source: 'long', text }))
    const once = paragraphsOf(PARAGRAPHS, (i) => (i === 5_000 ? ' Or so.' : ''))
    await call('put of it with one paragraph edited', () => notes.put({ source: 'long', text: once }))
    const edited = paragraphsOf(PARAGRAPHS, (i) => (i % 2 === 0 ? ` Edited ${i}.` : ''))
    await call('put of it with every second paragraph edited', () =>
      notes.put({ source: 'long', text: edited }),
    )
    const other = paragraphsOf(PARAGRAPHS, (i) => ` All is new, ${i} times.`)
    await call('put of it with every paragraph edited', () => notes.put({ source: 'long', text: other }))
    const block = paragraphsOf(PARAGRAPHS).split('\n\n')
    block.unshift(...block.splice(PARAGRAPHS / 2))
    const exchanged = block.join('\n\n')
    await call('put of it with its halves exchanged', () => notes.put({ source: 'long', text: exchanged }))

    await call('read it', () => notes.read('long'))
    await call('diff of two of its revisions', () => notes.diff('long', 1, 3))

    await manyDependents(call)
    await manyClaims(call)
  } finally {
    await store.close()
    rmSync(directory, { recursive: true, force: true })
  }

  async function manyDependents(call: Call): Promise<void> {
    const { added } = await notes.put({
      source: 'ground',
      spans: [{ text: sentence(1) }, { text: sentence(2) }],
    })
    const [ground, other] = added as readonly [Key, Key]
    const session = notes.session('many')
    const summaries = (from: number) =>
      Array.from({ length: 1_000 }, (_, i) => ({ text: `Of ${from + i}: ${sentence(1)} [[${ground}]]` }))
    await call('register 1 000 summaries', () => session.register(summaries(0)))
    for (let i = 1_000; i < DEPENDENTS; i += 1_000) await session.register(summaries(i))
    const again = (first: string) =>
      notes.put({ source: 'ground', spans: [{ text: first }, { text: sentence(2) }] })
    await call(`put that makes ${DEPENDENTS} summaries stale`, () => again('It is gone.'))
    let back = ground
    await call(`put that makes ${DEPENDENTS} summaries current again`, async () => {
      back = (await again(sentence(1))).added[0]!
    })
    await call(`dependents of a key that ${DEPENDENTS} summaries stand on`, () => notes.dependents(ground))
    await call(`retire what ${DEPENDENTS} summaries stand on`, () => notes.retire([back, other]))
    await call('summaries, all of them stale', () => session.stale())
  }

  async function manyClaims(call: Call): Promise<void> {
    const { added } = await notes.put({
      source: 'claimed',
      spans: Array.from({ length: CLAIMS }, (_, i) => ({ text: sentence(i) })),
    })
    const lines = added.map((key, i) => `${sentence(i)} [[${key}]]`)
    const session = notes.session('claims')
    await call(`register a summary of ${CLAIMS} claims`, () => session.register({ text: lines.join('\n') }))
    const [summary] = await session.summaries()
    await call('fetch it', () => notes.fetch(summary!.key))
    await call('gate it, without ranks', () => session.gate(summary!.key, { ranks: false }))
    await call(`gate of ${CLAIMS} claims, without ranks`, () =>
      session.gate(
        lines.map((line) => ({ text: line })),
        { ranks: false },
      ),
    )
    const few = lines.slice(0, 200).map((line) => ({ text: line }))
    const gated = await session.gate(few, { ranks: false })
    await call('recheck', () => session.recheck(gated))
    await call('context', () => session.context({ maxTokens: 1_000_000 }))
    await call('boundary', () => session.boundary())
    await call(`compact ${CLAIMS} spans into one claim each`, () =>
      notes.session('compacting').compact({
        source: 'claimed',
        summarize: ({ spans }) => spans.map(({ text, anchor }) => `${text} ${anchor}`).join('\n'),
      }),
    )
    const broken = notes.session('broken')
    const cited = added.slice(0, RECONCILED)
    await broken.register(cited.map((key, i) => ({ text: `${sentence(i)} [[${key}]]`, covers: [key] })))
    await notes.put({
      source: 'claimed',
      spans: Array.from({ length: CLAIMS }, (_, i) => ({
        text: i < RECONCILED ? `${sentence(i)} Corrected.` : sentence(i),
      })),
    })
    await call(`reconcile ${RECONCILED} summaries`, () =>
      broken.reconcile({
        summarize: ({ sources }) => sources.map(({ text, key }) => `${text} [[${key}]]`).join('\n'),
      }),
    )
    await call('discardEpoch', () => broken.discardEpoch())
  }
}
