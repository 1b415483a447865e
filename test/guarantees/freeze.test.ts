import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, test } from 'vitest'
import { type Key, openStore, restoreBackup } from '../../src/index.ts'
import { openSqliteLedger } from '../../src/ledger/sqlite/ledger.ts'
import { temporary } from '../store/helpers.ts'
import { another, cite, events, look, reopened, type Talk, talk } from './sessions.ts'

/** A session that cites a span that is gone, and was found out. */
async function frozen(): Promise<Talk & { readonly summary: Key }> {
  const here = await talk()
  const { session, notes, turns } = here
  const { key } = await session.register({ text: cite(turns[0]!, turns[1]!), covers: turns.slice(0, 2) })
  await notes.retire([turns[0]!], { reason: 'evicted' })
  expect(await session.boundary()).toMatchObject({ decision: 'freeze', frozen: { decision: 'freeze' } })
  return { ...here, summary: key }
}

/** A session whose last epoch cites more than the one before. */
async function inflated(): Promise<Talk> {
  const here = await talk()
  const { session, turns } = here
  const covers = turns.slice(0, 2)
  const { key } = await session.register({ text: cite(turns[0]!), covers })
  await session.register({ text: cite(turns[0]!, turns[1]!), covers, replaces: key })
  expect((await session.boundary()).decision).toBe('freeze_and_rollback')
  return here
}

const FROZEN = { code: 'SESSION_FROZEN' }

describe('a frozen session', () => {
  test('refuses register, and compact before its summarizer runs', async () => {
    const { session, turns } = await frozen()
    await expect(session.register({ text: cite(turns[1]!) })).rejects.toMatchObject({
      ...FROZEN,
      detail: { session: 'agent', decision: 'freeze', discarded: false },
    })
    await expect(session.register([{ text: cite(turns[1]!) }])).rejects.toMatchObject(FROZEN)
    let called = false
    await expect(
      session.compact({
        source: 'talk',
        summarize: () => {
          called = true
          return cite(turns[1]!)
        },
      } as never),
    ).rejects.toMatchObject(FROZEN)
    expect(called).toBe(false)
  })

  test('still reads, searches, observes, gates and gives its context', async () => {
    const { session, turns } = await frozen()
    expect(await session.fetch(turns[1]!, { cited: 'self' })).toMatchObject({ status: 'ok' })
    expect((await session.search({ text: 'pager' })).hits).toHaveLength(1)
    await session.observe({ citations: [turns[1]!] })
    expect((await session.context({ maxTokens: 1000, source: 'talk' })).entries.length).toBeGreaterThan(0)
    expect(await session.summaries()).toHaveLength(1)
  })

  test('says so wherever it is asked, with its reason, and another session is free', async () => {
    const { store, notes, session, turns } = await frozen()
    const freeze = await session.frozen()
    expect(freeze).toMatchObject({ decision: 'freeze', epoch: 1, reason: expect.stringMatching(/signal 1/) })
    expect(await session.boundary({ enforce: false })).toMatchObject({ decision: 'freeze', frozen: freeze })
    expect((await store.stats()).collections[0]!.frozen).toBe(1)
    await notes.session('other').register({ text: cite(turns[1]!) })
    expect(await notes.session('other').frozen()).toBeUndefined()
  })

  test('is an event, once, and so is its end', async () => {
    const { store, session } = await frozen()
    await session.boundary()
    await session.boundary()
    await session.reconcile({ summarize: ({ sources }) => cite(sources[0]!.key) })
    const types = (await events(store)).filter(({ type }) => type.startsWith('session.'))
    expect(types.map(({ type, data }) => [type, data])).toEqual([
      ['session.frozen', { session: 'agent', reason: expect.stringMatching(/signal 1/) }],
      ['session.resumed', { session: 'agent' }],
    ])
  })

  test('freezes more gravely when the graver boundary is crossed, too', async () => {
    const here = await talk()
    const { session, notes, turns } = here
    const covers = turns.slice(0, 2)
    const one = await session.register({ text: cite(turns[2]!), covers })
    await session.register({ text: cite(turns[2]!, turns[3]!), covers, replaces: one.key })
    await notes.session('agent').observe({ context: [{ text: cite(turns[2]!) }] })
    // Signal 4 first: a later, milder verdict does not soften it.
    await session.boundary()
    await notes.retire([turns[3]!])
    expect(await session.boundary()).toMatchObject({ frozen: { decision: 'freeze_and_rollback' } })
  })
})

describe('nothing but reconcile ends a freeze', () => {
  const stillFrozen = async ({ session, turns }: Pick<Talk, 'session'> & { turns: readonly Key[] }) => {
    expect(await session.frozen()).toBeDefined()
    await expect(session.register({ text: cite(turns[1]!) })).rejects.toMatchObject(FROZEN)
  }

  test('not a restart', async () => {
    const here = await frozen()
    const again = await reopened(here)
    await stillFrozen({ ...again, turns: here.turns })
  })

  test('not another handle, not another opening of the same directory', async () => {
    const here = await frozen()
    await stillFrozen({ session: here.notes.session('agent'), turns: here.turns })
    await stillFrozen({ ...(await another(here.directory)), turns: here.turns })
  })

  test('not a clock that goes back, or forward', async () => {
    const here = await frozen()
    const past = await reopened(here, { clock: () => 0 })
    await stillFrozen({ ...past, turns: here.turns })
    await stillFrozen({ ...(await reopened(past, { clock: () => 4e12 })), turns: here.turns })
  })

  test('not the knobs, nor any other option: the boundary has none but to look', async () => {
    const here = await frozen()
    await here.session.configure({ retention: 1e12, recencyWindow: 1 })
    await here.session.configure({ retention: false, recencyWindow: false })
    for (const option of ['force', 'threshold', 'thresholds', 'thaw', 'window', 'minSamples'])
      await expect(here.session.boundary({ [option]: 1 } as never)).rejects.toMatchObject({
        code: 'INVALID_ARGUMENT',
      })
    await expect(
      here.session.register({ text: cite(here.turns[1]!) }, { force: true } as never),
    ).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
    await expect(
      here.session.reconcile({ summarize: () => undefined, force: true } as never),
    ).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
    await stillFrozen(here)
  })

  test('not that the signals went down by themselves: the boundary goes on saying freeze', async () => {
    const here = await frozen()
    await here.notes.retire([here.summary])
    const boundary = await here.session.boundary()
    expect(boundary.signals.citationOverhang.value).toBe(0)
    expect(boundary).toMatchObject({ decision: 'freeze', advice: 'FREEZE_AND_RECONCILE' })
    await stillFrozen(here)
  })

  test('not an answer remembered for a command: a repeated command answers, a new one is refused', async () => {
    const here = await talk()
    const { session, notes, turns } = here
    const text = cite(turns[0]!, turns[1]!)
    const first = await session.register({ text }, { commandId: 'once' })
    await notes.retire([turns[0]!])
    await session.boundary()
    expect(await session.register({ text }, { commandId: 'once' })).toEqual(first)
    await expect(session.register({ text: cite(turns[1]!) }, { commandId: 'twice' })).rejects.toMatchObject(
      FROZEN,
    )
  })

  test('not a direct call of the ledger’s port', async () => {
    const here = await frozen()
    await here.store.close()
    const ledger = openSqliteLedger(join(here.directory, 'ledger.db'))
    try {
      const { ref } = await ledger.openCollection('notes', undefined, { recreate: false, create: false })
      const plan = await ledger.sessions.reconciliation(ref, 'agent')
      const { mark, basedOn, fingerprint } = plan
      const command = { mark, basedOn, fingerprint, rewrites: [], withdrawn: [] }
      // A reconcile pass that rewrites nothing while a summary is stale.
      await expect(ledger.sessions.reconcile(ref, 'agent', command)).rejects.toMatchObject({
        code: 'DEPENDENCY_UNSATISFIED',
      })
      await expect(
        ledger.sessions.reconcile(ref, 'agent', { ...command, mark: { epoch: 0, interventions: 0 } }),
      ).rejects.toMatchObject({ code: 'INPUTS_MOVED' })
      await expect(ledger.register(ref, 'agent', [], {})).rejects.toMatchObject(FROZEN)
      expect(await ledger.sessions.freeze(ref, 'agent')).toMatchObject({ decision: 'freeze' })
    } finally {
      await ledger.close()
    }
  })

  test('not a statement in the file: what says that it is frozen is append-only', async () => {
    const here = await frozen()
    const db = new Database(join(here.directory, 'ledger.db'))
    expect(() => db.exec('DELETE FROM intervention')).toThrow(/append-only/)
    expect(() => db.exec('UPDATE intervention SET kind = 3')).toThrow(/append-only/)
    db.close()
    await stillFrozen(here)
  })

  test('not verify, prune, or pruned events', async () => {
    const here = await frozen()
    await here.store.verify({ repair: true })
    await here.store.prune({ before: Date.now() + 1 })
    const position = here.notes.id && (await here.store.collections())[0]!.position
    await here.store.consumers().pruneEvents('notes', { before: position, force: true })
    await stillFrozen(here)
    await stillFrozen({ ...(await reopened(here)), turns: here.turns })
  })

  test('not another name of the collection', async () => {
    const here = await frozen()
    await here.store.renameCollection('notes', 'journal')
    const renamed = await here.store.collection('journal')
    await stillFrozen({ session: renamed.session('agent'), turns: here.turns })
  })

  test('not a copy: a restored backup is as frozen as the store was', async () => {
    const here = await frozen()
    const backup = join(temporary(), 'backup')
    const copy = join(temporary(), 'copy')
    await here.store.backup(backup)
    await restoreBackup(backup, copy)
    await stillFrozen({ ...(await another(copy)), turns: here.turns })
  })

  test('not discardEpoch', async () => {
    const here = await inflated()
    await here.session.discardEpoch()
    expect(await here.session.frozen()).toMatchObject({ decision: 'freeze_and_rollback', discarded: true })
    await stillFrozen(here)
    await here.session.discardEpoch()
    await stillFrozen(here)
  })

  test('not a reconcile pass that could not rewrite everything', async () => {
    const here = await frozen()
    const result = await here.session.reconcile({ summarize: () => undefined })
    expect(result).toMatchObject({
      outcome: 'incomplete',
      resumed: false,
      unresolved: [{ key: here.summary, why: 'NOT_REWRITTEN', keys: [here.turns[0]] }],
    })
    await stillFrozen(here)
  })

  test('not a reconcile pass whose summarizer fails', async () => {
    const here = await frozen()
    const fails = () => {
      throw new Error('out of tokens')
    }
    await expect(here.session.reconcile({ summarize: fails })).rejects.toThrow('out of tokens')
    await stillFrozen(here)
  })
})

describe('a freeze for rollback', () => {
  test('is ended by discardEpoch and then reconcile, in this order alone', async () => {
    const { session, turns } = await inflated()
    await expect(session.reconcile({ summarize: () => undefined })).rejects.toMatchObject({
      ...FROZEN,
      detail: { decision: 'freeze_and_rollback', discarded: false },
    })
    expect(await session.discardEpoch()).toMatchObject({ epoch: 2 })
    expect(await session.reconcile({ summarize: () => undefined })).toMatchObject({
      outcome: 'reconciled',
      epoch: 3,
      resumed: true,
    })
    expect(await session.boundary()).toMatchObject({
      decision: 'proceed',
      signals: { referenceInflation: { elevated: false } },
    })
    await session.register({ text: cite(turns[2]!) })
  })

  test('survives a restart between its two steps', async () => {
    const here = await inflated()
    await here.session.discardEpoch()
    const again = await reopened(here)
    expect(await again.session.frozen()).toMatchObject({ decision: 'freeze_and_rollback', discarded: true })
    expect(await again.session.reconcile({ summarize: () => undefined })).toMatchObject({ resumed: true })
    expect(await again.session.frozen()).toBeUndefined()
  })
})

describe('freezing', () => {
  test('is one transaction with its reading, and two processes freeze once', async () => {
    const here = await talk()
    await here.session.register({ text: cite(here.turns[0]!) })
    await here.notes.retire([here.turns[0]!])
    const other = await another(here.directory)
    const both = await Promise.all([here.session.boundary(), other.session.boundary()])
    expect(both.map(({ decision }) => decision)).toEqual(['freeze', 'freeze'])
    const rows = look(here, (connection) => connection.rows('SELECT kind FROM intervention'))
    expect(rows).toEqual([[0]])
  })

  test('leaves no text of the session behind: its reason and its rows hold none', async () => {
    const here = await frozen()
    await here.session.observe({ context: [{ text: `Secret words. ${cite(here.turns[1]!)}` }] })
    await here.session.boundary()
    const rows = look(here, (connection) =>
      ['observation', 'snapshot', 'reading', 'intervention', 'session_cycle', 'session_age'].flatMap(
        (table) => connection.rows(`SELECT * FROM ${table}`),
      ),
    )
    const written = JSON.stringify(rows)
    expect(written).not.toContain('Secret')
    expect(written).not.toContain('migration')
    await expect(openStore(here.directory).then((store) => store.close())).resolves.toBeUndefined()
  })
})
