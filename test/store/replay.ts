import assert from 'node:assert/strict'
import { markdown } from '../../src/chunking/index.ts'
import { type Collection, type Key, openStore, type Store } from '../../src/index.ts'
import { type Meeting, readHistory, readMeeting } from './corpora.ts'
import { random } from './helpers.ts'

export interface Survival {
  readonly edits: number
  /** Of the spans before an edit, how many kept their key, on average. */
  readonly kept: number
  /** Of the texts that both revisions hold, how many kept their key, on average. */
  readonly recognised: number
  /** Of the spans that were retired, how many name a successor. */
  readonly succeeded: number
}

/** Replays the edit history of a document; every revision is checked against the text it was put with. */
export async function replayHistory(file: string, take: number): Promise<Survival> {
  const store = await openStore(':memory:')
  const notes = await store.collection('docs')
  const revisions = readHistory(file).slice(0, take)
  const texts = new Map<Key, string>()
  let live: Key[] = []
  const kept: number[] = []
  const recognised: number[] = []
  let retired = 0
  let succeeded = 0
  const written: string[] = []
  for (const text of revisions) {
    const result = await notes.put({ source: file, text, chunker: markdown() })
    if (result.outcome === 'unchanged') continue
    written.push(text)
    const read = await notes.read(file)
    assert.equal(read.text, text, 'byte for byte')
    const keys = read.places.map(({ key }) => key)
    for (const { key, start, end } of read.places) {
      const piece = text.slice(start, end)
      assert.equal(texts.get(key) ?? piece, piece, 'the text of a key never changes')
      texts.set(key, piece)
    }
    const gone = live.filter((key) => !keys.includes(key))
    assert.deepEqual([...result.retired].sort(), gone.sort())
    for (const found of await notes.fetchMany(gone)) {
      assert.ok(found.status === 'tombstone', 'every retired key has a tombstone')
      assert.ok(found.tombstone.reason === 'edited' || found.tombstone.reason === 'rechunked')
      for (const successor of found.tombstone.successors) assert.ok(keys.includes(successor))
      retired++
      if (found.tombstone.successors.length > 0) succeeded++
    }
    if (result.outcome === 'revised') {
      const before = new Map<string, number>()
      for (const key of live) before.set(texts.get(key)!, (before.get(texts.get(key)!) ?? 0) + 1)
      let shared = 0
      for (const key of keys) {
        const left = before.get(texts.get(key)!) ?? 0
        if (left === 0) continue
        before.set(texts.get(key)!, left - 1)
        shared++
      }
      if (live.length > 0) kept.push(result.kept / live.length)
      if (shared > 0) recognised.push(result.kept / shared)
    }
    live = keys
  }
  for (const [i, text] of written.entries())
    assert.equal((await notes.read(file, { revision: i + 1 })).text, text)
  const all = [...texts.keys()]
  for (const [i, found] of (await notes.fetchMany(all)).entries()) {
    const key = all[i]!
    assert.equal(found.status, live.includes(key) ? 'ok' : 'tombstone', 'never absent')
    if (found.status === 'ok') assert.equal(found.span.text, texts.get(key))
  }
  await store.close()
  return {
    edits: kept.length,
    kept: mean(kept),
    recognised: mean(recognised),
    succeeded: retired === 0 ? 1 : succeeded / retired,
  }
}

const mean = (values: readonly number[]) =>
  values.length === 0 ? 1 : values.reduce((a, b) => a + b, 0) / values.length

/** A meeting with its summaries and overviews, then an edited transcript, put again and again. */
export async function replayMeeting(
  file: string,
  edits: number,
): Promise<{ stale: number; summaries: number }> {
  const meeting = readMeeting(file)
  const store = await openStore(':memory:')
  const notes = await store.collection('meetings')
  let turns = meeting.turns.map(({ speaker, content }) => `${speaker}: ${content}`)
  const half = Math.floor(turns.length / 2)
  const first = await notes.put({ source: file, spans: turns.slice(0, half).map((text) => ({ text })) })
  const second = await notes.append({ source: file, spans: turns.slice(half).map((text) => ({ text })) })
  const keys = [...first.added, ...second.added]
  const texts = new Map(keys.map((key, i) => [key, turns[i]!]))
  const registered = await summarize(notes, meeting, keys)

  const next = random(turns.length)
  let stale = 0
  let was = new Set<Key>()
  for (let edit = 0; edit < edits; edit++) {
    turns = edited(turns, next)
    const result = await notes.put({ source: file, spans: turns.map((text) => ({ text })) })
    const evicted =
      next() < 0.5
        ? await notes.retire(pickSome(result.added, next), { reason: 'evicted' })
        : { stale: [], retired: [] }
    stale += result.stale.length
    const now = await explain(store, registered, texts)
    // Whatever is not current now and was before is named by one of the two writes, and nothing else is.
    const named = new Set([...result.stale, ...evicted.stale])
    for (const key of now) assert.ok(was.has(key) || named.has(key), `${key} went stale without a word`)
    for (const key of evicted.stale) assert.ok(now.has(key))
    was = now
    const read = await notes.read(file)
    read.places.forEach(({ key, start, end }, i) => {
      assert.equal(read.text.slice(start, end), turns[i])
      assert.equal(texts.get(key) ?? turns[i], turns[i], 'the text of a key never changes')
      texts.set(key, turns[i]!)
    })
  }
  const all = [...texts.keys()]
  for (const [i, found] of (await notes.fetchMany(all)).entries()) {
    assert.ok(found.status === 'ok' || found.status === 'tombstone')
    if (found.status === 'ok') assert.equal(found.span.text, texts.get(all[i]!))
  }
  await store.close()
  return { stale, summaries: registered.length }
}

async function summarize(notes: Collection, meeting: Meeting, keys: readonly Key[]): Promise<Key[]> {
  const session = notes.session('minutes')
  const low: Key[] = []
  for (const { text, turns } of meeting.summaries) {
    const own = new Set(turns.flatMap(([from, to]) => keys.slice(from, to + 1)))
    if (own.size === 0) continue
    const anchors = [...own].map((key) => `[[${key}]]`).join(' ')
    const { key } = await session.register({ text: `${text} ${anchors}`, covers: [...own] })
    low.push(key)
  }
  const high: Key[] = []
  for (const { text } of meeting.overviews)
    high.push((await session.register({ text, dependsOn: low.length > 0 ? low : [keys[0]!] })).key)
  return [...low, ...high]
}

function edited(turns: readonly string[], next: () => number): string[] {
  const now = turns.slice()
  const at = () => Math.floor(next() * now.length)
  const kind = next()
  if (kind < 0.3) now[at()] += ' (corrected)'
  else if (kind < 0.45) now.splice(at(), 1 + Math.floor(next() * 3))
  else if (kind < 0.6) now.splice(at(), 0, 'Chair: Yes .')
  else if (kind < 0.75) {
    const i = at()
    now.splice(i, 2, `${now[i]} ${now[i + 1] ?? ''}`)
  } else if (kind < 0.9) {
    const [piece] = now.splice(at(), 1)
    now.splice(at(), 0, piece!)
  } else now.reverse().splice(0, 1)
  return kind >= 0.9 ? now.reverse() : now
}

const pickSome = (keys: readonly Key[], next: () => number) => keys.filter(() => next() < 0.5)

/** Each summary's causes are what it lacks, and nothing else. Answers the ones that are not current. */
async function explain(
  store: Store,
  registered: readonly Key[],
  texts: ReadonlyMap<Key, string>,
): Promise<Set<Key>> {
  const notCurrent = new Set<Key>()
  for (const key of registered) {
    const found = await store.fetch(key)
    assert.ok(found.status === 'ok' && found.kind === 'summary')
    const { causes, dependsOn, state } = found.span
    const lacking = new Set(causes.map((cause) => cause.key))
    assert.equal(state === 'current', lacking.size === 0)
    if (lacking.size > 0) notCurrent.add(key)
    for (const [i, support] of (await store.fetchMany(dependsOn)).entries()) {
      const dependency = dependsOn[i]!
      let satisfied = support.status === 'ok'
      if (support.status === 'ok' && support.kind === 'summary') satisfied = support.span.state === 'current'
      if (support.status === 'tombstone' && support.tombstone.identical !== undefined) {
        const target = await store.fetch(support.tombstone.identical)
        assert.ok(target.status === 'ok', '`identical` is live')
        assert.equal(target.span.text, texts.get(dependency), '`identical` holds the same text')
        satisfied = true
      }
      assert.equal(!satisfied, lacking.has(dependency), `${dependency} as a cause of ${key}`)
    }
  }
  return notCurrent
}
