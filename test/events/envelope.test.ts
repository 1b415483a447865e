import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import { EVENT_TYPES, type EventType, type StoreEvent } from '../../src/core/event.ts'
import { eventSchema, type JsonSchema } from '../../src/core/event-schema.ts'
import type { Json } from '../../src/core/json.ts'
import { openStore } from '../../src/index.ts'
import { EVENT } from '../../src/ledger/sqlite/codes.ts'
import { readEvents } from '../../src/ledger/sqlite/events.ts'
import { closeLedgers, newLedger } from './ledger.ts'

afterEach(closeLedgers)

/** What is wrong with a value, by the part of JSON Schema that event schemas use, strict about unknown members. */
function faults(schema: JsonSchema, value: Json | undefined, path = '$'): string[] {
  if (value === undefined) return [`${path} is missing`]
  const text = JSON.stringify(value)
  const known = ['$schema', 'title', 'description', 'format', 'type', 'properties', 'required', 'items']
  const unknown = Object.keys(schema).filter(
    (word) => ![...known, 'const', 'enum', 'pattern', 'minimum'].includes(word),
  )
  if (unknown.length > 0) return [`${path}: schema uses ${unknown}`]
  const found: string[] = []
  const wrong = (fault: boolean, what: string) => fault && found.push(`${path}: ${text} ${what}`)
  const type = Array.isArray(value) ? 'array' : Number.isInteger(value) ? 'integer' : typeof value
  wrong('type' in schema && schema.type !== type, `is no ${schema.type}`)
  wrong('const' in schema && schema.const !== value, `is not ${schema.const}`)
  wrong('enum' in schema && !(schema.enum as Json[]).includes(value), 'is not one of the words')
  wrong('pattern' in schema && !new RegExp(String(schema.pattern)).test(String(value)), 'does not match')
  wrong('minimum' in schema && Number(value) < Number(schema.minimum), 'is too small')
  wrong(schema.format === 'date-time' && new Date(String(value)).toISOString() !== value, 'is no time')
  if (type === 'array' && 'items' in schema)
    for (const [i, item] of (value as Json[]).entries())
      found.push(...faults(schema.items as JsonSchema, item, `${path}[${i}]`))
  if (type === 'object' && 'properties' in schema) {
    const members = value as { [name: string]: Json }
    const properties = schema.properties as { [name: string]: JsonSchema }
    for (const name of Object.keys(members))
      if (properties[name] === undefined) found.push(`${path}.${name} is not in the schema`)
    for (const [name, property] of Object.entries(properties))
      if (name in members || (schema.required as string[]).includes(name))
        found.push(...faults(property, members[name], `${path}.${name}`))
  }
  return found
}

const validate = (events: readonly StoreEvent[]) => {
  for (const event of events) {
    const plain = JSON.parse(JSON.stringify(event)) as { [name: string]: Json }
    delete plain.attempt
    delete plain.redelivered
    expect(faults(eventSchema(event.type), plain)).toEqual([])
  }
}

const given = (texts: readonly string[]) => texts.map((text) => ({ text }))

const drain = async (source: AsyncIterable<StoreEvent>) => {
  const all: StoreEvent[] = []
  for await (const event of source) all.push(event)
  return all
}

const only = <T extends EventType>(events: readonly StoreEvent[], type: T) =>
  events.filter((event): event is Extract<StoreEvent, { type: T }> => event.type === type)

describe('an event', () => {
  test('of every type the store writes fits its schema and says what happened', async () => {
    const store = await openStore(':memory:')
    const notes = await store.collection('notes', { metric: 'cosine' })
    const spans = [
      'The first paragraph says one thing.',
      'The second says another, at some length as well.',
      'The third is quiet, and long enough to be recognised elsewhere.',
    ]
    const v1 = await notes.put({ source: 'a.md', spans: given(spans) })
    const [first, second, third] = v1.added as unknown as [string, string, string]
    const session = notes.session('agent')
    const summary = await session.register({ text: `One thing [[${first}]]. Another [[${second}]].` })
    const above = await session.register({ text: `All of it [[${summary.key}]].` })
    const edited = spans.with(1, 'The second says something else now, at some length.')
    const v2 = await notes.put({ source: 'a.md', spans: given(edited) })
    await notes.put({ source: 'a.md', spans: given(spans) })
    await notes.put({ source: 'a.md', spans: given([spans[2]!, spans[0]!, spans[1]!]) })
    await notes.update({ keys: [third], metadata: { seen: true } })
    const other = notes.session('another agent')
    await other.register({ text: `One thing [[${first}]].` })
    const replacement = await session.register({
      text: `One thing [[${first}]].`,
      replaces: summary.key,
    })
    await notes.retire([above.key])
    await notes.remove({ source: 'a.md' })
    await other.boundary()
    await other.discardEpoch()
    await other.reconcile({ summarize: () => undefined })
    await notes.erase({ keys: [third] })
    await store.renameCollection('notes', 'diary')
    await store.dropCollection('diary')
    const events = await drain(store.subscribe({ follow: false }))
    validate(events)
    expect(events.map(({ position }) => position)).toEqual(events.map((_, i) => i + 1))
    const info = { source: `spanstore:///${store.id}/${notes.id}`, collection: 'diary', specversion: '1.0' }
    expect(events[1]).toEqual({
      ...info,
      id: `${notes.id}:2`,
      type: 'span.added',
      subject: first,
      time: expect.any(String),
      sequence: '0000000000000002',
      position: 2,
      data: { source: 'a.md', revision: 1 },
      attempt: 1,
      redelivered: false,
    })
    const edit = only(events, 'span.retired')[0]!
    expect(edit).toMatchObject({
      subject: second,
      data: { source: 'a.md', reason: 'edited', successors: v2.added },
    })
    expect(only(events, 'summary.stale')[0]).toMatchObject({
      subject: summary.key,
      data: { session: 'agent', state: 'stale', cause: second },
    })
    expect(only(events, 'summary.stale')[1]).toMatchObject({
      subject: above.key,
      data: { state: 'suspect', cause: summary.key },
    })
    expect(only(events, 'summary.current').map(({ subject }) => subject)).toContain(above.key)
    expect(only(events, 'summary.registered').at(-1)).toMatchObject({
      subject: replacement.key,
      data: { session: 'agent', replaces: summary.key },
    })
    expect(only(events, 'summary.superseded')).toMatchObject([
      { subject: summary.key, data: { session: 'agent', successor: replacement.key } },
    ])
    expect(only(events, 'session.frozen')[0]!.data).toEqual({
      session: 'another agent',
      reason: 'signal 1: a cited key does not resolve',
    })
    expect(only(events, 'epoch.discarded')[0]!.data).toEqual({ session: 'another agent', epoch: 1 })
    expect(only(events, 'session.resumed')[0]!.data).toEqual({ session: 'another agent' })
    const discarded = only(events, 'span.retired').find(({ subject }) => subject === above.key)
    expect(discarded?.data).toEqual({ session: 'agent', reason: 'discarded', successors: [] })
    const types = new Set(events.map(({ type }) => type))
    // What remains is written by parts of the store that have tests of their own; here their rows are made by hand.
    const byHand = new Set(EVENT_TYPES.filter((type) => !types.has(type)))
    expect([...byHand]).toEqual(['index.rebuilt'])
    await store.close()
  })

  test('of a rebuilt index fits its schema', async () => {
    const ledger = newLedger()
    const notes = await ledger.collection('notes')
    await ledger.emit(notes, 1, 'index.rebuilt', { embedder: 'model@2' })
    const { events } = readEvents(ledger.connection, { collection: notes, after: 0, limit: 10 })
    expect(events).toHaveLength(2)
    validate(events)
  })

  test('has the time of its commit, whatever the time', () => {
    const ledger = newLedger()
    const { connection } = ledger
    connection.run("INSERT INTO collection (id, key, metric, at) VALUES (1, ?, 'l2', 0)", 'A'.repeat(26))
    connection.run(
      "INSERT INTO collection_head (collection, name, position, floor, live) VALUES (1, 'x', 0, 0, 0)",
    )
    let position = 0
    fc.assert(
      fc.property(fc.integer({ min: -62_135_596_800_000, max: 253_402_300_799_999 }), (at) => {
        position++
        connection.run(
          'INSERT INTO event (collection, position, type, at, data) VALUES (1, ?, ?, ?, ?)',
          position,
          EVENT['session.resumed'],
          at,
          '{}',
        )
        connection.run('UPDATE collection_head SET position = ?', position)
        const [event] = readEvents(connection, { collection: 1, after: position - 1, limit: 1 }).events
        expect(event!.time).toBe(new Date(at).toISOString())
      }),
    )
  })
})

describe('the log', () => {
  test('read in any strides, through any filter, is the whole log filtered', async () => {
    const store = await openStore(':memory:')
    const notes = await store.collection('notes')
    const session = notes.session('agent')
    for (let round = 0; round < 6; round++)
      for (const source of ['a', 'b', 'c']) {
        const put = await notes.put({
          source,
          text: `Kept.\n\nRound ${round} of ${source}.\n\nTail ${round % 2}.`,
        })
        if (put.added[0] !== undefined) await session.register({ text: `See [[${put.added[0]}]].` })
      }
    const all = await drain(store.subscribe({ follow: false }))
    const keys = [...new Set(all.flatMap(({ subject }) => (subject === undefined ? [] : [subject])))]
    const some = <T>(values: readonly T[]) =>
      fc.option(fc.subarray([...values], { minLength: 1 }), { nil: undefined })
    await fc.assert(
      fc.asyncProperty(
        some(EVENT_TYPES),
        some(['a', 'b', 'nowhere']),
        some(keys),
        fc.integer({ min: 1, max: 40 }),
        async (types, sources, keys, batch) => {
          const filter = { ...(types && { types }), ...(sources && { sources }), ...(keys && { keys }) }
          const read = await drain(store.subscribe({ follow: false, batch, ...filter }))
          const expected = all.filter(
            (event) =>
              (types?.includes(event.type) ?? true) &&
              (sources?.includes('source' in event.data ? (event.data.source ?? '') : '') ?? true) &&
              (keys?.includes(event.subject!) ?? true),
          )
          expect(read).toEqual(expected)
        },
      ),
      { numRuns: 60 },
    )
    await store.close()
  })
})
