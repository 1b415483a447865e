import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  checkChunks,
  chunkerFor,
  code,
  foreign,
  markdown,
  paragraphs,
  turns,
} from '../../src/chunking/index.ts'
import {
  type Collection,
  checkAnchorIsolation,
  checkCompactionBoundary,
  checkFidelity,
  isSpanStoreError,
  judgeFidelity,
  match,
  openStore,
  parseAnchors,
  restoreBackup,
  type Session,
  type Store,
} from '../../src/index.ts'
import { dump, temporary } from '../store/helpers.ts'

/*
 * Every public function, given every kind of value in every place: what is wrong is refused by code, in a message that
 * names it, and leaves the store as it was. Nothing is taken for something it is not.
 */

let store: Store
let rows: Database.Database
let notes: Collection
let session: Session

beforeAll(async () => {
  const directory = temporary()
  store = await openStore(directory)
  rows = new Database(join(directory, 'ledger.db'), { readonly: true })
  notes = await store.collection('notes')
  await notes.put({ source: 'a', text: 'We ship on Friday.' })
  session = notes.session('agent')
})

afterAll(async () => {
  rows.close()
  await store.close()
})

const LONG = 'n'.repeat(100_000)

/** Of each kind that JavaScript has, and of text that which SQLite would not give back. */
const VALUES: readonly (readonly [string, unknown])[] = [
  ['null', null],
  ['a number', 7],
  ['not a number', Number.NaN],
  ['a bigint', 10n],
  ['a symbol', Symbol('s')],
  ['a text', 'text'],
  ['an empty text', ''],
  ['half a pair', '\ud800'],
  ['a long text', LONG],
  ['a list', []],
  ['a list of null', [null]],
  ['an object', {}],
  ['a date', new Date(0)],
  ['true', true],
  ['a function', () => 7],
]

/** The names are those of `VALUES` that are right there, or lead to one of the four results. */
const PLACES: { readonly [place: string]: readonly [(value: never) => unknown, ...string[]] } = {
  'store.subscribe': [(v) => store.subscribe(v).return?.(), 'an object', 'a date'],
  'subscribe.consumer': [(consumer) => store.subscribe({ consumer }).return?.(), 'a text'],
  'subscribe.types': [(types) => store.subscribe({ types }).return?.()],
  'subscribe.sources': [(sources) => store.subscribe({ sources }).return?.()],
  'subscribe.collections': [(collections) => store.subscribe({ collections }).return?.()],
  'subscribe.keys': [(keys) => store.subscribe({ keys }).return?.()],
  'subscribe.from': [(from) => store.subscribe({ from, follow: false }).next()],
  'subscribe.follow': [(follow) => store.subscribe({ follow }).return?.(), 'null', 'true'],
  'subscribe.wait': [(wait) => store.subscribe({ wait }).return?.(), 'true'],
  'subscribe.batch': [(batch) => store.subscribe({ batch }).return?.(), 'null', 'a number'],
  'subscribe.holder': [(holder) => store.subscribe({ holder }).return?.(), 'a text'],
  'subscribe.backoff': [(backoff) => store.subscribe({ backoff }).return?.(), 'a function'],
  'subscribe.signal': [(signal) => store.subscribe({ signal }).return?.()],
  'consumers.reset': [(name) => store.consumers().reset(name, 'now')],
  'consumers.delete': [(name) => store.consumers().delete(name)],
  'consumers.info': [(name) => store.consumers().info(name)],
  'consumers.setFilter': [(name) => store.consumers().setFilter(name, {})],
  'search.signal': [(signal) => notes.search({ text: 'friday', signal })],
  'embed.signal': [(signal) => notes.embed({ signal })],
  'prune.signal': [(signal) => store.prune({ before: 0, signal })],
  'context.countTokens': [
    (value) => session.context({ maxTokens: 9, source: 'a', countTokens: () => value }),
    'a number',
  ],
  'register.basedOn': [(basedOn) => session.register({ text: 'x', basedOn })],
  'openStore.embedder': [(embedder) => openStore(':memory:', { embedder })],
  'openStore.clock': [async (clock) => (await openStore(':memory:', { clock })).close(), 'a function'],
  'restoreBackup.directory': [(from) => restoreBackup(from, 'nowhere')],
  'restoreBackup.target': [(to) => restoreBackup('nowhere', to)],
  match: [(v) => match(v, { ok: () => 1, empty: () => 1, tombstone: () => 1, absent: () => 1 })],
  parseAnchors: [(v) => parseAnchors(v), 'a text', 'an empty text', 'half a pair', 'a long text'],
  checkFidelity: [(v) => checkFidelity(v)],
  'checkFidelity.source': [
    (source) => checkFidelity({ source, claim: 'x' }),
    ...['a text', 'an empty text', 'half a pair', 'a long text'],
  ],
  'checkFidelity.claim': [
    (claim) => checkFidelity({ source: 'x', claim }),
    ...['a text', 'an empty text', 'half a pair', 'a long text'],
  ],
  'checkFidelity.context': [
    (context) => checkFidelity({ source: 'x', claim: 'x', context }),
    ...['a text', 'an empty text', 'half a pair', 'a long text'],
  ],
  'judgeFidelity.secondOpinion': [(judge) => judgeFidelity({ source: 'x', claim: 'x' }, judge), 'a function'],
  'checkAnchorIsolation.summary': [
    (summary) => checkAnchorIsolation(summary, () => true),
    ...['a text', 'an empty text', 'half a pair', 'a long text'],
  ],
  'checkAnchorIsolation.resolver': [(resolver) => checkAnchorIsolation('x', resolver), 'a function'],
  'checkAnchorIsolation.options': [
    (options) => checkAnchorIsolation('x', () => true, options),
    ...['an object', 'a date'],
  ],
  'checkAnchorIsolation.minAnchorDensity': [
    (minAnchorDensity) => checkAnchorIsolation('x', () => true, { minAnchorDensity }),
    'null',
  ],
  checkCompactionBoundary: [(v) => checkCompactionBoundary(v)],
  'signals.summaryCitedIds': [
    (summaryCitedIds) => checkCompactionBoundary({ ...SIGNALS, summaryCitedIds }),
    ...['a list', 'a list of null'],
  ],
  'signals.selfCitedHitRate': [
    (selfCitedHitRate) => checkCompactionBoundary({ ...SIGNALS, selfCitedHitRate }),
    // The seed's code takes a rate that is no number for one that is not lower.
    ...['a number', 'not a number'],
  ],
  'signals.referencesPerSummary': [
    (referencesPerSummary) => checkCompactionBoundary({ ...SIGNALS, referencesPerSummary }),
    'a list',
  ],
  code: [(v) => code(v), 'an object', 'a date'],
  markdown: [(v) => markdown(v), 'an object', 'a date'],
  'markdown.headings': [(headings) => markdown({ headings }), 'true'],
  paragraphs: [(v) => paragraphs(v), 'an object', 'a date'],
  turns: [(v) => turns(v), 'an object', 'a date'],
  chunkerFor: [(v) => chunkerFor(v), 'a text', 'an empty text', 'half a pair', 'a long text'],
  'checkChunks.text': [
    (v) => checkChunks(v, [], 'x'),
    'a text',
    'an empty text',
    'half a pair',
    'a long text',
  ],
  'checkChunks.chunks': [(v) => checkChunks('text', v, 'x'), 'a list'],
  'foreign.splitter': [(v) => foreign('x', v), 'a function'],
}

const SIGNALS = {
  summaryCitedIds: [],
  storeRecentIds: [],
  selfCitedHitRate: 1,
  externalCitedHitRate: 1,
  duplicateRepresentationDensity: 0,
  referencesPerSummary: [],
}

describe.each(Object.entries(PLACES))('%s', (_, [call, ...right]) => {
  test.each(VALUES)('%s', async (kind, value) => {
    const before = dump(rows)
    const refused = await (async () => call(value as never))().then(
      () => undefined,
      (error: unknown) => error,
    )
    if (right.includes(kind)) expect(refused).toBeUndefined()
    else {
      expect(refused).toSatisfy(isSpanStoreError)
      const { message } = refused as Error
      expect(message.length).toBeGreaterThan(15)
      expect(message.length).toBeLessThan(1000)
    }
    expect(dump(rows)).toEqual(before)
  })
})

test('an opinion that is no verdict leaves undecided what the rules leave undecided', async () => {
  const pair = { source: 'It rained all day.', claim: 'Payments were audited by somebody.' }
  for (const [, value] of VALUES)
    expect((await judgeFidelity(pair, async () => value as never)).verdict).toBe('abstain')
})
