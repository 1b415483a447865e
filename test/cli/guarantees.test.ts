import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Key, openStore } from '../../src/index.ts'
import { newDirectory, removeDirectories, spanstore } from './command.ts'

const SAID =
  "Let's pencil in Thursday for the migration, but I want a rollback path ready — don't treat it as optional."
const INVERTED = 'User confirmed the migration window is Thursday and that rollback is not required.'
const RIGHT = 'Thursday is pencilled in for the migration, and a rollback path must be ready.'

const cwd = newDirectory()
const keys: Record<string, Key> = {}
const run = (args: readonly string[], input?: string) =>
  spanstore(args, { cwd, ...(input === undefined ? {} : { input }) })
const file = (name: string, text: unknown) => {
  writeFileSync(join(cwd, name), typeof text === 'string' ? text : JSON.stringify(text))
  return name
}

beforeAll(async () => {
  await using store = await openStore(join(cwd, '.spanstore'))
  const notes = await store.collection('default')
  const { added } = await notes.put({ source: 'chat', spans: [{ text: SAID }, { text: 'Noted, thanks.' }] })
  const summary = await notes.session('agent-7').register({ text: `${RIGHT} [[${added[0]}]]` })
  await notes.retire([added[1]!])
  Object.assign(keys, { said: added[0], gone: added[1], summary: summary.key })
})
afterAll(removeDirectories)

describe('gate', () => {
  test('exits with 0 where every claim is substantiated, and names the moment for the recheck', async () => {
    const claims = file('right.json', {
      session: 'agent-7',
      action: 'migrate',
      claims: [{ text: `${RIGHT} [[${keys.said}]]` }],
    })
    const { code, out } = await run(['gate', claims, '--json'])
    const gated = JSON.parse(out)
    expect([code, gated.verdict, gated.action]).toEqual([0, 'substantiated', 'migrate'])
    const again = await run(['gate', '--session', 'agent-7', '--recheck', gated.cursor, '--json'])
    expect([again.code, JSON.parse(again.out).verdict]).toEqual([0, 'holds'])
    const other = await run(['gate', '--session', 'another', '--recheck', gated.cursor])
    expect(other).toMatchObject({ code: 6, out: expect.stringContaining('refused') })
  })

  test('exits with 6 where one is not, and names each with its reasons, for people and for programs', async () => {
    const claims = JSON.stringify([
      { text: `${INVERTED} [[${keys.said}]]` },
      { text: RIGHT, dependencyKey: 'migration-window-confirmation' },
      { text: `Somebody thanked. [[${keys.gone}]]` },
    ])
    const { code, out } = await run(['gate', '-', '--json'], claims)
    expect(code).toBe(6)
    expect(JSON.parse(out).claims.map((claim: { code: string }) => claim.code)).toEqual([
      'NOT_FAITHFUL',
      'NO_DERIVABLE_KEY',
      'KEY_TOMBSTONE',
    ])
    const people = await run(['gate', '-'], claims)
    expect(people.code).toBe(6)
    for (const said of ['refused  3 of 3 claims', 'NOT_FAITHFUL', 'KEY_ABSENT', 'KEY_TOMBSTONE', INVERTED])
      expect(people.out).toContain(said)
    // There is nothing to look at again before an action that is refused.
    expect(people.out).not.toContain('--recheck')
    expect((await run(['gate', file('held.json', [{ text: `${RIGHT} [[${keys.said}]]` }])])).out).toContain(
      '--recheck c1.',
    )
  })

  test('takes a summary by its key, and says by 2 what is wrong with a file', async () => {
    const by = file('summary.json', { session: 'agent-7', summary: `[[${keys.summary}]]` })
    expect((await run(['gate', by])).code).toBe(0)
    const alone = file('alone.json', [{ text: RIGHT, selfSufficient: true }])
    expect((await run(['gate', alone])).code).toBe(6)
    expect((await run(['gate', alone, '--allow-unverified'])).code).toBe(0)
    for (const wrong of ['3', '{"clams": []}', '{"claims": [], "summary": "x"}', 'no json', '[{"text": 7}]'])
      expect(await run(['gate', file('wrong.json', wrong)]), wrong).toMatchObject({ code: 2, out: '' })
    // One line, whatever the file holds.
    expect((await run(['gate', file('wrong.json', 'no\njson\n')])).err.trim()).not.toContain('\n')
    expect((await run(['gate'])).code).toBe(2)
  })
})

describe('check-anchors', () => {
  test('exits with 0 where a summary leads back to what it leaves out, with 6 where not', async () => {
    const good = file('good.md', `${RIGHT} [[${keys.said}]]`)
    const { code, out } = await run(['check-anchors', good, '--json'])
    expect([code, JSON.parse(out).holds]).toEqual([0, true])
    const bad = file('bad.md', `As noted earlier. [[${keys.gone}]] [[the ledger]] etc.`)
    const people = await run(['check-anchors', bad])
    expect(people.code).toBe(6)
    for (const said of ['broken', 'DENSITY_BELOW_FLOOR', 'NOT_A_KEY', 'KEY_TOMBSTONE', '"etc." at'])
      expect(people.out).toContain(said)
    expect((await run(['check-anchors', good, '--collection', 'never'])).code).toBe(1)
    for (const wrong of [
      ['--min-density', '2'],
      ['--min-density', 'x'],
      ['--language', 'fr'],
    ])
      expect((await run(['check-anchors', good, ...wrong])).code).toBe(2)
  })
})

describe('fidelity', () => {
  test('exits with 0, 6 or 7, and needs no store', async () => {
    const apart = newDirectory()
    const ask = async (claim: string, ...more: string[]) =>
      await spanstore(['fidelity', '--source', SAID, '--claim', claim, ...more], { cwd: apart })
    expect(await ask(RIGHT)).toMatchObject({ code: 0, out: expect.stringContaining('faithful') })
    const { code, out } = await ask(INVERTED, '--json')
    expect([code, JSON.parse(out).verdict]).toEqual([6, 'unfaithful'])
    expect((await spanstore(['fidelity', '--source', SAID], { cwd: apart })).code).toBe(2)
  })
})
