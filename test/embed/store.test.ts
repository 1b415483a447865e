import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, describe, expect, test } from 'vitest'
import { openaiEmbedder } from '../../src/embed/index.ts'
import { openStore, type Store } from '../../src/index.ts'
import { type Answer, listOf, serve, stopServers, vectorOf } from './server.ts'

const directory = mkdtempSync(join(tmpdir(), 'spanstore-embed-'))
const stores: Store[] = []

afterEach(async () => {
  for (const store of stores.splice(0)) await store.close()
  rmSync(directory, { recursive: true, force: true })
  await stopServers()
})

/** A store in a directory, for its ledger to be looked into. */
async function open(trouble: (texts: readonly string[]) => Answer | undefined = () => undefined) {
  const server = await serve(({ body }) => trouble(body.input) ?? { body: listOf(body.input) })
  const embedder = openaiEmbedder({ baseUrl: server.baseUrl, model: 'tiny', retries: 0 })
  const store = await openStore(directory, { embedder })
  stores.push(store)
  return {
    notes: await store.collection('notes'),
    asked: () => server.asked.map(({ body }) => body.input),
    embedder,
  }
}

function stored(): Buffer[] {
  const ledger = new Database(join(directory, 'ledger.db'), { readonly: true })
  try {
    return ledger.prepare('SELECT vector FROM embedding ORDER BY rowid').pluck().all() as Buffer[]
  } finally {
    ledger.close()
  }
}

const bytesOf = (text: string) => Buffer.from(Float32Array.from(vectorOf(text)).buffer)

describe('a store with an embedder', () => {
  test('keeps the vectors exactly', async () => {
    const { notes } = await open()
    await notes.put({ source: 's', spans: [{ text: 'one' }, { text: 'three' }] })
    expect(stored()).toEqual([bytesOf('one'), bytesOf('three')])
  })

  test('asks for new texts only, once each, and never for blank ones', async () => {
    const { notes, asked } = await open()
    const spans = [{ text: 'one' }, { text: ' ' }, { text: 'two' }, { text: 'one' }]
    await notes.put({ source: 's', spans })
    await notes.put({ source: 's', spans })
    expect(asked()).toEqual([['one', 'two']])
    await notes.put({ source: 's', spans: [{ text: 'zero' }, ...spans] })
    await notes.put({ source: 't', spans: [{ text: 'two' }] })
    await notes.append({ source: 't', spans: [{ text: 'one' }, { text: 'three' }] })
    expect(asked()).toEqual([['one', 'two'], ['zero'], ['three']])
    expect(stored()).toHaveLength(4)
  })

  test('never takes equal vectors for equal texts', async () => {
    const { notes } = await open()
    // Equal vectors, different texts: two spans.
    const { added } = await notes.put({ source: 's', spans: [{ text: 'abc' }, { text: 'axc' }] })
    expect(added).toHaveLength(2)
    const { retired } = await notes.put({ source: 's', spans: [{ text: 'abc' }, { text: 'ayc' }] })
    expect(retired).toHaveLength(1)
  })

  test.each<[string, Answer]>([
    ['fails', { status: 500, body: 'oops' }],
    ['answers too few', { body: { data: [] } }],
    ['answers no numbers', { body: { data: [{ embedding: [null, 1, 2] }] } }],
  ])('that %s stays as it was', async (_, trouble) => {
    const { notes, embedder } = await open((texts) => (texts.includes('bad') ? trouble : undefined))
    const before = await notes.put({ source: 's', spans: [{ text: 'one' }, { text: 'two' }] })
    const failure = { code: 'EMBEDDER_FAILED', detail: { embedder: embedder.id } }
    await expect(notes.put({ source: 's', spans: [{ text: 'one' }, { text: 'bad' }] })).rejects.toMatchObject(
      failure,
    )
    await expect(
      notes.putMany([
        { source: 't', text: 'good' },
        { source: 'u', text: 'bad' },
      ]),
    ).rejects.toMatchObject(failure)
    await expect(notes.append({ source: 's', spans: [{ text: 'bad' }] })).rejects.toMatchObject(failure)
    expect((await notes.read('s')).text).toBe('one\ntwo')
    expect(await notes.history('s')).toHaveLength(1)
    expect(await notes.source('t')).toMatchObject({ status: 'absent' })
    expect(await notes.put({ source: 's', spans: [{ text: 'one' }, { text: 'two' }] })).toMatchObject({
      outcome: 'unchanged',
      position: before.position,
    })
    expect(stored()).toEqual([bytesOf('one'), bytesOf('two')])
  })

  test('takes the text without vectors when told to defer', async () => {
    const { notes, asked } = await open(() => ({ status: 500, body: 'oops' }))
    expect(await notes.put({ source: 's', text: 'bad', defer: true })).toMatchObject({ outcome: 'created' })
    expect(asked()).toEqual([])
  })
})
