import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { markdown } from '../../chunking/index.ts'
import type { Collection, Key, Session, Store } from '../../index.ts'
import type { Context } from '../context.ts'
import { CHAPTER, GUIDE, MEETING } from '../demo/excerpts.ts'
import { QUESTION, searchByMeaning, searchByWords } from '../demo/searching.ts'
import { fetchFour, sumUp } from '../demo/summing-up.ts'
import { because, counts, type Names, Telling } from '../demo/telling.ts'
import { EXIT, UsageError } from '../exit.ts'
import { count, paint, preview } from '../terminal.ts'
import { drawDependents } from './dependents.ts'
import { drawLineage } from './lineage.ts'
import { line } from './watch.ts'

const GUIDE_NAME = 'lancedb/ann_indexes.md'
const CHAPTER_NAME = 'rust-book/ch17-02.md'
const MEETING_NAME = 'meetings/TS3010a'
const RECORDING_NAME = 'meetings/TS3010a/recording'
const CONSUMER = 'demo'

/** Small spans, so that an edit of a sentence is not an edit of a page. */
const chunker = markdown({ max: 300 })

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
  readonly #telling: Telling
  readonly #began = performance.now()
  #delivered = 0

  constructor(context: Context, store: Store, collection: Collection) {
    this.#context = context
    this.#store = store
    this.#collection = collection
    this.#telling = new Telling(context, collection)
  }

  async tell(): Promise<void> {
    const { colors } = this.#context
    this.#telling.say(
      colors.bold('spanstore, shown on a documentation page with its real edits and on a real meeting.'),
      colors.dim(`The store is in ${this.#context.directory}`),
    )
    const turns = await this.#ingest()
    const minutes = this.#collection.session('minutes')
    const notes = this.#collection.session('notes')
    const meeting = await this.#minute(minutes, turns)
    const { names, anchor } = await this.#note(notes)
    const named = { ...meeting, ...names }

    this.#telling.title('Search, before the edits', QUESTION)
    await searchByWords(this.#telling, this.#collection)

    await this.#store.consumers().open(CONSUMER, { start: 'now' })
    await this.#replay(notes, named)
    await this.#move()
    await this.#evict(minutes, turns, named)
    await this.#events()

    this.#telling.title('Search, after the edits', QUESTION)
    await searchByWords(this.#telling, this.#collection)
    await searchByMeaning(this.#telling, MEETING_NAME)

    this.#telling.title('Four keys, four results')
    const [recording] = (await this.#collection.read(RECORDING_NAME)).places
    const never = `${anchor.slice(0, 24)}ZZ` as Key
    const lamp = (await this.#collection.search({ text: 'battery', k: 1 })).hits[0]!.key
    await fetchFour(this.#telling, this.#store, [lamp, recording!.key, anchor, never])

    this.#telling.title('What became of one paragraph', 'spanstore lineage draws this for any key')
    this.#telling.say(
      ...(await drawLineage(this.#context, this.#collection, await this.#collection.lineage(anchor))),
    )
    this.#telling.title('What stands on it', 'spanstore dependents')
    this.#telling.say(
      ...(await drawDependents(
        this.#context,
        this.#store,
        anchor,
        await this.#collection.dependents(anchor),
      )),
    )
    await sumUp(this.#telling, {
      store: this.#store,
      collection: this.#collection,
      names: named,
      anchor,
      began: this.#began,
      delivered: this.#delivered,
    })
  }

  async #ingest(): Promise<readonly Key[]> {
    this.#telling.title(
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
    this.#telling.table(
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
    this.#telling.title(
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
    await this.#telling.states(names)
    return names
  }

  async #note(session: Session): Promise<{ names: Names; anchor: Key }> {
    this.#telling.title(
      'Register notes an agent took of the guide',
      'and a briefing that stands on the notes',
    )
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
    await this.#telling.states(names)
    return { names, anchor }
  }

  async #replay(session: Session, names: Names): Promise<void> {
    this.#telling.title('Replay the page’s real edits', 'commits of github.com/lancedb/lancedb, April 2023')
    const notes = Object.fromEntries(Object.entries(names).filter(([name]) => name.startsWith('notes')))
    let before = await this.#telling.read(notes)
    for (const { commit, date, text } of GUIDE.slice(1)) {
      const result = await this.#collection.put({ source: GUIDE_NAME, text })
      const diff = await this.#telling.diff(result, commit)
      const { colors } = this.#context
      this.#telling.say(
        `${colors.bold(commit.slice(0, 9))} ${date}  ${counts(diff)}${
          result.stale.length > 0
            ? colors.red(`, ${count(result.stale.length, 'summary', 'summaries')} not current any more`)
            : ''
        }`,
      )
      const after = await this.#telling.read(notes)
      for (const [name, summary] of after) {
        const was = before.get(name)!.state
        if (was === summary.state) continue
        this.#telling.say(
          `  ${name}: ${paint(colors, was)} → ${paint(colors, summary.state)}${because(summary, names)}`,
        )
      }
      before = after
    }
    const stale = await session.stale()
    this.#telling.say(
      this.#context.colors.dim(
        `The third commit brought the sentences of before the second back: they have new keys, their tombstones know them as "identical", and "notes: creation" was current again without being rewritten. The fourth put the edit in once more; ${stale.length} summaries of the session now wait to be written anew.`,
      ),
    )
  }

  async #move(): Promise<void> {
    this.#telling.title('A paragraph that moves keeps its key', 'rust-lang/book, June 2024')
    const { commit, text } = CHAPTER[1]!
    const diff = await this.#telling.diff(await this.#collection.put({ source: CHAPTER_NAME, text }), commit)
    this.#telling.say(`${this.#context.colors.bold(commit.slice(0, 9))}  ${counts(diff)}`)
    for (const key of diff.moved) {
      const result = await this.#collection.fetch(key)
      if (result.status === 'ok') this.#telling.say(`  moved ${key}  ${preview(result.span.text, 60)}`)
    }
  }

  async #evict(session: Session, turns: readonly Key[], names: Names): Promise<void> {
    this.#telling.title(
      'The conversation window evicts turns, and they come back',
      'a summary whose turns are gone must not pass for one whose turns are there',
    )
    const [[from, to]] = MEETING.summaries[0]!.turns as [readonly [number, number]]
    const gone = await this.#collection.retire(turns.slice(from, to + 1), { reason: 'evicted' })
    this.#telling.say(
      `${count(gone.retired.length, 'turn')} evicted, ${count(gone.stale.length, 'summary', 'summaries')} not current any more:`,
    )
    await this.#telling.states(names, 'minutes')
    const back = await this.#collection.put({
      source: MEETING_NAME,
      spans: MEETING.turns.map(([speaker, text]) => ({ text, metadata: { speaker } })),
    })
    this.#telling.say(
      `The transcript is put again: ${back.kept} turns kept their keys, ${back.added.length} came back under new ones:`,
    )
    await this.#telling.states(names, 'minutes')
    this.#telling.say(
      this.#context.colors.dim(
        `Early cutoff: the summary is satisfied through "identical", so the overview above it never had to be touched. ${(await session.stale()).length} of the session's summaries are stale.`,
      ),
    )
  }

  async #events(): Promise<void> {
    this.#telling.title(
      'What a subscriber got meanwhile',
      `the durable consumer "${CONSUMER}", made before the edits, reads and acknowledges; here are the events of summaries`,
    )
    const types = new Map<string, number>()
    for await (const event of this.#store.subscribe({ consumer: CONSUMER, follow: false })) {
      types.set(event.type, (types.get(event.type) ?? 0) + 1)
      if (event.type.startsWith('summary.')) this.#telling.say(line(this.#context, event))
      await event.ack()
      this.#delivered++
    }
    this.#telling.say([...types].map(([type, n]) => `${n} ${type}`).join(', '))
  }
}

const anchors = (keys: readonly Key[]): string => keys.map((key) => `[[${key}]]`).join(' ')
