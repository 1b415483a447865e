import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { openStore } from '../../src/index.ts'
import { temporary } from './helpers.ts'

describe('opening', () => {
  it('refuses a database of something else without touching it, its journal mode included', async () => {
    const directory = temporary()
    const other = new Database(join(directory, 'ledger.db'))
    other.exec('CREATE TABLE theirs (x)')
    other.close()
    await expect(openStore(directory)).rejects.toMatchObject({ code: 'STORE_CORRUPT' })
    const again = new Database(join(directory, 'ledger.db'))
    expect(again.pragma('journal_mode', { simple: true })).toBe('delete')
    again.close()
  })

  it('says so when the path is a file', async () => {
    const path = join(temporary(), 'file')
    writeFileSync(path, 'not a directory')
    await expect(openStore(path)).rejects.toMatchObject({ code: 'STORAGE_FAILED' })
  })

  it('refuses options of the wrong type by name', async () => {
    const directory = join(temporary(), 'new')
    for (const options of [null, { wait: 'x' }, { wait: -1 }, { create: 'no' }, { unknown: 1 }])
      await expect(openStore(directory, options as never)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
    expect(existsSync(directory)).toBe(false)
  })

  it('makes nothing with create: false', async () => {
    const directory = join(temporary(), 'new')
    await expect(openStore(directory, { create: false })).rejects.toMatchObject({ code: 'STORE_NOT_FOUND' })
    expect(existsSync(directory)).toBe(false)
  })

  it('answers with the position that includes what a write did to summaries', async () => {
    await using store = await openStore(':memory:')
    const notes = await store.collection('notes')
    const { added } = await notes.put({ source: 's', text: 'A fact that a summary stands on.' })
    const summary = await notes.session('a').register({ text: `Said. [[${added[0]}]]` })
    const { position } = await notes.put({
      source: 's',
      text: 'Another fact altogether, with nothing in common.',
    })
    expect(await notes.fetch(summary.key, { asOf: position })).toMatchObject({ span: { state: 'stale' } })
    expect((await store.collections())[0]!.position).toBe(position)
  })
})
