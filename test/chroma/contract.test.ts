import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { openStore } from '../../src/index.ts'
import { chromaApp } from '../../src/wire/chroma/app.ts'

interface Pair {
  readonly method: string
  readonly path: string
  readonly body: unknown
  readonly status: number
  readonly response: unknown
}

/** What a real Chroma answered: a set kept here, and a larger one that lies beside a working copy of the project. */
const OWN = fileURLToPath(new URL('./recorded.jsonl', import.meta.url))
const LARGE = fileURLToPath(new URL('../../../shared/contracts/chroma-v2.jsonl', import.meta.url))

const pairsIn = (path: string): readonly Pair[] =>
  readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Pair)

/** Where a local Chroma answers 501 or 404, and this store answers. */
const BETTER = /\/(?:fork|fork_count|search|conditional\/get|conditional\/commit)$/

/** Values that differ from run to run, and the prose of errors. */
function comparable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(comparable)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      // Told beside what Chroma says.
      .filter(([name]) => name !== 'spanstore')
      .map(([name, member]) => [
        name,
        (name === 'id' || name === 'message' || name === 'nanosecond heartbeat') && member !== null
          ? typeof member
          : comparable(member),
      ]),
  )
}

async function replay(pairs: readonly Pair[]): Promise<number> {
  await using store = await openStore(':memory:')
  const app = chromaApp(store)
  const ids = new Map<string, string>()
  const ours = (text: string) =>
    text.replace(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, (id) => ids.get(id) ?? id)
  let replayed = 0
  for (const [i, { method, path, body, status, response }] of pairs.entries()) {
    const sent = body == null ? {} : { body: ours(typeof body === 'string' ? body : JSON.stringify(body)) }
    const answer = await app.request(`http://127.0.0.1${ours(path)}`, {
      method,
      headers: { 'content-type': 'application/json' },
      ...sent,
    })
    const text = await answer.text()
    if (BETTER.test(path) && status !== 200) {
      expect(answer.status, `${method} ${path}`).toBe(200)
      // What follows was recorded without it.
      if (path.endsWith('/fork'))
        await app.request(
          `http://127.0.0.1${path.slice(0, path.indexOf('/collections/'))}/collections/forked`,
          { method: 'DELETE' },
        )
      continue
    }
    const got: unknown = text === '' ? '' : JSON.parse(text)
    const where = `pair ${i}: ${method} ${path} ${JSON.stringify(body)}`
    expect([answer.status, comparable(got)], where).toEqual([status, comparable(response)])
    const [theirId, ourId] = [response, got].map((one) => (one as { id?: string } | null)?.id)
    if (theirId !== undefined && ourId !== undefined) ids.set(theirId, ourId)
    replayed++
  }
  return replayed
}

describe('answers of a real Chroma', () => {
  test('replay to the same status and the same body', async () => {
    const pairs = pairsIn(OWN)
    expect(pairs.length).toBeGreaterThan(100)
    expect(await replay(pairs)).toBeGreaterThan(100)
  })

  test.skipIf(!existsSync(LARGE))('replay from the larger set, where it is at hand', async () => {
    expect(await replay(pairsIn(LARGE))).toBeGreaterThan(130)
  })
})
