import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { openStore, restoreBackup } from '../../src/index.ts'
import { temporary } from './helpers.ts'

const text = (i: number) => `Sentence number ${i} of a document, long enough to be told from the others.`

describe('a backup', () => {
  it('made while the store is written to is one state of it, and opens as a store', async () => {
    const directory = temporary()
    await using store = await openStore(join(directory, 'store'))
    const notes = await store.collection('notes')
    for (let i = 0; i < 200; i++) await notes.put({ source: `s${i}`, text: text(i) })
    const fact = await notes.put({ source: 'fact', text: text(1000) })
    const summary = await notes.session('a').register({ text: `Said. [[${fact.added[0]}]]` })
    await notes.put({ source: 'fact', text: 'Now it says something else altogether.' })

    let writing = true
    const writer = (async () => {
      for (let i = 0; writing; i++) await notes.put({ source: 'busy', text: text(i) })
    })()
    const steps: number[] = []
    const backup = await store.backup(join(directory, 'backup'), { onProgress: (done) => steps.push(done) })
    writing = false
    await writer
    expect(backup).toMatchObject({ store: store.id, files: [{ name: 'ledger.db' }] })
    expect(backup.files[0]!.sha256).toMatch(/^[0-9a-f]{64}$/)
    expect(steps.length).toBeGreaterThan(0)

    await restoreBackup(join(directory, 'backup'), join(directory, 'restored'))
    await using restored = await openStore(join(directory, 'restored'), { create: false })
    expect(restored.id).toBe(store.id)
    const again = await restored.collection('notes')
    expect(await again.fetch(summary.key)).toMatchObject({ status: 'ok', span: { state: 'stale' } })
    expect(await again.fetch(fact.added[0]!)).toMatchObject({ status: 'tombstone' })
    expect(await again.count()).toBeGreaterThanOrEqual(201)
    expect((await again.search({ text: 'number 7' })).hits.length).toBeGreaterThan(0)
    expect(await restored.verify()).toEqual([])
  })

  it('that was damaged is refused, and a directory in use is not overwritten', async () => {
    const directory = temporary()
    await using store = await openStore(join(directory, 'store'))
    await (await store.collection('notes')).put({ source: 's', text: text(1) })
    await store.backup(join(directory, 'backup'))
    await expect(store.backup(join(directory, 'backup'))).rejects.toMatchObject({ code: 'BACKUP_INVALID' })
    mkdirSync(join(directory, 'taken'))
    writeFileSync(join(directory, 'taken', 'file'), 'somebody else’s')
    await expect(restoreBackup(join(directory, 'backup'), join(directory, 'taken'))).rejects.toMatchObject({
      code: 'BACKUP_INVALID',
    })
    appendFileSync(join(directory, 'backup', 'ledger.db'), 'one bit more')
    await expect(restoreBackup(join(directory, 'backup'), join(directory, 'new'))).rejects.toMatchObject({
      code: 'BACKUP_INVALID',
      detail: { file: 'ledger.db' },
    })
  })
})

describe('verify', () => {
  const damages: [string, string, string][] = [
    ['a missing cause', 'DELETE FROM cause', 'MISSING_CAUSE'],
    [
      'a cause of nothing',
      'INSERT INTO cause SELECT max(span), min(support), 1 FROM summary, dependency WHERE span NOT IN (SELECT dependent FROM cause)',
      'SURPLUS_CAUSE',
    ],
    ['a wrong live count of a source', 'UPDATE source_head SET live = live + 1', 'WRONG_COUNT'],
    ['a wrong live count of a collection', 'UPDATE collection_head SET live = live + 5', 'WRONG_COUNT'],
    ['a wrong position of a collection', 'UPDATE collection_head SET position = position + 3', 'WRONG_HEAD'],
    ['a lost identical', 'DELETE FROM identical', 'WRONG_IDENTICAL'],
  ]

  it.each(damages)('finds %s and sets it right', async (_, sql, code) => {
    const directory = temporary()
    await using store = await openStore(directory)
    const notes = await store.collection('notes')
    const gone = await notes.put({ source: 'gone', text: text(1) })
    const back = await notes.put({ source: 'back', text: text(2) })
    const session = notes.session('a')
    const stale = await session.register({ text: `Stale. [[${gone.added[0]}]]` })
    const current = await session.register({ text: `Current again. [[${back.added[0]}]]` })
    await notes.put({ source: 'gone', text: 'Nothing like what stood here before.' })
    await notes.retire(back.added, { reason: 'evicted' })
    await notes.put({ source: 'back', text: text(2) })
    expect(await store.verify()).toEqual([])

    const db = new Database(join(directory, 'ledger.db'))
    expect(db.prepare(sql).run().changes).toBeGreaterThan(0)
    db.close()
    const found = await store.verify()
    expect(found.map((problem) => problem.code)).toContain(code)
    expect(found.every((problem) => !problem.repaired)).toBe(true)
    const repaired = await store.verify({ repair: true })
    expect(repaired.every((problem) => problem.repaired)).toBe(true)
    expect(await store.verify()).toEqual([])
    expect(await notes.fetch(stale.key)).toMatchObject({ span: { state: 'stale' } })
    expect(await notes.fetch(current.key)).toMatchObject({ span: { state: 'current', causes: [] } })
    expect((await notes.put({ source: 'more', text: text(3) })).outcome).toBe('created')
  })
})
