import { describe, expect, it } from 'vitest'
import { openStore } from '../../src/index.ts'

describe('a claim that several spans are given for', () => {
  it('is refused when one of them denies it, though another says it word for word', async () => {
    const store = await openStore(':memory:')
    const notes = await store.collection('notes')
    const { added } = await notes.put({
      source: 's',
      spans: [{ text: 'The migration was approved.' }, { text: 'The migration was not approved.' }],
    })
    const session = notes.session('a')
    const asked = async (...keys: readonly (string | undefined)[]) =>
      await session.gate(
        [`The migration was approved.${keys.map((key) => ` [[${key}]]`).join('')}`].map(claim),
      )
    expect((await asked(added[0])).verdict).toBe('substantiated')
    for (const keys of [added, added.toReversed()])
      expect(await asked(...keys)).toMatchObject({ verdict: 'refused', claims: [{ code: 'NOT_FAITHFUL' }] })
    await store.close()
  })
})

describe('a claim that an allowance let through', () => {
  it('was not compared, so that it is not verified, neither then nor when it is asked about again', async () => {
    const store = await openStore(':memory:')
    const session = (await store.collection('notes')).session('a')
    const claims = [{ text: 'The cluster has nine nodes.', selfSufficient: true }]
    expect(await session.gate(claims, { allowUnverified: true })).toMatchObject({
      verdict: 'substantiated',
      claims: [{ authority: { state: 'write-time only' } }],
    })
    expect(await session.gate(claims)).toMatchObject({
      verdict: 'refused',
      claims: [{ authority: { state: 'write-time only' } }],
    })
    await store.close()
  })
})

const claim = (text: string) => ({ text })
