import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { markdown } from '../../chunking/index.ts'
import type { Collection, Key, PutResult, RevisionDiff, Session, Store, Summary } from '../../index.ts'
import type { Context } from '../context.ts'
import { CHAPTER, GUIDE, MEETING } from '../demo/excerpts.ts'
import { EXIT, UsageError } from '../exit.ts'
import { count, paint, preview, table } from '../terminal.ts'
import { drawDependents } from './dependents.ts'
import { drawLineage } from './lineage.ts'
import { excerpt } from './search.ts'
import { line } from './watch.ts'

const GUIDE_NAME = 'lancedb/ann_indexes.md'
const CHAPTER_NAME = 'rust-book/ch17-02.md'
const MEETING_NAME = 'meetings/TS3010a'
const RECORDING_NAME = 'meetings/TS3010a/recording'
const CONSUMER = 'demo'
const QUESTION = 'when can I skip index creation?'
const OTHER_WORDS = 'finding the thing when it is lost'

/** Small spans, so that an edit of a sentence is not an edit of a page. */
const chunker = markdown({ max: 300 })

interface Names {
  readonly [name: string]: Key
}

/** One story on real data, told as it happens; the store is left to play with. */
export async function run(given: Context): Promise<number> {
  const context = given.storeGiven ? given : given.at(mkdtempSync(join(tmpdir(), 'spanstore-demo-')))
  if (context.exists)
    throw new UsageError(`${context.directory} holds a store already; the demo needs an empty directory`)
  const store = await context.created()
  try {
    await new Story(context, store, await store.collection(context.collectionName)).tell()
  } finally {
    await context.close()
  }
  return EXIT.ok
}

class Story {
  readonly #context: Context
  readonly #store: Store
  readonly #collection: Collection
  readonly #began = performance.now()
  readonly #revisions: (RevisionDiff & { readonly commit: string })[] = []
  #step = 0
  #delivered = 0

  constructor(context: Context, store: Store, collection: Collection) {
    this.#context = context
    this.#store = store
    this.#collection = collection
  }

  async tell(): Promise<void> {
    const { colors } = this.#context
    this.#say(
      colors.bold('spanstore, shown on a documentation page with its real edits and on a real meeting.'),
      colors.dim(`The store is in ${this.#context.directory}`),
    )
    const turns = await this.#ingest()
    const minutes = this.#collection.session('minutes')
    const notes = this.#collection.session('notes')
    const meeting = await this.#minute(minutes, turns)
    const { names, anchor } = await this.#note(notes)
    const named = { ...meeting, ...names }

    this.#title('Search, before the edits', QUESTION)
    await this.#search()

    await this.#store.consumers().open(CONSUMER, { start: 'now' })
    await this.#replay(notes, named)
    await this.#move()
    await this.#evict(minutes, turns, named)
    await this.#events()

    this.#title('Search, after the edits', QUESTION)
    await this.#search()
    await this.#searchByMeaning()

    this.#title('Four keys, four results')
    const [recording] = (await this.#collection.read(RECORDING_NAME)).places
    const never = `${anchor.slice(0, 24)}ZZ` as Key
    const lamp = (await this.#collection.search({ text: 'battery', k: 1 })).hits[0]!.key
    await this.#fetchFour([lamp, recording!.key, anchor, never])

    this.#title('What became of one paragraph', 'spanstore lineage draws this for any key')
    this.#say(...(await drawLineage(this.#context, this.#collection, await this.#collection.lineage(anchor))))
    this.#title('What stands on it', 'spanstore dependents')
    this.#say(
      ...(await drawDependents(
        this.#context,
        this.#store,
        anchor,
        await this.#collection.dependents(anchor),
      )),
    )
    await this.#sum(named, anchor)
  }

  // ── the story ─────────────────────────────────────────────────────────────────────────────────────────────

  async #ingest(): Promise<readonly Key[]> {
    this.#title(
      'Ingest',
      'a page of LanceDB’s guide, the end of a chapter of the Rust book, a meeting of QMSum',
    )
    const puts = [
      await this.#collection.put({ source: GUIDE_NAME, text: GUIDE[0]!.text, chunker }),
      await this.#collection.put({ source: CHAPTER_NAME, text: CHAPTER[0]!.text, chunker }),
      await this.#collection.put({
        source: MEETING_NAME,
        spans: MEETING.turns.map(([speaker, text]) => ({ text, metadata: { speaker } })),
      }),
      await this.#collection.put({ source: RECORDING_NAME, text: null, metadata: { media: 'audio' } }),
    ]
    this.#table(
      ['source', '#spans', '#position'],
      puts.map(({ source, added, position }) => [
        source,
        source === RECORDING_NAME ? `${added.length} (without text)` : String(added.length),
        String(position),
      ]),
    )
    return puts[2]!.added
  }

  async #minute(session: Session, turns: readonly Key[]): Promise<Names> {
    this.#title(
      'Register what people wrote about the meeting',
      'each summary ends with the anchors of its turns; the overview stands on the summaries',
    )
    const registered = await session.register(
      MEETING.summaries.map(({ text, turns: ranges }) => {
        const covers = ranges.flatMap(([from, to]) => turns.slice(from, to + 1))
        return { text: `${text.trim()} ${anchors(covers)}`, covers }
      }),
    )
    const keys = registered.map(({ key }) => key)
    const overview = await session.register({ text: `${MEETING.overview} ${anchors(keys)}` })
    const names = {
      'minutes: experiences': keys[0]!,
      'minutes: features': keys[1]!,
      'minutes: overview': overview.key,
    }
    await this.#states(names)
    return names
  }

  async #note(session: Session): Promise<{ names: Names; anchor: Key }> {
    this.#title('Register notes an agent took of the guide', 'and a briefing that stands on the notes')
    const { text, places } = await this.#collection.read(GUIDE_NAME)
    const holding = (words: string) =>
      places.find(({ start, end }) => text.slice(start, end).includes(words))!.key
    const anchor = holding('does not automatically create')
    const note = async (said: string, on: readonly Key[]) =>
      (await session.register({ text: `${said} ${anchors(on)}`, covers: on })).key
    const creation = await note('LanceDB does not create an ANN index by itself; call create_index.', [
      anchor,
      holding('[create_index]'),
    ])
    const tuning = await note('nprobes and refine_factor trade speed for accuracy.', [
      holding('**nprobes**'),
      holding('**refine_factor**'),
    ])
    const sample = await note('The example indexes 10,000 vectors of 768 dimensions.', [
      holding('# Create 10,000 sample vectors'),
    ])
    const briefing = await session.register({
      text: `Indexing is opt-in, and tunable. ${anchors([creation, tuning, sample])}`,
    })
    const names = {
      'notes: creation': creation,
      'notes: tuning': tuning,
      'notes: sample': sample,
      'notes: briefing': briefing.key,
    }
    await this.#states(names)
    return { names, anchor }
  }

  async #replay(session: Session, names: Names): Promise<void> {
    this.#title('Replay the page’s real edits', 'commits of github.com/lancedb/lancedb, April 2023')
    const notes = Object.fromEntries(Object.entries(names).filter(([name]) => name.startsWith('notes')))
    let before = await this.#read(notes)
    for (const { commit, date, text } of GUIDE.slice(1)) {
      const result = await this.#collection.put({ source: GUIDE_NAME, text })
      const diff = await this.#diff(result, commit)
      const { colors } = this.#context
      this.#say(
        `${colors.bold(commit.slice(0, 9))} ${date}  ${counts(diff)}${
          result.stale.length > 0
            ? colors.red(`, ${count(result.stale.length, 'summary', 'summaries')} not current any more`)
            : ''
        }`,
      )
      const after = await this.#read(notes)
      for (const [name, summary] of after) {
        const was = before.get(name)!.state
        if (was === summary.state) continue
        this.#say(
          `  ${name}: ${paint(colors, was)} → ${paint(colors, summary.state)}${because(summary, names)}`,
        )
      }
      before = after
    }
    const stale = await session.stale()
    this.#say(
      this.#context.colors.dim(
        `The third commit brought the sentences of before the second back: they have new keys, their tombstones know them as "identical", and "notes: creation" was current again without being rewritten. The fourth put the edit in once more; ${stale.length} summaries of the session now wait to be written anew.`,
      ),
    )
  }

  async #move(): Promise<void> {
    this.#title('A paragraph that moves keeps its key', 'rust-lang/book, June 2024')
    const { commit, text } = CHAPTER[1]!
    const diff = await this.#diff(await this.#collection.put({ source: CHAPTER_NAME, text }), commit)
    this.#say(`${this.#context.colors.bold(commit.slice(0, 9))}  ${counts(diff)}`)
    for (const key of diff.moved) {
      const result = await this.#collection.fetch(key)
      if (result.status === 'ok') this.#say(`  moved ${key}  ${preview(result.span.text, 60)}`)
    }
  }

  async #evict(session: Session, turns: readonly Key[], names: Names): Promise<void> {
    this.#title(
      'The conversation window evicts turns, and they come back',
      'a summary whose turns are gone must not pass for one whose turns are there',
    )
    const [[from, to]] = MEETING.summaries[0]!.turns as [readonly [number, number]]
    const gone = await this.#collection.retire(turns.slice(from, to + 1), { reason: 'evicted' })
    this.#say(
      `${count(gone.retired.length, 'turn')} evicted, ${count(gone.stale.length, 'summary', 'summaries')} not current any more:`,
    )
    await this.#states(names, 'minutes')
    const back = await this.#collection.put({
      source: MEETING_NAME,
      spans: MEETING.turns.map(([speaker, text]) => ({ text, metadata: { speaker } })),
    })
    this.#say(
      `The transcript is put again: ${back.kept} turns kept their keys, ${back.added.length} came back under new ones:`,
    )
    await this.#states(names, 'minutes')
    this.#say(
      this.#context.colors.dim(
        `Early cutoff: the summary is satisfied through "identical", so the overview above it never had to be touched. ${(await session.stale()).length} of the session's summaries are stale.`,
      ),
    )
  }

  async #events(): Promise<void> {
    this.#title(
      'What a subscriber got meanwhile',
      `the durable consumer "${CONSUMER}", made before the edits, reads and acknowledges; here are the events of summaries`,
    )
    const types = new Map<string, number>()
    for await (const event of this.#store.subscribe({ consumer: CONSUMER, follow: false })) {
      types.set(event.type, (types.get(event.type) ?? 0) + 1)
      if (event.type.startsWith('summary.')) this.#say(line(this.#context, event))
      await event.ack()
      this.#delivered++
    }
    this.#say([...types].map(([type, n]) => `${n} ${type}`).join(', '))
  }

  async #search(): Promise<void> {
    const { hits, complete } = await this.#collection.search({ text: QUESTION, k: 3, highlight: true })
    for (const hit of hits) this.#say(`  ${hit.score.toFixed(2)}  ${excerpt(this.#context, hit)}`)
    this.#say(
      this.#context.colors.dim(`  ${complete ? 'complete' : 'not complete'}: every hit is a live span`),
    )
  }

  /** In a store of its own, because the offline model takes a moment for every text. */
  async #searchByMeaning(): Promise<void> {
    const { colors, json } = this.#context
    if (json) return
    this.#title(
      'Search by words and by meaning',
      `"${OTHER_WORDS}": what the meeting says of it, in words of its own; by the offline embedder`,
    )
    const { localEmbedder } = await import('../../embed/index.ts')
    const { isSpanStoreError, openStore } = await import('../../index.ts')
    const embedder = localEmbedder()
    const store = await openStore(':memory:', { embedder })
    try {
      const turns = await store.collection('turns')
      const said = MEETING.turns.map(([, text]) => text.replace(/\s*\{\w+\}/g, '').trim())
      await turns.put({
        source: MEETING_NAME,
        spans: said.filter((text) => text.length > 60).map((text) => ({ text })),
      })
      for (const mode of ['text', 'hybrid'] as const) {
        const { hits } = await turns.search({ text: OTHER_WORDS, mode, k: 2 })
        this.#say(`  ${mode === 'text' ? 'words alone' : 'words and meaning'}`)
        for (const { score, span } of hits)
          this.#say(`    ${score.toFixed(2)}  ${preview(span.text, this.#context.width - 12)}`)
      }
    } catch (error) {
      if (!isSpanStoreError(error, 'EMBEDDER_FAILED')) throw error
      this.#say(colors.dim(`  ${error.message}`))
    } finally {
      await store.close()
      await embedder.close()
    }
  }

  async #fetchFour(keys: readonly Key[]): Promise<void> {
    const { colors } = this.#context
    this.#table(
      ['exit', 'result', 'key', 'what it says'],
      (await this.#store.fetchMany(keys)).map((result) => [
        String(EXIT[result.status]),
        paint(colors, result.status),
        result.key,
        result.status === 'ok'
          ? preview(result.span.text, 60)
          : result.status === 'empty'
            ? `${result.span.source}: ${result.detail}`
            : result.status === 'tombstone'
              ? `${result.tombstone.reason}, successors ${result.tombstone.successors.map((key) => `…${key.slice(-5)}`).join(' ') || 'none'}`
              : 'never assigned here',
      ]),
    )
  }

  async #sum(names: Names, anchor: Key): Promise<void> {
    const summaries = [...(await this.#read(names)).values()]
    const of = (state: Summary['state']) => summaries.filter((summary) => summary.state === state).length
    const total = (pick: (diff: RevisionDiff) => readonly unknown[]) =>
      this.#revisions.reduce((sum, diff) => sum + pick(diff).length, 0)
    const stats = (await this.#store.stats()).collections.find((one) => one.name === this.#collection.name)!
    const seconds = (performance.now() - this.#began) / 1000
    const facts = {
      sources: stats.sources,
      live: stats.live,
      tombstones: stats.tombstones,
      edits: this.#revisions.length,
      kept: total((diff) => diff.kept),
      moved: total((diff) => diff.moved),
      added: total((diff) => diff.added),
      retired: total((diff) => diff.removed),
      current: of('current'),
      suspect: of('suspect'),
      stale: of('stale'),
      events: stats.position,
      delivered: this.#delivered,
    }
    if (this.#context.json) {
      this.#context.printJson({ store: this.#context.directory, names, anchor, ...facts })
      return
    }
    this.#title('In numbers')
    this.#table(
      ['what', '#number', ''],
      [
        [
          'real edits replayed',
          facts.edits,
          `${facts.kept} spans kept, ${facts.moved} moved, ${facts.added} added, ${facts.retired} retired`,
        ],
        ['live spans', facts.live, `in ${facts.sources} sources`],
        ['tombstones', facts.tombstones, 'each with its reason, its place in time and its successors'],
        [
          'summaries',
          summaries.length,
          `${facts.current} current, ${facts.suspect} suspect, ${facts.stale} stale`,
        ],
        [
          'events',
          facts.events,
          `in the log of the collection, in order; ${facts.delivered} delivered to the subscriber`,
        ],
        ['seconds', seconds.toFixed(1), ''],
      ].map((row) => row.map(String)),
    )
    const command = `${invocation()} --store ${this.#context.directory}`
    this.#title('Yours to play with')
    this.#say(
      `${command} lineage ${anchor}`,
      `${command} summaries notes --stale`,
      `${command} search battery`,
    )
  }

  // ── how it is told ────────────────────────────────────────────────────────────────────────────────────────

  async #diff(result: PutResult, commit: string): Promise<RevisionDiff> {
    const diff = await this.#collection.diff(result.source, result.revision - 1, result.revision)
    this.#revisions.push({ ...diff, commit })
    return diff
  }

  async #read(names: Names): Promise<Map<string, Summary>> {
    const keys = Object.values(names)
    const results = await this.#collection.fetchMany(keys)
    return new Map(
      Object.keys(names).flatMap((name, i) => {
        const result = results[i]!
        return result.status === 'ok' && result.kind === 'summary' ? [[name, result.span] as const] : []
      }),
    )
  }

  async #states(names: Names, only = ''): Promise<void> {
    for (const [name, summary] of await this.#read(names))
      if (name.startsWith(only))
        this.#say(
          `  ${paint(this.#context.colors, summary.state)}  ${name}  ${this.#context.colors.dim(
            preview(summary.text, 60),
          )}${because(summary, names)}`,
        )
  }

  #title(title: string, more?: string): void {
    const { colors } = this.#context
    this.#step++
    this.#say(
      '',
      colors.bold(colors.cyan(`${this.#step}. ${title}`)),
      ...(more === undefined ? [] : [colors.dim(more)]),
    )
  }

  #table(titles: readonly string[], rows: readonly (readonly string[])[]): void {
    this.#say(
      ...table(
        this.#context.colors,
        titles.map((title) => ({ title: title.replace('#', ''), right: title.startsWith('#') })),
        rows,
      ),
    )
  }

  #say(...lines: readonly string[]): void {
    if (!this.#context.json) this.#context.print(...lines)
  }
}

const anchors = (keys: readonly Key[]): string => keys.map((key) => `[[${key}]]`).join(' ')

const counts = (diff: RevisionDiff): string =>
  `${diff.kept.length} kept, ${diff.moved.length} moved, ${diff.added.length} added, ${diff.removed.length} retired`

function because(summary: Summary, names: Names): string {
  if (summary.causes.length === 0) return ''
  const called = new Map(Object.entries(names).map(([name, key]) => [key, name]))
  const causes = summary.causes
    .slice(0, 2)
    .map((cause) =>
      cause.status === 'tombstone'
        ? `…${cause.key.slice(-5)} was ${cause.reason}`
        : `${called.get(cause.key) ?? cause.key} is not current`,
    )
  const more = summary.causes.length - causes.length
  return ` because ${causes.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

/** How this command line was called, so that the printed commands work where the reader is. */
function invocation(): string {
  const script = process.argv[1] ?? ''
  if (/[\\/]main\.[jt]s$/.test(script) && !script.includes('node_modules'))
    return `node ${relative('.', script)}`
  return script.includes('_npx') || script.includes('node_modules') ? 'npx spanstore' : 'spanstore'
}
