import { existsSync, mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { GUIDE } from '../../src/cli/demo/excerpts.ts'
import { type Key, openStore } from '../../src/index.ts'
import { newDirectory, removeDirectories, spanstore } from './command.ts'

/** A store with a key for each of the four results, and a summary that is stale. */
const cwd = newDirectory()
const keys: Record<string, Key> = {}
const run = (...args: string[]) => spanstore(args, { cwd })
const json = async (...args: string[]) => {
  const { out, code } = await run(...args, '--json')
  return { value: JSON.parse(out), code }
}

beforeAll(async () => {
  writeFileSync(join(cwd, 'guide.md'), GUIDE[0]!.text)
  await using store = await openStore(join(cwd, '.spanstore'))
  const collection = await store.collection('default')
  const first = await collection.put({ source: 'guide', text: GUIDE[0]!.text })
  const summary = await collection
    .session('agent-7')
    .register({ text: `No index is made unasked. [[${first.added[0]}]]` })
  const second = await collection.put({ source: 'guide', text: GUIDE[2]!.text })
  const record = await collection.put({ source: 'picture', text: null })
  await collection.put({ source: 'blank', text: '' })
  await collection.put({ source: 'gone', text: 'A text that was removed.' })
  await collection.remove({ source: 'gone' })
  Object.assign(keys, {
    ok: second.added[0],
    empty: record.added[0],
    tombstone: first.added[0],
    absent: `${first.added[0]!.slice(0, 20)}ZZZZZZ`,
    summary: summary.key,
  })
})
afterAll(removeDirectories)

describe.concurrent('fetch', () => {
  test.each([
    ['ok', 0],
    ['empty', 3],
    ['tombstone', 4],
    ['absent', 5],
  ])('answers %s, and exits with %i', async (status, exit) => {
    const { code, out, err } = await run('fetch', keys[status]!)
    expect(out).toMatch(new RegExp(`^${status}  ${keys[status]}`))
    expect({ code, err }).toEqual({ code: exit, err: '' })
  })

  test('answers several keys in their order, and exits with the gravest result', async () => {
    const { value, code } = await json('fetch', keys.absent!, keys.ok!, keys.tombstone!, keys.ok!)
    expect(value.map((result: { status: string }) => result.status)).toEqual([
      'absent',
      'ok',
      'tombstone',
      'ok',
    ])
    expect(code).toBe(5)
  })

  test('takes a key as it was copied: an anchor, or in small letters', async () => {
    expect((await run('fetch', `[[${keys.ok}]]`)).code).toBe(0)
    expect((await run('fetch', keys.ok!.toLowerCase())).code).toBe(0)
  })

  test('never gives a tombstone’s text away, and names where the text went', async () => {
    const { out } = await run('fetch', keys.tombstone!)
    expect(out).toContain('retired: edited')
    expect(out).toContain(keys.ok)
    expect(out).not.toContain('You can create an index')
  })

  test('answers from the past when the past is asked for', async () => {
    const { value, code } = await json('fetch', keys.tombstone!, '--as-of', '3')
    expect(value).toMatchObject({ status: 'ok', span: { source: 'guide' } })
    expect(code).toBe(0)
  })

  test('says why a summary is not current', async () => {
    const { out } = await run('fetch', keys.summary!)
    expect(out).toContain('stale')
    expect(out).toContain(`because ${keys.tombstone} is edited`)
  })
})

describe.concurrent('a source', () => {
  test.each([
    ['guide', 0],
    ['blank', 3],
    ['gone', 4],
    ['never', 5],
  ])('has the same four results: read %s exits with %i', async (source, exit) => {
    expect((await run('read', source)).code).toBe(exit)
  })

  test('is given back byte for byte, as it is and as it was', async () => {
    expect((await run('read', 'guide')).out).toBe(GUIDE[2]!.text)
    expect((await run('read', 'guide', '--revision', '1')).out).toBe(GUIDE[0]!.text)
  })
})

describe.concurrent('what became of it', () => {
  test('lineage draws the history of a span as a tree', async () => {
    const { out, code } = await run('lineage', keys.tombstone!)
    expect(code).toBe(0)
    expect(out).toContain(`${keys.tombstone}  tombstone (edited`)
    expect(out).toMatch(new RegExp(`└─ ${keys.ok}  ok|├─ ${keys.ok}  ok`))
    expect(out).toContain('← asked')
  })

  test('dependents draws what stands on a key, with its causes', async () => {
    const { out, code } = await run('dependents', keys.tombstone!)
    expect(code).toBe(0)
    expect(out).toContain(`└─ ${keys.summary}  stale  session agent-7  because of ${keys.tombstone}`)
  })

  test('both exit with 5 for a key that was never assigned', async () => {
    expect((await run('lineage', keys.absent!)).code).toBe(5)
    expect((await run('dependents', keys.absent!)).code).toBe(5)
  })

  test('history counts what each revision kept, added and retired', async () => {
    const { value } = await json('history', 'guide')
    expect(value.revisions).toHaveLength(2)
    const [first, second] = value.revisions
    expect(second.kept + second.added).toBe(second.spans)
    expect(second.kept + second.retired).toBe(first.spans)
  })

  test('search finds what is live, and nothing else', async () => {
    const { value, code } = await json('search', 'skip', 'index', 'creation')
    expect(code).toBe(0)
    expect(value.complete).toBe(true)
    expect(value.hits.length).toBeGreaterThan(0)
    for (const hit of value.hits) expect((await json('fetch', hit.key)).value.status).toBe('ok')
  })
})

describe.concurrent('every answer', () => {
  test.each([
    [['fetch', 'KEY']],
    [['find', '--limit', '3']],
    [['read', 'guide']],
    [['collections']],
    [['history', 'guide']],
    [['diff', 'guide']],
    [['lineage', 'KEY']],
    [['dependents', 'KEY']],
    [['summaries', 'agent-7']],
    [['search', 'index']],
    [['stats']],
    [['verify']],
    [['retire', 'KEY', '--reason', 'evicted']],
  ])('with --json is one JSON document and nothing else: %j', async (args) => {
    const { out, err } = await run(...args.map((arg) => (arg === 'KEY' ? keys.tombstone! : arg)), '--json')
    expect(err).toBe('')
    expect(out.endsWith('\n')).toBe(true)
    expect(out.trimEnd()).not.toContain('\n')
    expect(() => JSON.parse(out)).not.toThrow()
  })

  test('of a list of sources is one JSON document a line', async () => {
    const { out } = await run('sources', '--all', '--json')
    const lines = out.trimEnd().split('\n')
    expect(lines.map((line) => JSON.parse(line).source)).toEqual(['blank', 'gone', 'guide', 'picture'])
  })

  test('has colours only when asked for, or on a terminal', async () => {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the escapes are looked for
    const coloured = /\u001b\[/
    expect((await run('fetch', keys.ok!)).out).not.toMatch(coloured)
    const args = ['fetch', keys.ok!]
    expect((await spanstore(args, { cwd, env: { FORCE_COLOR: '1' } })).out).toMatch(coloured)
    expect((await spanstore(args, { cwd, env: { FORCE_COLOR: '1', NO_COLOR: '1' } })).out).not.toMatch(
      coloured,
    )
  })
})

describe.concurrent('a command that reads', () => {
  test.each([
    [['fetch', 'KEY']],
    [['find']],
    [['read', 'guide']],
    [['sources']],
    [['collections']],
    [['stats']],
    [['verify']],
    [['search', 'index']],
    [['sync', '.', '--dry-run']],
  ])('creates no store: %j', async (args) => {
    const empty = newDirectory()
    const { code, err } = await spanstore(args, { cwd: empty })
    if (args[0] !== 'sync') {
      expect(code).toBe(1)
      expect(err).toContain('STORE_NOT_FOUND')
      expect(err).toContain('--store')
    }
    expect(readdirSync(empty)).toEqual([])
  })

  test('creates no collection either, and says which there are', async () => {
    const { code, err } = await run('find', '--collection', 'defualt')
    expect(code).toBe(1)
    expect(err).toContain('default')
    expect((await json('collections')).value).toHaveLength(1)
  })
})

describe('where the store is', () => {
  test('is said by --store, else by SPANSTORE_STORE', async () => {
    const elsewhere = newDirectory()
    const env = { SPANSTORE_STORE: join(cwd, '.spanstore') }
    expect((await spanstore(['fetch', keys.ok!], { cwd: elsewhere, env })).code).toBe(0)
    expect((await spanstore(['fetch', keys.ok!, '--store', 'none'], { cwd: elsewhere, env })).code).toBe(1)
    expect(
      (await spanstore(['--store', env.SPANSTORE_STORE, 'fetch', keys.ok!], { cwd: elsewhere })).code,
    ).toBe(0)
  })
})

describe.concurrent('an error', () => {
  test.each([
    [['fetch']],
    [['bogus']],
    [[]],
    [['fetch', 'KEY', '--as-of', 'yesterday']],
    [['find', '--where', '{year: 3}']],
    [['find', '--where', '{"year": {"$near": 3}}']],
    [['put', 'a', 'b.txt', '--chunker', 'sentences']],
    [['retire']],
    [['retire', 'KEY', '--reason', 'edited']],
    [['erase', 'KEY']],
    [['prune', '--before', 'long ago']],
  ])('of typing exits with 2: %j', async (args) => {
    const { code, out, err } = await run(...args)
    expect(code).toBe(2)
    expect(out).toBe('')
    expect(err).toMatch(/^spanstore: .+\n$/)
  })

  test('with --json is one JSON document on stderr, with a code, a message and a detail', async () => {
    const { code, out, err } = await run('put', 'guide', 'guide.md', '--expect', '7', '--json')
    expect({ code, out }).toEqual({ code: 1, out: '' })
    expect(JSON.parse(err)).toEqual({
      error: {
        code: 'REVISION_CONFLICT',
        message: expect.stringContaining('revision'),
        detail: { source: 'guide', expected: 7, actual: expect.any(Number) },
      },
    })
    expect(JSON.parse((await run('fetch', '--json')).err).error.code).toBe('USAGE')
  })
})

describe('writing', () => {
  const other = newDirectory()
  const there = (args: string[], input?: string) =>
    spanstore(args, { cwd: other, ...(input === undefined ? {} : { input }) })

  test('put reads stdin, and a text that changes nothing writes nothing', async () => {
    expect((await there(['put', 'a'], 'One.\n\nTwo.\n')).out).toMatch(/^created/)
    expect((await there(['put', 'a', '-'], 'One.\n\nTwo.\n')).out).toMatch(/^unchanged/)
    expect((await there(['read', 'a'])).out).toBe('One.\n\nTwo.\n')
  })

  test('append takes lines, messages, or the whole input', async () => {
    await there(['append', 'chat', '--metadata', '{"room": 7}'], 'first\n\nsecond\n')
    await there(
      ['append', 'chat'],
      '{"role": "user", "content": "third"}\n{"role": "assistant", "content": "fourth"}\n',
    )
    await there(['append', 'chat', '--one'], 'fifth\nand still fifth\n')
    const spans = JSON.parse((await there(['find', '--source', 'chat', '--json'])).out)
    expect(spans.map(({ text, metadata }: { text: string; metadata: unknown }) => [text, metadata])).toEqual([
      ['first', { room: 7 }],
      ['second', { room: 7 }],
      ['third', { speaker: 'user' }],
      ['fourth', { speaker: 'assistant' }],
      ['fifth\nand still fifth', {}],
    ])
  })

  test('sync says what it did, file by file, and answers 1 when the store refused a file', async () => {
    mkdirSync(join(other, 'files'))
    writeFileSync(join(other, 'files/a.txt'), 'The password is correcthorse.')
    writeFileSync(join(other, 'files/b.txt'), 'Something harmless to say about the weather of the day.')
    const first = await there(['sync', 'files', '--prefix', 'files/'])
    expect(first).toMatchObject({ code: 0, err: '' })
    expect(first.out).toBe(
      '+ a.txt\n+ b.txt\n2 files: 2 added, 0 changed, 0 renamed, 0 removed, 0 unchanged\n2 spans added, 0 retired\n',
    )
    await there(['erase', '--source', 'files/a.txt', '--yes'])
    renameSync(join(other, 'files/b.txt'), join(other, 'files/c.txt'))
    const second = await there(['sync', 'files', '--prefix', 'files/'])
    expect(second.code).toBe(1)
    expect(second.out).toContain('! a.txt: ERASED_TEXT')
    expect(second.out).toContain('→ b.txt → c.txt')
    expect((await there(['sync', 'nowhere'])).code).toBe(2)
  })

  test('a record that expires is a tombstone, by itself', async () => {
    await there(['put', 'offer', '--expires', '2001-01-01'], 'Ten percent off.')
    expect((await there(['read', 'offer'])).code).toBe(3)
  })

  test('what is backed up can be restored', async () => {
    expect((await there(['backup', 'copy'])).code).toBe(0)
    expect((await there(['restore', 'copy', '--store', 'again'])).code).toBe(0)
    expect((await there(['read', 'a', '--store', 'again'])).out).toBe('One.\n\nTwo.\n')
    expect((await there(['restore', 'copy', '--store', 'again'])).code).toBe(1)
  })

  test('erase asks first, and what is erased is gone from every file', async () => {
    await there(['put', 'secret'], 'The password is correcthorse.')
    const [{ key }] = JSON.parse((await there(['find', '--source', 'secret', '--json'])).out)
    expect((await there(['erase', key])).code).toBe(2)
    expect((await there(['erase', key, '--yes'])).code).toBe(0)
    expect((await there(['fetch', key])).out).toContain('erased')
    expect(existsSync(join(other, '.spanstore'))).toBe(true)
    expect((await there(['remove', 'secret'])).code).toBe(0)
    expect((await there(['remove', 'secret'])).code).toBe(4)
    expect((await there(['remove', 'never'])).code).toBe(5)
  })

  test('prune drops old texts and keeps their tombstones', async () => {
    await there(['put', 'b'], 'An old sentence that will be edited away.')
    const [{ key }] = JSON.parse((await there(['find', '--source', 'b', '--json'])).out)
    await there(['put', 'b'], 'Another one altogether, with nothing in common.')
    const { out, code } = await there(['prune', '--before', '2100-01-01', '--json'])
    expect(code).toBe(0)
    expect(JSON.parse(out).pruned).toBeGreaterThan(0)
    expect((await there(['fetch', key])).out).toMatch(/^tombstone[\s\S]*pruned/)
  })
})
