import assert from 'node:assert/strict'
import { parseFilter, type Where } from '../core/filter.ts'
import { matches } from '../core/filter-matches.ts'
import type { FetchResult } from '../core/model.ts'
import type { Ledger } from '../ports/ledger.ts'
import type { Collection } from '../store/collection.ts'
import { type ConformanceCase, cases } from './conformance.ts'
import { collectionOver } from './over.ts'

const status = (result: FetchResult) => result.status

const textOf = (result: FetchResult) => (result.status === 'ok' ? result.span.text : undefined)

const spans = (...texts: readonly string[]) => texts.map((text) => ({ text }))

async function refuses(work: Promise<unknown>, code: string): Promise<void> {
  await assert.rejects(work, (error) => {
    assert.equal((error as { code?: unknown }).code, code)
    return true
  })
}

/**
 * What a store needs of its ledger, as cases for any test runner:
 *
 *     for (const { name, run } of ledgerConformance(open)) test(name, run)
 *
 * `open` makes an empty ledger each time.
 */
export function ledgerConformance(open: () => Promise<Ledger>): readonly ConformanceCase[] {
  const subject = async () => {
    const ledger = await open()
    return { ledger, notes: await collectionOver(ledger, 'notes'), close: () => ledger.close() }
  }
  return cases(subject, {
    'four results are told apart': async ({ notes }) => {
      const { added } = await notes.put({ source: 'a', spans: spans('first', 'second') })
      const blank = await notes.put({ source: 'b', text: null })
      await notes.retire([added[1]!])
      const never = `${added[0]!.slice(0, 20)}ZZZZZZ`
      const results = await notes.fetchMany([added[0]!, blank.added[0]!, added[1]!, never, added[0]!])
      assert.deepEqual(results.map(status), ['ok', 'empty', 'tombstone', 'absent', 'ok'])
      assert.equal(textOf(results[0]!), 'first')
    },

    'a put that changes nothing writes nothing': async ({ notes }) => {
      const first = await notes.put({ source: 'a', spans: spans('one', 'two') })
      const again = await notes.put({ source: 'a', spans: spans('one', 'two') })
      assert.equal(again.outcome, 'unchanged')
      assert.deepEqual([again.revision, again.position], [first.revision, first.position])
    },

    'an edit keeps the keys of what is still there, and names successors': async ({ notes }) => {
      const { added } = await notes.put({ source: 'a', text: 'One.\n\nTwo.\n\nThree.', chunker: byParagraph })
      const edited = await notes.put({
        source: 'a',
        text: 'One.\n\nTwo, changed.\n\nThree.',
        chunker: byParagraph,
      })
      assert.deepEqual([edited.kept, edited.added.length, edited.retired], [2, 1, [added[1]]])
      const old = await notes.fetch(added[1]!)
      assert.equal(old.status, 'tombstone')
      assert.deepEqual(old.status === 'tombstone' && [old.tombstone.reason, old.tombstone.successors], [
        'edited',
        edited.added,
      ])
      assert.equal(textOf(await notes.fetch(added[0]!)), 'One.')
    },

    'text that comes back is recognised': async ({ notes }) => {
      const text = 'A sentence that is long enough to be recognised by itself.'
      const { added } = await notes.put({ source: 'a', spans: spans('before', text) })
      await notes.put({ source: 'a', spans: spans('before') })
      const back = await notes.put({ source: 'a', spans: spans('before', text) })
      const old = await notes.fetch(added[1]!)
      assert.equal(old.status === 'tombstone' && old.tombstone.identical, back.added[0])
    },

    'revisions come back byte for byte': async ({ notes }) => {
      const texts = ['a\n\n\n b\r\n', 'a\n\n\n b\r\n\tc 😀', '']
      for (const text of texts) await notes.put({ source: 'a', text })
      for (const [i, text] of texts.entries())
        assert.equal((await notes.read('a', { revision: i + 1 })).text, text)
      assert.equal((await notes.history('a')).length, 3)
    },

    'an append adds at the end': async ({ notes }) => {
      await notes.put({ source: 'a', spans: spans('one') })
      for (let i = 0; i < 150; i++) await notes.append({ source: 'a', spans: spans(`turn ${i}`) })
      const { places } = await notes.read('a')
      const results = await notes.fetchMany(places.map(({ key }) => key))
      assert.deepEqual(results.map(textOf), ['one', ...Array.from({ length: 150 }, (_, i) => `turn ${i}`)])
    },

    'a source that was removed is no source never seen': async ({ notes }) => {
      const { added } = await notes.put({ source: 'a', spans: spans('one') })
      await notes.remove({ source: 'a' })
      const gone = await notes.fetch(added[0]!)
      assert.equal(gone.status === 'tombstone' && gone.tombstone.reason, 'deleted')
      assert.notEqual((await notes.source('a')).status, (await notes.source('never')).status)
    },

    'a write that is refused leaves everything as it was': async ({ notes, ledger }) => {
      await notes.put({ source: 'a', spans: [{ text: 'one', vector: [1, 2] }] })
      const before = await ledger.collections()
      const revisions = await notes.history('a')
      await refuses(
        notes.putMany([
          { source: 'b', spans: spans('two') },
          { source: 'c', spans: [{ text: 'three', vector: [1, 2, 3] }] },
        ]),
        'INVALID_VECTOR',
      )
      await refuses(notes.put({ source: 'a', text: 'new', expectedRevision: 7 }), 'REVISION_CONFLICT')
      assert.deepEqual(await ledger.collections(), before)
      assert.deepEqual(await notes.history('a'), revisions)
      assert.equal((await notes.source('b')).status, 'absent')
    },

    'writes of one source at once are both there': async ({ notes }) => {
      await notes.put({ source: 'a', spans: spans('zero') })
      const results = await Promise.all(
        ['one', 'two', 'three'].map((text) => notes.put({ source: 'a', spans: spans(text) })),
      )
      assert.deepEqual(results.map(({ revision }) => revision).sort(), [2, 3, 4])
      assert.equal(await notes.count(), 1)
    },

    'a command that is sent again answers what it answered first': async ({ notes }) => {
      const once = await notes.put({ source: 'a', spans: spans('one'), commandId: 'c1' })
      await notes.put({ source: 'a', spans: spans('two') })
      assert.deepEqual(await notes.put({ source: 'a', spans: spans('one'), commandId: 'c1' }), once)
      assert.equal((await notes.history('a')).length, 2)
    },

    'the past answers as it did': async ({ notes }) => {
      const first = await notes.put({ source: 'a', spans: spans('one') })
      const key = first.added[0]!
      await notes.update({ keys: [key], metadata: { seen: true } })
      await notes.put({ source: 'a', spans: spans('two') })
      const then = await notes.fetch(key, { asOf: first.position })
      assert.deepEqual(then.status === 'ok' && then.kind === 'span' && [then.span.text, then.span.metadata], [
        'one',
        {},
      ])
      assert.equal((await notes.fetch(key)).status, 'tombstone')
      await refuses(notes.fetch(key, { asOf: 999 }), 'POSITION_UNKNOWN')
    },

    'filters pass what the reference passes': async ({ notes, ledger }) => {
      await notes.putMany(
        METADATA.map((metadata, i) => ({ source: `${i}`, spans: [{ text: `${i}`, metadata }] })),
      )
      const all = await notes.find({ limit: 1000 })
      const info = (await ledger.collections())[0]!
      for (const where of FILTERS) {
        const filter = parseFilter(where)
        const expected = all.filter(({ metadata }) => matches(filter, metadata)).map(({ key }) => key)
        const about = JSON.stringify(where)
        assert.deepEqual(
          (await notes.find({ where, limit: 1000 })).map(({ key }) => key),
          expected,
          about,
        )
        assert.equal(await notes.count({ where }), expected.length, about)
        assert.deepEqual(await ledger.matching(info.ref, filter), expected, about)
      }
    },

    'a summary is stale in the commit that takes away what it stands on': async ({ notes }) => {
      const text = 'The rollback was rehearsed on Friday, twice.'
      const { added } = await notes.put({ source: 'a', spans: spans('before', text) })
      const session = notes.session('s')
      const below = await session.register({ text: `It was rehearsed. [[${added[1]}]]` })
      const above = await session.register({ text: `All is ready. [[${below.key}]]` })
      const edit = await notes.put({ source: 'a', spans: spans('before') })
      assert.deepEqual([...edit.stale].sort(), [below.key, above.key].sort())
      const states = async () => (await session.summaries()).map(({ state }) => state)
      assert.deepEqual(await states(), ['stale', 'suspect'])
      await notes.put({ source: 'a', spans: spans('before', text) })
      assert.deepEqual(await states(), ['current', 'current'])
    },

    'nothing is born stale': async ({ notes }) => {
      const { added } = await notes.put({ source: 'a', spans: spans('one', 'two') })
      await notes.retire([added[0]!])
      await refuses(notes.session('s').register({ text: `x [[${added[0]}]]` }), 'DEPENDENCY_UNSATISFIED')
      assert.deepEqual(await notes.session('s').summaries(), [])
    },

    'what was erased is gone from every answer': async ({ notes }) => {
      const first = await notes.put({
        source: 'a',
        spans: [{ text: 'a secret that must go', metadata: { secret: 'yes' } }],
      })
      const key = first.added[0]!
      const erased = await notes.erase({ keys: [key] })
      assert.deepEqual(erased.erased, [key])
      for (const result of [await notes.fetch(key), await notes.fetch(key, { asOf: first.position })]) {
        assert.equal(result.status, 'tombstone')
        assert.ok(result.status === 'tombstone' && result.tombstone.erasedAt !== undefined)
        assert.ok(!JSON.stringify(result).includes('secret'))
      }
      await refuses(notes.put({ source: 'a', spans: spans('a secret that must go') }), 'ERASED_TEXT')
    },

    'a collection keeps its id when it is renamed, and its spans are tombstones when it is dropped': async ({
      notes,
      ledger,
    }) => {
      const { added } = await notes.put({ source: 'a', spans: spans('one') })
      await ledger.renameCollection('notes', 'other')
      assert.equal((await ledger.collections())[0]!.id, notes.id)
      assert.equal((await notes.fetch(added[0]!)).status, 'ok')
      await ledger.dropCollection('other')
      const [gone] = await ledger.fetch([added[0]!])
      assert.equal(gone!.status === 'tombstone' && gone!.tombstone.reason, 'deleted')
      await refuses(collectionOver(ledger, 'other'), 'COLLECTION_DROPPED')
    },

    'vectors come back as they went in, and the log says whose changed': async ({ notes, ledger }) => {
      const vectors = [Float32Array.of(0.1, -2e-30), Float32Array.of(3, 4)]
      await putVectors(notes, vectors)
      const { ref } = (await ledger.collections())[0]!
      const records = ledger.vectors
      const { space, live } = records.head(ref)
      assert.equal(live, 2)
      const { rows } = records.copy(ref, space!, 0, 100)
      assert.deepEqual(
        rows.map(({ vector }) => vector),
        vectors,
      )
      const { position } = records.head(ref)
      await notes.put({ source: 'v1', spans: [{ text: 'number 1', vector: [5, 6] }] })
      const followed = records.follow(ref, space!, position, 100)
      assert.deepEqual(
        followed.rows.map(({ id, vector }) => [id, vector]),
        [[rows[1]!.id, Float32Array.of(5, 6)]],
      )
      assert.equal(followed.through, followed.position)
    },

    'everything derived is what it derives from': async ({ notes, ledger }) => {
      const { added } = await notes.put({ source: 'a', spans: spans('one', 'two', 'three') })
      await notes.session('s').register({ text: `x [[${added[0]}]] [[${added[2]}]]` })
      await notes.retire([added[0]!])
      await notes.put({ source: 'a', spans: spans('two', 'one', 'four') })
      assert.deepEqual(await ledger.verify(false), [])
    },
  })
}

const byParagraph = {
  id: 'conformance/paragraphs',
  chunk: (source: string) =>
    [...source.matchAll(/\S(?:.|\n(?!\n))*/g)].map(({ index, 0: text }) => ({
      start: index,
      end: index + text.length,
      text,
    })),
}

const putVectors = (notes: Collection, vectors: readonly Float32Array[]) =>
  notes.putMany(vectors.map((vector, i) => ({ source: `v${i}`, spans: [{ text: `number ${i}`, vector }] })))

const METADATA = [
  {},
  { a: 1 },
  { a: true },
  { a: null },
  { a: '1' },
  { a: [1, 'x'] },
  { a: { b: 'é', 'c.d': -0 } },
  { a: 2 ** 60, b: 'zzz' },
  { a: 'text with "quotes"', b: false },
]

const FILTERS: readonly Where[] = [
  { a: 1 },
  { a: { $ne: 1 } },
  { a: null },
  { a: { $exists: false } },
  { a: { $in: [1, '1', true] } },
  { a: { $gt: 0 } },
  { a: { $gte: '1' } },
  { a: { $contains: 'x' } },
  { a: { $contains: 'quotes' } },
  { 'a.b': 'é' },
  { 'a.c\\.d': 0 },
  { 'a.1': 'x' },
  { a: { $eq: { 'c.d': 0, b: 'é' } } },
  { $or: [{ b: false }, { $not: { a: { $exists: true } } }] },
  { $and: [{ a: 2 ** 60 }, { b: { $lt: 'zzzz' } }] },
]
