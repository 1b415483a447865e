import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Collection, openStore, type Store } from '../../src/index.ts'
import { createServer, type Server } from '../../src/server/index.ts'
import { temporary } from '../store/helpers.ts'

const EXAMPLES = fileURLToPath(new URL('../../examples/python/', import.meta.url))
const ABSENT = '01ARZ3NDEKTSV4RRFFQ69G5FAV'

/** 3.9 reads the annotations; older ones, and machines without any, are told of by the name of the suite. */
const found = spawnSync('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 9))']).status === 0

async function python(args: readonly string[], input = '') {
  const child = spawn(
    'python3',
    ['-s', '-B', ...args.slice(0, 1).map((name) => join(EXAMPLES, name)), ...args.slice(1)],
    {
      stdio: ['pipe', 'pipe', 'pipe'],
    },
  )
  let [out, err] = ['', '']
  child.stdout.on('data', (data) => {
    out += data
  })
  child.stderr.on('data', (data) => {
    err += data
  })
  child.stdin.end(input)
  const [code] = await once(child, 'close')
  return { code, out: out.split('\n').filter(Boolean), err: err.trim() }
}

describe.skipIf(!found)(found ? 'the Python examples' : 'the Python examples DID NOT RUN: no python3', () => {
  let store: Store
  let server: Server
  let notes: Collection
  let url: string

  beforeEach(async () => {
    store = await openStore(':memory:')
    server = createServer(store)
    ;({ url } = await server.listen({ port: 0 }))
    notes = await store.collection('notes')
  })

  afterEach(async () => {
    await server.close()
    await store.close()
  })

  const claim = (dependency_key: string | null, self_sufficient = false) => ({
    text: 'Rollback is wanted.',
    self_sufficient,
    dependency_key,
  })

  test('gate: a claim passes on a live span, and each other result blocks it in its own words', async () => {
    const { added } = await notes.put({
      source: 'talk',
      spans: [{ text: 'I want a rollback path ready.' }, { text: ' ' }, { text: 'Thursday.' }],
    })
    const gate = (...claims: object[]) => python(['gate.py', url], JSON.stringify(claims))
    const passed = await gate(claim(added[0]!), claim(null, true))
    expect(passed).toMatchObject({ code: 0, err: '' })
    expect(passed.out.map((line) => JSON.parse(line))).toEqual([
      { span: 'I want a rollback path ready.', source: 'retrieval' },
      { span: 'Rollback is wanted.', source: 'summary' },
    ])
    const { added: successors } = await notes.put({
      source: 'talk',
      spans: [{ text: 'I want a rollback path ready.' }, { text: ' ' }, { text: 'Friday.' }],
    })
    const blocked = async (key: string | null) => {
      const { code, out, err } = await gate(claim(key))
      expect([code, out]).toEqual([1, []])
      return err
    }
    expect(await blocked(null)).toContain('names no key')
    expect(await blocked(added[1]!)).toContain('which has no text')
    expect(await blocked(added[2]!)).toContain(`retired (edited); read its successors: ${successors[0]}`)
    expect(await blocked(ABSENT)).toContain('which is absent')
    const session = notes.session('agent')
    const { key } = await session.register({ text: `They want a way back [[${added[0]}]].` })
    expect((await gate(claim(key))).code).toBe(0)
    await notes.retire([added[0]!])
    expect(await blocked(key)).toContain('a summary that is stale')
  })

  test('recall: a summary passes while every anchor of it resolves', async () => {
    const { added } = await notes.put({ source: 'talk', spans: [{ text: 'One.' }, { text: 'Two.' }] })
    const recall = (summary: string) => python(['recall.py', url], summary)
    const summary = `They said one [[${added[0]}]] and two [[${added[1]}]].`
    expect(await recall(summary)).toEqual({ code: 0, out: [...added].sort(), err: '' })
    expect((await recall('They said one, etc.')).err).toContain('holds no anchor')
    expect((await recall(`As noted, the above [[${added[0]}]], and earlier ones.`)).err).toContain(
      'density 0.25',
    )
    await notes.retire([added[1]!])
    expect((await recall(summary)).err).toBe(`refused: anchors that do not resolve: ${added[1]}`)
  })

  test('subscribe: goes on where it was, also when the server was away, and says when it cannot', async () => {
    const cursor = join(temporary(), 'cursor.txt')
    const put = async (text: string) => await notes.put({ source: 'talk', spans: [{ text }] })
    const { added: first } = await put('One.')
    const { added: second } = await put('Two.')
    const subscribe = (count: number) => python(['subscribe.py', url, cursor, String(count)])
    expect(await subscribe(1)).toEqual({ code: 0, out: [`${first[0]} edited -> ${second[0]}`], err: '' })

    const following = subscribe(2)
    const { added: third } = await put('Three.')
    const { port } = new URL(url)
    await server.close()
    server = createServer(store)
    await server.listen({ port: Number(port) })
    await notes.retire(third)
    expect(await following).toEqual({
      code: 0,
      out: [`${second[0]} edited -> ${third[0]}`, `${third[0]} deleted -> nothing`],
      err: '',
    })

    expect(readFileSync(cursor, 'utf8')).toMatch(/^c1\./)
    await put('Four.')
    const { position } = await put('Five.')
    await store.consumers().pruneEvents('notes', { before: position })
    const gone = await subscribe(1)
    expect(gone).toMatchObject({ code: 1, out: [] })
    expect(gone.err).toMatch(/^CURSOR_EXPIRED: "notes": the events after position \d+ were pruned/)
  })
})
