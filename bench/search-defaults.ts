import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { openStore } from '../src/index.ts'
import type { Measured } from './harness.ts'

interface Meeting {
  readonly turns: readonly { readonly speaker: string; readonly content: string }[]
  readonly summaries: readonly {
    readonly text: string
    readonly turns: readonly (readonly [number, number])[]
  }[]
}

/** A query, what should be found, and what each way finds: keys, best first. */
interface Judged {
  readonly relevant: ReadonlySet<string>
  readonly text: readonly string[]
  readonly vector: readonly string[]
}

interface Setting {
  readonly damping: number
  readonly weight: number
}

const MEETINGS = new URL('../../shared/corpora/meetings/', import.meta.url)

const DEPTH = 128

const SETTINGS: readonly Setting[] = [2, 5, 10, 20, 40, 60].flatMap((damping) =>
  [0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.7, 1].map((weight) => ({ damping, weight })),
)

/** What the package ships: see `store/fusion.ts` and `store/search-options.ts`. */
const SHIPPED: Setting = { damping: 5, weight: 0.5 }

/**
 * How words and vectors are weighed against each other, chosen on one half of the meetings and judged on the other,
 * both ways round. `--meetings=N` takes more than twelve of them.
 */
export async function searchDefaultsBench(report: (measured: Measured) => void): Promise<void> {
  if (!existsSync(MEETINGS)) {
    console.log('skipped: ../shared/corpora/meetings is not there')
    return
  }
  const asked = process.argv.find((argument) => argument.startsWith('--meetings='))
  const files = readdirSync(MEETINGS)
    .filter((name) => name.endsWith('.json'))
    .slice(0, asked === undefined ? 12 : Number(asked.slice('--meetings='.length)))
  const halves: [Judged[], Judged[]] = [[], []]
  const { localEmbedder } = await import('../src/embed/index.ts')
  const embedder = localEmbedder()
  const store = await openStore(':memory:', { embedder })
  for (const [i, half] of halves.entries())
    half.push(
      ...(await judge(
        store,
        `half ${i}`,
        files.filter((_, n) => n % 2 === i),
      )),
    )
  await store.close()
  await embedder.close()
  for (const [chosenOn, judgedOn] of [halves, halves.toReversed()] as const) {
    const chosen = SETTINGS.toSorted((a, b) => score(chosenOn!, b).sum - score(chosenOn!, a).sum)[0]!
    const best = Math.max(...SETTINGS.map((setting) => score(judgedOn!, setting).sum))
    const [own, shipped, words, vectors] = [
      chosen,
      SHIPPED,
      { damping: 20, weight: 0 },
      { damping: 20, weight: 1e6 },
    ].map((setting) => score(judgedOn!, setting))
    report({
      name: 'hybrid search, chosen on the other half',
      value: own!.recall,
      unit: 'recall@10',
      detail: {
        mrr: own!.rank.toFixed(3),
        chosen: `damping ${chosen.damping} weight ${chosen.weight}`,
        shipped: `${shipped!.recall.toFixed(3)}/${shipped!.rank.toFixed(3)}`,
        words: `${words!.recall.toFixed(3)}/${words!.rank.toFixed(3)}`,
        vectors: `${vectors!.recall.toFixed(3)}/${vectors!.rank.toFixed(3)}`,
        'best here': best.toFixed(3),
        'shipped here': shipped!.sum.toFixed(3),
        queries: judgedOn!.length,
      },
    })
  }
}

async function judge(
  store: Awaited<ReturnType<typeof openStore>>,
  name: string,
  files: readonly string[],
): Promise<Judged[]> {
  const notes = await store.collection(name)
  const queries: { readonly text: string; readonly relevant: ReadonlySet<string> }[] = []
  for (const file of files) {
    const { turns, summaries } = JSON.parse(readFileSync(new URL(file, MEETINGS), 'utf8')) as Meeting
    const { added } = await notes.put({
      source: file,
      spans: turns.map(({ speaker, content }) => ({ text: `${speaker}: ${content}` })),
    })
    for (const { text, turns: ranges } of summaries)
      queries.push({ text, relevant: new Set(ranges.flatMap(([from, to]) => added.slice(from, to + 1))) })
  }
  const judged: Judged[] = []
  for (const { text, relevant } of queries) {
    const found = async (mode: 'text' | 'vector') =>
      (await notes.search({ text, mode, k: DEPTH })).hits.map(({ key }) => key)
    judged.push({ relevant, text: await found('text'), vector: await found('vector') })
  }
  return judged
}

/** As `fuse` does it, for any damping. */
function fused({ text, vector }: Judged, { damping, weight }: Setting): string[] {
  const scores = new Map<string, number>()
  const add = (keys: readonly string[], factor: number) =>
    keys.forEach((key, i) => {
      scores.set(key, (scores.get(key) ?? 0) + factor / (damping + i + 1))
    })
  add(text, 1)
  add(vector, weight)
  return [...scores].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)).map(([key]) => key)
}

function score(queries: readonly Judged[], setting: Setting) {
  let recall = 0
  let rank = 0
  for (const query of queries) {
    const hits = fused(query, setting).slice(0, 10)
    recall += hits.filter((key) => query.relevant.has(key)).length / Math.min(10, query.relevant.size)
    const first = hits.findIndex((key) => query.relevant.has(key))
    rank += first < 0 ? 0 : 1 / (first + 1)
  }
  const [meanRecall, meanRank] = [recall / queries.length, rank / queries.length]
  return { recall: meanRecall, rank: meanRank, sum: meanRecall + meanRank }
}
