import { describe, expect, it } from 'vitest'
import { type Gated, isSpanStoreError, type Key, openStore } from '../../src/index.ts'
import { random } from '../store/helpers.ts'

const fact = (i: number) => `Room ${i} is open on Monday and closed on Sunday.`

describe('a recheck is as good as another gate', () => {
  it('whatever happens in between: what holds passes again, and what is refused had something happen to it', async () => {
    let held = 0
    let refused = 0
    for (let seed = 1; seed <= 5; seed++) {
      const pick = random(seed)
      const below = (n: number) => Math.floor(pick() * n)
      const store = await openStore(':memory:')
      const notes = await store.collection('notes')
      const far = await store.collection('far')
      const session = notes.session('agent')
      let rooms = Array.from({ length: 8 }, (_, i) => i)
      const put = () => notes.put({ source: 'rooms', spans: rooms.map((i) => ({ text: fact(i) })) })
      await put()
      await far.put({ source: 'rooms', spans: [{ text: fact(90) }, { text: fact(91) }] })
      /** What may be quoted, by key. */
      const said = new Map<Key, string>()
      const spans = async () => [...(await notes.find({ limit: 100 })), ...(await far.find({ limit: 100 }))]
      for (const { key, text } of await spans()) said.set(key, text)
      const gates: { readonly gated: Gated; readonly claims: { readonly text: string }[] }[] = []

      for (let step = 0; step < 24; step++) {
        const keys = [...said.keys()]
        const some = keys[below(keys.length)]!
        switch (below(8)) {
          case 0:
            rooms = rooms.map((i) => (pick() < 0.15 ? 20 + below(60) : i))
            await put()
            break
          case 1:
            rooms = [...rooms].sort(() => pick() - 0.5)
            await put()
            break
          case 2:
            await (pick() < 0.5 ? notes : far).retire([some])
            break
          case 3:
            await put()
            break
          case 4:
            await notes.update({ keys: [some], metadata: { step } }).catch(() => undefined)
            break
          case 5:
          case 6:
            try {
              const live = await session.summaries()
              const replaces = pick() < 0.3 ? live[below(live.length)]?.key : undefined
              const { key } = await session.register({
                text: `${said.get(some)} [[${some}]]`,
                ...(replaces === undefined ? {} : { replaces }),
              })
              said.set(key, said.get(some)!)
            } catch (error) {
              if (!isSpanStoreError(error, 'DEPENDENCY_UNSATISFIED') && !isSpanStoreError(error, 'CYCLE'))
                throw error
            }
            break
          default:
            await notes.put({ source: `other ${step}`, text: 'Something else.' })
        }
        for (const { key, text } of await spans()) said.set(key, text)
        const claims = Array.from({ length: 1 + below(2) }, () => {
          const key = keys[below(keys.length)]!
          return { text: `${said.get(key)} [[${key}]]` }
        })
        gates.push({ gated: await session.gate(claims, { ranks: false }), claims })

        const earlier = gates[below(gates.length)]!
        const { verdict, moved } = await session.recheck(earlier.gated)
        const again = await session.gate(earlier.claims, { ranks: false })
        if (verdict === 'holds') {
          held++
          expect(again.verdict, `seed ${seed}, step ${step}`).toBe('substantiated')
          expect(moved).toEqual([])
        } else if (earlier.gated.verdict === 'substantiated') {
          refused++
          // Each of them was retired, moved, updated or is not current since the gate looked.
          expect(moved.length, `seed ${seed}, step ${step}`).toBeGreaterThan(0)
        }
        // Authority says the same of each claim that passed.
        if (earlier.gated.verdict === 'substantiated' && again.verdict === 'substantiated')
          expect(again.claims.map((claim) => claim.authority.state)).toEqual(
            again.claims.map(() => 'verified'),
          )
      }
      await store.close()
    }
    expect(held).toBeGreaterThan(10)
    expect(refused).toBeGreaterThan(3)
  })
})
