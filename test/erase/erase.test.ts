import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { paragraphs } from '../../src/chunking/index.ts'
import { type Collection, isSpanStoreError, openStore, type Store } from '../../src/index.ts'

/** Looks for bytes in every file of the store, whatever it is called. */
function filesWith(directory: string, text: string): string[] {
  const bytes = Buffer.from(text)
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => readFileSync(path).includes(bytes))
}

let directory: string
let store: Store
let notes: Collection

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'spanstore-erase-'))
  store = await openStore(directory)
  notes = await store.collection('notes')
})

afterEach(async () => {
  await store.close()
  rmSync(directory, { recursive: true, force: true })
})

const secret = (i: number) => `xylophone-${i}-quokka ${'lorem ipsum dolor '.repeat(i % 40)}zebra-${i}-end`

describe('erase', () => {
  it('leaves no trace of a text in any file once it reports complete', async () => {
    const { added } = await notes.put({
      source: 'diary',
      text: `Harmless.\n\n${secret(7)}`,
      chunker: paragraphs({ max: 200 }),
    })
    expect(filesWith(directory, 'xylophone-7-quokka')).not.toEqual([])
    const erased = await notes.erase({ keys: [added.at(-1)!] })
    expect(erased).toMatchObject({ complete: true, waitingFor: [] })
    expect(filesWith(directory, 'xylophone-7-quokka')).toEqual([])
    expect(filesWith(directory, 'zebra-7-end')).toEqual([])
  })

  it('leaves no trace after hundreds of erasures in any order, and harms nothing else', async () => {
    const keys: string[] = []
    for (let i = 0; i < 300; i++) {
      const { added } = await notes.put({
        source: `s${i}`,
        spans: [{ text: secret(i), metadata: { note: `meta-${i}-secret` } }],
      })
      keys.push(added[0]!)
      await notes.update({ keys: [added[0]!], metadata: { later: `amended-${i}-secret` } })
    }
    let seed = 42
    const random = () => {
      seed = (seed * 48271) % 2147483647
      return seed / 2147483647
    }
    const order = keys.map((key, i) => ({ key, i })).sort(() => random() - 0.5)
    const gone = order.slice(0, 150)
    for (const { key } of gone) expect((await notes.erase({ keys: [key] })).complete).toBe(true)
    for (const { key, i } of gone) {
      expect(filesWith(directory, `xylophone-${i}-quokka`), `text ${i}`).toEqual([])
      expect(filesWith(directory, `zebra-${i}-end`), `end of text ${i}`).toEqual([])
      expect(filesWith(directory, `meta-${i}-secret`), `metadata ${i}`).toEqual([])
      expect(filesWith(directory, `amended-${i}-secret`), `amended metadata ${i}`).toEqual([])
      expect(await notes.fetch(key)).toMatchObject({
        status: 'tombstone',
        tombstone: { reason: 'deleted', erasedAt: expect.any(Number) },
      })
    }
    for (const { key, i } of order.slice(150))
      expect(await notes.fetch(key)).toMatchObject({ span: { text: secret(i) } })
    expect(await store.verify()).toEqual([])
  }, 120_000)

  it('reaches the tombstones that held the same bytes, through lineage', async () => {
    const first = await notes.put({ source: 'doc', text: `Alpha beta gamma. ${secret(3)} Delta.` })
    const second = await notes.put({
      source: 'doc',
      text: `Alpha beta gamma, rewritten. ${secret(3)} Delta.`,
    })
    const erased = await notes.erase({ keys: second.added })
    expect(new Set(erased.erased)).toEqual(new Set([...first.added, ...second.added]))
    expect(filesWith(directory, 'xylophone-3-quokka')).toEqual([])
  })

  it('refuses to leave live spans with the same bytes, unless told to cascade', async () => {
    const first = await notes.put({ source: 'doc', text: `Alpha beta gamma. ${secret(5)} Delta.` })
    const second = await notes.put({
      source: 'doc',
      text: `Alpha beta gamma, rewritten. ${secret(5)} Delta.`,
    })
    const failure = await notes.erase({ keys: first.added }).catch((error: unknown) => error)
    expect(isSpanStoreError(failure, 'CASCADE_REQUIRED') && failure.detail.keys).toEqual(second.added)
    expect(filesWith(directory, 'xylophone-5-quokka')).not.toEqual([])
    expect((await notes.erase({ keys: first.added }, { cascade: true })).retired).toEqual(second.added)
    expect(filesWith(directory, 'xylophone-5-quokka')).toEqual([])
  })

  it('erases a whole source with every revision and the text between, and marks the gaps', async () => {
    const chunker = {
      id: 'lines',
      chunk: (text: string) =>
        [...text.matchAll(/^keep.*$/gm)].map((m) => ({
          start: m.index,
          end: m.index + m[0].length,
          text: m[0],
        })),
    }
    await notes.put({
      source: 'doc',
      text: 'keep one\nhidden-between-pangolin\nkeep two\n',
      chunker,
      metadata: { title: 'topsecret-title' },
    })
    await notes.put({ source: 'doc', text: 'keep one\nhidden-between-pangolin\nkeep three\n' })
    const erased = await notes.erase({ source: 'doc' })
    expect(erased.complete).toBe(true)
    for (const text of ['keep one', 'hidden-between-pangolin', 'keep three', 'topsecret-title'])
      expect(filesWith(directory, text), text).toEqual([])
    const { text, gaps } = await notes.read('doc', { revision: 1 })
    expect(text.trim()).toBe('')
    expect(gaps.every((gap) => gap.why === 'erased')).toBe(true)
    expect(gaps.reduce((sum, gap) => sum + gap.length, 0) + text.length).toBe(
      'keep one\nhidden-between-pangolin\nkeep two\n'.length,
    )
  })

  it('refuses the erased text from its source afterwards, unless it is readmitted', async () => {
    const { added } = await notes.put({ source: 'doc', text: secret(9) })
    await notes.erase({ keys: added })
    await expect(notes.put({ source: 'doc', text: secret(9) })).rejects.toMatchObject({
      code: 'ERASED_TEXT',
      detail: { source: 'doc', ordinals: [0] },
    })
    await expect(notes.append({ source: 'doc', spans: [{ text: secret(9) }] })).rejects.toMatchObject({
      code: 'ERASED_TEXT',
    })
    expect((await notes.put({ source: 'other', text: secret(9) })).outcome).toBe('created')
    expect((await notes.put({ source: 'doc', text: secret(9), readmit: true })).added).toHaveLength(1)
  })

  it('erases a summary with its claims, and tells who still carries the text', async () => {
    const { added } = await notes.put({ source: 'doc', text: secret(11) })
    const session = notes.session('agent')
    const summary = await session.register({ text: `Someone saw a wombat-vault-code. [[${added[0]}]]` })
    await notes.put({ source: 'copy', text: secret(11) })
    const erased = await notes.erase({ keys: added })
    expect(erased.alsoIn).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ key: summary.key, session: 'agent' }),
        expect.objectContaining({ source: 'copy' }),
      ]),
    )
    expect((await notes.erase({ keys: [summary.key] })).complete).toBe(true)
    expect(filesWith(directory, 'wombat-vault-code')).toEqual([])
    expect(await store.fetch(summary.key)).toMatchObject({
      status: 'tombstone',
      tombstone: { reason: 'discarded' },
    })
  })

  it('waits for a reader of the past instead of claiming to be complete', async () => {
    const { added } = await notes.put({ source: 'doc', text: secret(13) })
    const reader = new Database(join(directory, 'ledger.db'))
    reader.exec('BEGIN')
    reader.prepare('SELECT count(*) FROM span').get()
    const waiting = await notes.erase({ keys: added })
    expect(waiting.complete).toBe(false)
    expect(waiting.waitingFor).not.toEqual([])
    reader.exec('COMMIT')
    reader.close()
    expect(await notes.erase({ keys: added })).toMatchObject({ complete: true, already: added })
    expect(filesWith(directory, 'xylophone-13-quokka')).toEqual([])
  })
})
