import fc from 'fast-check'
import { expect, test } from 'vitest'
import { openStore } from '../../src/index.ts'
import { chromaApp } from '../../src/wire/chroma/app.ts'
import { type Operation, operations, type Send, sameAnswer } from './operations.ts'
import { ORACLE, startOracle } from './oracle.ts'

const RUNS = Number(process.env.CHROMA_RUNS ?? 60)
const PLACE = '/api/v2/tenants/default_tenant/databases/default_database/collections'

async function answer(response: Response | Promise<Response>) {
  const { status, text } = await Promise.resolve(response).then(async (it) => ({
    status: it.status,
    text: await it.text(),
  }))
  return { status, body: text === '' ? '' : (JSON.parse(text) as unknown) }
}

/** Skipped, and listed as skipped, where no real Chroma was prepared (`prepare-oracle.sh`). */
test.skipIf(ORACLE === undefined)(
  'whatever is written and asked, a real Chroma answers the same',
  async () => {
    await using oracle = await startOracle(ORACLE!)
    await using store = await openStore(':memory:')
    const app = chromaApp(store)
    const headers = { 'content-type': 'application/json' }
    const theirs: Send = (method, path, body) =>
      answer(fetch(`${oracle.url}${path}`, { method, headers, ...(body === undefined ? {} : { body }) }))
    const ours: Send = (method, path, body) =>
      answer(
        app.request(`http://127.0.0.1${path}`, { method, headers, ...(body === undefined ? {} : { body }) }),
      )
    let made = 0
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('l2', 'cosine', 'ip'),
        operations,
        async (space, sequence: readonly Operation[]) => {
          const name = `collection-${++made}`
          const created = JSON.stringify({ name, configuration: { hnsw: { space } } })
          const [their, our] = [await theirs('POST', PLACE, created), await ours('POST', PLACE, created)]
          const idOf = ({ body }: { body: unknown }) => (body as { id: string }).id
          for (const { method, path, body } of sequence) {
            const said = [
              await theirs(method, `${PLACE}/${idOf(their)}${path}`, body),
              await ours(method, `${PLACE}/${idOf(our)}${path}`, body),
            ] as const
            const difference = sameAnswer(path, said[0], said[1])
            expect(
              difference,
              `${method} ${path} ${body}\ntheirs ${JSON.stringify(said[0])}\nours ${JSON.stringify(said[1])}`,
            ).toBeUndefined()
          }
        },
      ),
      { numRuns: RUNS, endOnFailure: false },
    )
  },
  600_000,
)
