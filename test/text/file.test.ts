import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { afterEach, describe, expect, test } from 'vitest'
import { openSqliteLedger } from '../../src/ledger/sqlite/ledger.ts'
import { absorb, write } from '../../src/text/absorb.ts'
import { openTextDatabase } from '../../src/text/database.ts'
import { joinParts } from '../../src/text/join.ts'
import { SqliteTextIndex } from '../../src/text/text-index.ts'
import { cleanUp, elsewhere, newDirectory, open, texts } from './stores.ts'

afterEach(cleanUp)

const removeIndex = (directory: string) => {
  for (const name of readdirSync(directory)) if (name.startsWith('text.db')) rmSync(join(directory, name))
}

const bytesOf = (directory: string) =>
  readdirSync(directory)
    .filter((name) => name.startsWith('text.db'))
    .map((name) => readFileSync(join(directory, name), 'latin1'))
    .join('')

/** A closed store whose index is complete. */
async function prepared(count = 300) {
  const directory = newDirectory()
  const store = await open(directory)
  const notes = await store.collection('notes')
  await notes.put({
    source: 's',
    spans: Array.from({ length: count }, (_, i) => ({ text: `heron number ${i}` })),
  })
  await notes.search({ text: 'heron' })
  await store.close()
  return directory
}

const find = async (directory: string, text: string) => {
  const store = await open(directory)
  const result = await (await store.collection('notes')).search({ text, k: 1000 })
  await store.close()
  return result
}

describe('the file of the index', () => {
  test('can be deleted', async () => {
    const directory = await prepared()
    removeIndex(directory)
    expect(await find(directory, 'heron')).toMatchObject({ complete: true, hits: { length: 300 } })
  })

  test.each([
    ['nonsense', (_: Buffer) => Buffer.from('this is not a database, not at all'.repeat(300))],
    ['half of it', (file: Buffer) => file.subarray(0, 6_000)],
    [
      'zeroes behind the first page',
      (file: Buffer) => Buffer.concat([file.subarray(0, 4096), Buffer.alloc(file.length - 4096)]),
    ],
    ['nothing', (_: Buffer) => Buffer.alloc(0)],
  ])('can be damaged: %s', async (_, damage) => {
    const directory = await prepared()
    const file = join(directory, 'text.db')
    writeFileSync(file, damage(readFileSync(file)))
    expect(await find(directory, 'heron')).toMatchObject({ complete: true, hits: { length: 300 } })
  })

  test('can be damaged while it is open', async () => {
    const directory = await prepared()
    const store = await open(directory)
    const notes = await store.collection('notes')
    await notes.search({ text: 'heron' })
    const other = new Database(join(directory, 'text.db')).unsafeMode()
    const [table] = other
      .prepare(`SELECT name FROM sqlite_schema WHERE name LIKE 'text\\_%\\_data' ESCAPE '\\'`)
      .pluck()
      .all() as [string]
    other.prepare(`UPDATE ${table} SET block = zeroblob(20)`).run()
    other.close()
    await notes.append({ source: 'more', spans: [{ text: 'one more heron' }] })
    expect((await notes.search({ text: 'heron', k: 1000 })).hits).toHaveLength(301)
  })

  test('is compared and repaired by verify', async () => {
    const directory = await prepared(300)
    const store = await open(directory)
    const notes = await store.collection('notes')
    expect(await store.verify()).toEqual([])
    const other = new Database(join(directory, 'text.db'))
    other.exec('DELETE FROM text_1 WHERE rowid IN (3, 4)')
    other.exec(`INSERT INTO text_1 (rowid, text) VALUES (9999, 'heron')`)
    other.close()
    // The row that does not belong there is no hit, whatever the index says.
    expect((await notes.search({ text: 'heron', k: 1000 })).hits).toHaveLength(298)
    expect(await store.verify()).toMatchObject([{ code: 'WRONG_TEXT_INDEX', repaired: false }])
    expect(await store.verify({ repair: true })).toMatchObject([{ code: 'WRONG_TEXT_INDEX', repaired: true }])
    expect(await store.verify()).toEqual([])
    expect((await notes.search({ text: 'heron', k: 1000 })).hits).toHaveLength(300)
  })

  test('that is damaged is told by verify, which makes it anew as every search would', async () => {
    const directory = await prepared(300)
    await find(directory, 'heron')
    const file = join(directory, 'text.db')
    const bytes = readFileSync(file)
    writeFileSync(file, bytes.fill(7, 8_192))
    const store = await open(directory)
    expect(await store.verify()).toMatchObject([{ code: 'WRONG_TEXT_INDEX', repaired: true }])
    expect(await store.verify()).toEqual([])
    const notes = await store.collection('notes')
    expect((await notes.search({ text: 'heron', k: 1000 })).hits).toHaveLength(300)
  })

  test('of another store is made anew', async () => {
    const [mine, other] = [await prepared(3), await prepared(5)]
    removeIndex(mine)
    cpSync(join(other, 'text.db'), join(mine, 'text.db'))
    expect((await find(mine, 'heron')).hits).toHaveLength(3)
  })

  test('is made anew when the ledger went back in time', async () => {
    const directory = await prepared(10)
    cpSync(join(directory, 'ledger.db'), join(directory, 'kept.db'))
    let store = await open(directory)
    await (await store.collection('notes')).append({ source: 'b', spans: [{ text: 'a lost gull' }] })
    expect((await (await store.collection('notes')).search({ text: 'gull' })).hits).toHaveLength(1)
    await store.close()
    cpSync(join(directory, 'kept.db'), join(directory, 'ledger.db'))
    expect((await find(directory, 'gull')).hits).toEqual([])
    expect((await find(directory, 'heron')).hits).toHaveLength(10)

    // Also when the log has since grown past the place where the index stood.
    store = await open(directory)
    await (await store.collection('notes')).append({ source: 'b', spans: [{ text: 'another gull' }] })
    expect((await (await store.collection('notes')).search({ text: 'gull' })).hits).toHaveLength(1)
    await store.close()
    cpSync(join(directory, 'kept.db'), join(directory, 'ledger.db'))
    store = await open(directory)
    const notes = await store.collection('notes')
    await notes.append({ source: 'c', spans: [{ text: 'a plover' }] })
    await notes.append({ source: 'c', spans: [{ text: 'a plover again' }] })
    expect(texts(await notes.search({ text: 'gull plover' })).sort()).toEqual(['a plover', 'a plover again'])
  })

  test('can be deleted while it is open', async () => {
    const directory = await prepared(3)
    const store = await open(directory)
    const notes = await store.collection('notes')
    await notes.put({ source: 'secret', text: 'the password is xyzzyplugh' })
    await notes.search({ text: 'password' })
    removeIndex(directory)
    // Another process makes it anew, this one erases.
    await elsewhere(directory, `await (await store.collection('notes')).search({ text: 'password' })`)
    expect(bytesOf(directory)).toContain('xyzzy')
    expect(await notes.erase({ source: 'secret' })).toMatchObject({ complete: true })
    expect(bytesOf(directory)).not.toContain('xyzzy')
    expect((await notes.search({ text: 'heron password' })).hits).toHaveLength(3)
  })

  test('holds no lock of the ledger while it is written', async () => {
    const directory = await prepared(3)
    const path = join(directory, 'ledger.db')
    const ledger = openSqliteLedger(path, { wait: 0 })
    const database = openTextDatabase(ledger, path)
    const other = openSqliteLedger(path, { wait: 0 })
    await write(database, () => {
      expect(absorb(database, 1)).toBe(0)
      return other.transact(() => 'committed')
    })
    expect(await other.transact(() => 'committed')).toBe('committed')
    database.connection.db.close()
    await other.close()
    await ledger.close()
  })

  test('is not needed to read, and costs a write nothing', async () => {
    const directory = newDirectory()
    const store = await open(directory)
    const notes = await store.collection('notes')
    await notes.put({ source: 's', text: 'a heron' })
    await notes.find()
    expect(existsSync(join(directory, 'text.db'))).toBe(false)
  })

  test('catches up by itself when nothing happens', async () => {
    const directory = newDirectory()
    const ledger = openSqliteLedger(join(directory, 'ledger.db'), { onCommit: () => index.wake() })
    const index = new SqliteTextIndex(ledger, join(directory, 'ledger.db'), { idle: 20 })
    await ledger.openCollection('notes', undefined, { recreate: false, create: true })
    for (let i = 0; i < 100 && !existsSync(join(directory, 'text.db')); i++) await sleep(20)
    expect(existsSync(join(directory, 'text.db'))).toBe(true)
    await index.close()
    await ledger.close()
  })
})

describe('the parts of an index', () => {
  /** A word among the first and one among the last, which share next to nothing with others. */
  const secret = (i: number) => ['a', 'z'].map((first) => `${first}${letter(i)}qx${letter(i)}wv`).join(' ')
  const letter = (i: number) => String.fromCharCode(98 + i)

  /** Absorbed in so many commits that it has several parts. */
  async function inParts() {
    const directory = newDirectory()
    const notes = await (await open(directory)).collection('notes')
    const ledger = openSqliteLedger(join(directory, 'ledger.db'))
    const index = new SqliteTextIndex(ledger, join(directory, 'ledger.db'), { idle: 20 })
    const { ref } = (await ledger.collections())[0]!
    for (let i = 0; i < 11; i++) {
      const spans = Array.from({ length: 400 }, (_, j) => ({
        text: `heron ${i * 400 + j} ${'ab'.repeat(j % 9)}`,
      }))
      await notes.put({ source: `s${i}`, spans: [...spans, { text: secret(i) }] })
      await index.catchUp({ collection: ref })
    }
    const database = openTextDatabase(ledger, join(directory, 'ledger.db'))
    const parts = () =>
      database.connection.value<number>(`SELECT count(DISTINCT segid) FROM text_${ref}_idx`)!
    const close = async () => {
      database.connection.db.close()
      await index.close()
      await ledger.close()
    }
    return { directory, notes, index, ref, database, parts, close }
  }

  test('are joined when nobody writes, and nothing is lost by it', async () => {
    const { notes, index, ref, database, parts, close } = await inParts()
    expect(parts()).toBeGreaterThan(1)
    index.wake()
    for (let i = 0; i < 500 && parts() > 1; i++) await sleep(20)
    expect(parts()).toBe(1)
    expect(
      (await index.search(ref, { text: 'heron', limit: 10_000, offset: 0, highlight: false })).hits,
    ).toHaveLength(4_400)
    expect(await index.verify(false)).toEqual([])
    // A little more is not worth it.
    await notes.put({ source: 'more', text: 'one more heron' })
    await index.catchUp()
    await joinParts(database, ref, () => {})
    expect(parts()).toBe(2)
    await close()
  })

  test('hold nothing of what was erased while they were joined', async () => {
    const { directory, notes, index, ref, database, close } = await inParts()
    let steps = 0
    // Some words were copied, others not.
    const stopped = joinParts(database, ref, () => {
      if (++steps > 1) throw new Error('enough')
    })
    await expect(stopped).rejects.toThrow('enough')
    await index.catchUp()
    for (const i of [0, 5, 10]) {
      const written = `qx${letter(i)}wv`
      expect(bytesOf(directory)).toContain(written)
      const { hits } = await notes.search({ text: secret(i) })
      expect(await notes.erase({ keys: hits.map(({ key }) => key) })).toMatchObject({ complete: true })
      expect(bytesOf(directory)).not.toContain(written)
    }
    await close()
  })
})

describe('several processes', () => {
  test('see what the others write', async () => {
    const directory = await prepared(3)
    const store = await open(directory)
    const notes = await store.collection('notes')
    expect((await notes.search({ text: 'heron' })).hits).toHaveLength(3)
    await elsewhere(
      directory,
      `const notes = await store.collection('notes')
       await notes.put({ source: 's', text: 'a gull' })`,
    )
    expect(texts(await notes.search({ text: 'heron gull' }))).toEqual(['a gull'])
  })

  test('may all catch up at once', async () => {
    const directory = await prepared(6_000)
    removeIndex(directory)
    const code = `
      const notes = await store.collection('notes')
      const counts = []
      for (let i = 0; i < 30; i++) {
        await notes.append({ source: 'log' + process.pid, spans: [{ text: 'a plover' }] })
        const { hits, complete } = await notes.search({ text: 'plover', k: 1000 })
        counts.push(complete && hits.length > i)
      }
      const { complete } = await notes.search({ text: '"number 5999"' })
      return counts.every(Boolean) && complete`
    expect(await Promise.all([elsewhere(directory, code), elsewhere(directory, code)])).toEqual([true, true])
    expect((await find(directory, 'plover')).hits).toHaveLength(60)
    expect((await find(directory, 'heron')).hits).toHaveLength(1000)
    const db = new Database(join(directory, 'text.db'), { readonly: true })
    expect(db.prepare('SELECT rows FROM text_state').pluck().get()).toBe(6_060)
    db.close()
  })

  test('that hold the index make an answer incomplete, not wrong', async () => {
    const directory = await prepared(3)
    const ledger = openSqliteLedger(join(directory, 'ledger.db'))
    const index = new SqliteTextIndex(ledger, join(directory, 'ledger.db'), { wait: 50 })
    const { ref } = (await ledger.collections())[0]!
    const query = { text: 'heron', limit: 10, offset: 0, highlight: false }
    await index.search(ref, query)
    const other = new Database(join(directory, 'text.db'))
    other.exec('BEGIN IMMEDIATE')
    const keys = (await ledger.find(ref, { limit: 1, offset: 0 })).map(({ key }) => key)
    await ledger.retire(ref, keys, 'deleted', {})
    const answer = await index.search(ref, query)
    expect(answer.hits).toHaveLength(2)
    expect(answer.position - answer.indexedThrough).toBe(1)
    other.exec('COMMIT')
    other.close()
    expect(await index.search(ref, query)).toMatchObject({ hits: { length: 2 } })
    await index.close()
    await ledger.close()
  })
})

describe('erase', () => {
  test('leaves no byte of the text in the index or its log', async () => {
    const directory = newDirectory()
    const store = await open(directory)
    const notes = await store.collection('notes')
    const spans = Array.from({ length: 3_000 }, (_, i) => ({ text: `heron number ${i} in the reeds` }))
    for (let i = 0; i < 5; i++) {
      await notes.put({ source: `s${i}`, spans })
      await notes.put({ source: `secret${i}`, text: `the password is xyzzyplugh${i} swordfish` })
      await notes.search({ text: 'heron' })
    }
    expect(bytesOf(directory)).toContain('xyzzyplugh')
    for (let i = 0; i < 5; i++) {
      // Retired and absorbed before, retired and not absorbed, live.
      if (i < 2) await notes.remove({ source: `secret${i}` })
      if (i === 0) await notes.search({ text: 'heron' })
      expect(await notes.erase({ source: `secret${i}` }, { cascade: true })).toMatchObject({ complete: true })
    }
    expect(bytesOf(directory)).not.toContain('xyzzy')
    expect(bytesOf(directory)).not.toContain('swordfish')
    expect((await notes.search({ text: 'heron', k: 1000 })).hits).toHaveLength(1000)
    expect((await notes.search({ text: 'xyzzyplugh*' })).hits).toEqual([])
    await store.close()
    expect(bytesOf(directory)).not.toContain('xyzzy')
  })

  test('says what it waits for, and finishes later', async () => {
    const directory = newDirectory()
    const store = await open(directory)
    const notes = await store.collection('notes')
    await notes.put({ source: 's', text: 'the password is xyzzyplugh' })
    await notes.search({ text: 'password' })
    const reader = new Database(join(directory, 'text.db'))
    reader.exec('BEGIN')
    reader.prepare('SELECT count(*) FROM text_state').get()
    const erased = await notes.erase({ source: 's' })
    expect(erased.complete).toBe(false)
    expect(erased.waitingFor.join()).toContain('text.db')
    reader.close()
    const ledger = openSqliteLedger(join(directory, 'ledger.db'))
    const index = new SqliteTextIndex(ledger, join(directory, 'ledger.db'))
    expect(await index.erase([])).toEqual([])
    expect(bytesOf(directory)).not.toContain('xyzzy')
    await index.close()
    await ledger.close()
  })

  test('of another process is finished here', async () => {
    const directory = await prepared(50)
    await elsewhere(
      directory,
      `const notes = await store.collection('notes')
       await notes.put({ source: 'secret', text: 'the password is xyzzyplugh' })
       await notes.search({ text: 'password' })
       await notes.erase({ source: 'secret' })`,
    )
    expect(bytesOf(directory)).not.toContain('xyzzy')
    expect((await find(directory, 'heron')).hits).toHaveLength(50)
  })
})
