import {
  type Advice,
  type Collection,
  type Freeze,
  type Key,
  openStore,
  type Regime,
  type Session,
} from '../../src/index.ts'
import { meetings, readMeeting } from '../store/corpora.ts'
import { random } from '../store/random.ts'

/*
 * A long session over real meeting transcripts. Every cycle it hears six turns, reads some of what its summaries cite
 * and some of what they do not, shows its context, asks the boundary, and compacts: the current block of ten cycles
 * grows, older blocks are compacted again and cite less each time, the oldest go into an archive. Turns that are sixty
 * cycles old are evicted, but for two of each block, which is what its summary cites by then.
 *
 * A fault begins at one cycle and stays. Once frozen, the session compacts no more, and is not reconciled: what would
 * have come is seen from the scripted reads, one cited key a cycle, which go on.
 */

export const FAULTS = [
  'none',
  'none, through an index of its own',
  'citations to evicted spans',
  'lagging index',
  'duplicate representations',
  're-inflating references',
  'recency skew',
] as const
export type Fault = (typeof FAULTS)[number]

export interface Outcome {
  readonly fault: Fault
  readonly cycles: number
  /** The first cycle with an elevated signal, and which it was. */
  readonly signal?: { readonly cycle: number; readonly numbers: readonly number[] }
  /** The first cycle that was told anything but to proceed. */
  readonly decision?: { readonly cycle: number; readonly advice: Advice }
  /** The first scripted read of a cited key that found nothing to stand on. */
  readonly drift?: { readonly cycle: number }
  readonly regime: Regime
  /** Reconcile passes, where the session was healed. */
  readonly reconciled: number
}

const TURNS = 6
const BLOCK = 10
const RETENTION = 60
/** Cycles after its end at which a block is compacted again, and how many keys it cites then. */
const AGAIN = new Map([
  [5, 6],
  [10, 4],
  [20, 3],
  [40, 2],
])
const ARCHIVED = 80

interface Block {
  readonly turns: Key[]
  readonly lengths: Map<Key, number>
  summary: Key | undefined
  cites: Key[]
}

/** The cycle at which a fault begins. */
export const FAULT_AT = 150

interface Course {
  readonly from?: number
  /** Reconcile whenever frozen, and go on. */
  readonly heals?: boolean
}

export async function simulate(fault: Fault, cycles = 300, course: Course = {}): Promise<Outcome> {
  const store = await openStore(':memory:')
  try {
    const talk = await store.collection('talk')
    const { from = FAULT_AT, heals = false } = course
    return await new Simulation(talk, talk.session('agent'), fault, { from, heals }).run(cycles)
  } finally {
    await store.close()
  }
}

class Simulation {
  readonly #talk: Collection
  readonly #session: Session
  readonly #fault: Fault
  readonly #from: number
  readonly #next = random(11)
  readonly #said = transcript()
  readonly #blocks: Block[] = []
  readonly #archive: Block = { turns: [], lengths: new Map(), summary: undefined, cites: [] }
  readonly #written = new Map<Key, { readonly block: Block; readonly cites: readonly Key[] }>()
  readonly #heals: boolean
  #position = 0
  #indexed = 0
  #scripted = 0

  constructor(talk: Collection, session: Session, fault: Fault, { from, heals }: Required<Course>) {
    this.#talk = talk
    this.#session = session
    this.#fault = fault
    this.#from = from
    this.#heals = heals
  }

  async run(cycles: number): Promise<Outcome> {
    let outcome: Outcome = { fault: this.#fault, cycles, regime: 'enforced', reconciled: 0 }
    for (let cycle = 0; cycle < cycles; cycle++) {
      const faulty = cycle >= this.#from && !this.#fault.startsWith('none')
      const block = await this.#hear(cycle)
      await this.#evict(cycle, faulty)
      if (!(faulty && this.#fault === 'lagging index')) this.#indexed = this.#position
      await this.#read(cycle, faulty)
      await this.#show(block, faulty)
      const boundary = await this.#session.boundary()
      const numbers = Object.values(boundary.signals).flatMap(({ elevated }, i) => (elevated ? [i + 1] : []))
      outcome = {
        ...outcome,
        regime: boundary.regime,
        ...(numbers.length > 0 && outcome.signal === undefined ? { signal: { cycle, numbers } } : {}),
        ...(boundary.advice !== 'PROCEED' && outcome.decision === undefined
          ? { decision: { cycle, advice: boundary.advice } }
          : {}),
      }
      if (boundary.frozen === undefined) await this.#compact(cycle, block, faulty)
      else if (this.#heals) {
        await this.#reconcile(boundary.frozen)
        outcome = { ...outcome, reconciled: outcome.reconciled + 1 }
      }
      if (!(await this.#scriptedRead()) && outcome.drift === undefined)
        outcome = { ...outcome, drift: { cycle } }
    }
    return outcome
  }

  get #ownIndex(): boolean {
    return this.#fault === 'lagging index' || this.#fault === 'none, through an index of its own'
  }

  async #hear(cycle: number): Promise<Block> {
    const spans = Array.from({ length: TURNS }, () => ({ text: this.#said.next().value as string }))
    const { added, position } = await this.#talk.append({ source: 'talk', spans })
    this.#position = position
    if (cycle % BLOCK === 0)
      this.#blocks.push({ turns: [], lengths: new Map(), summary: undefined, cites: [] })
    const block = this.#blocks.at(-1)!
    added.forEach((key, i) => {
      block.turns.push(key)
      block.lengths.set(key, spans[i]!.text.length)
    })
    return block
  }

  /** The longest turns say the most: what a summary of a block cites. */
  #telling({ turns, lengths }: Block, count: number): Key[] {
    return turns.toSorted((a, b) => lengths.get(b)! - lengths.get(a)!).slice(0, count)
  }

  async #evict(cycle: number, faulty: boolean): Promise<void> {
    const old = this.#blocks[Math.floor((cycle - RETENTION) / BLOCK)]
    if (old === undefined || cycle % BLOCK !== 0) {
      // Eviction by age alone, whatever is cited.
      if (faulty && this.#fault === 'citations to evicted spans') await this.#evictCited(cycle)
      return
    }
    const kept = this.#telling(old, 2)
    await this.#talk.retire(
      old.turns.filter((key) => !kept.includes(key)),
      { reason: 'evicted' },
    )
  }

  async #evictCited(cycle: number): Promise<void> {
    const old = this.#blocks.slice(0, Math.floor((cycle - RETENTION / 2) / BLOCK))
    const cited = old.toReversed().flatMap(({ summary, cites }) => (summary === undefined ? [] : cites))
    const live = (await this.#talk.fetchMany(cited)).filter(({ status }) => status === 'ok')
    await this.#talk.retire(
      live.slice(0, 1).map(({ key }) => key),
      { reason: 'evicted' },
    )
  }

  #cited(): Key[] {
    return [...this.#blocks, this.#archive].flatMap(({ summary, cites }) =>
      summary === undefined ? [] : cites,
    )
  }

  #one<T>(values: readonly T[]): T {
    return values[Math.floor(this.#next() * values.length)]!
  }

  async #read(cycle: number, faulty: boolean): Promise<void> {
    const cited = this.#cited()
    const recent = this.#blocks.slice(-4).flatMap(({ turns }) => turns)
    const skewed = faulty && this.#fault === 'recency skew'
    const oldest = this.#blocks.slice(0, 8).flatMap((block) => this.#telling(block, 2))
    for (let i = 0; i < 4; i++) {
      if (cited.length > 0) await this.#readOne(this.#one(skewed ? oldest : cited), 'self')
      await this.#readOne(this.#one(skewed ? oldest : recent), 'external')
    }
    if (cycle % 10 === 9 && !skewed && !this.#ownIndex)
      await this.#session.search({ text: 'the meeting project button remote', k: 3 })
    if (this.#ownIndex) await this.#session.observe({ indexedThrough: this.#indexed })
  }

  async #readOne(key: Key, cited: 'self' | 'external'): Promise<void> {
    if (!this.#ownIndex) await this.#session.fetch(key, { cited })
    else await this.#session.observe({ retrievals: [{ key, hit: await this.#finds(key), cited }] })
  }

  /** What the agent's own index answers: what it has read, and is still there. */
  async #finds(key: Key): Promise<boolean> {
    const result = await this.#talk.fetch(key)
    return result.status === 'ok' && (!this.#ownIndex || result.span.position <= this.#indexed)
  }

  async #show(block: Block, faulty: boolean): Promise<void> {
    const { entries } = await this.#session.context({ maxTokens: 20_000 })
    const uncovered = block.turns.slice(-TURNS).map((key) => ({ key, tokens: block.lengths.get(key)! / 4 }))
    const again =
      faulty && this.#fault === 'duplicate representations'
        ? block.turns.slice(0, -TURNS).map((key) => ({ key, tokens: block.lengths.get(key)! / 4 }))
        : []
    await this.#session.observe({ context: [...entries, ...uncovered, ...again] })
  }

  async #compact(cycle: number, block: Block, faulty: boolean): Promise<void> {
    const work: { block: Block; cites: Key[]; covers: readonly Key[]; replaces: readonly Key[] }[] = []
    const again = (one: Block, count: number) =>
      work.push({
        block: one,
        cites: this.#telling(one, count),
        covers: one.turns,
        replaces: one.summary === undefined ? [] : [one.summary],
      })
    again(block, 8)
    this.#blocks.forEach((old, i) => {
      const since = cycle - (i + 1) * BLOCK
      const count = AGAIN.get(since)
      if (count === undefined || old.summary === undefined) return
      const inflates = faulty && this.#fault === 're-inflating references' && since >= 20
      again(old, inflates ? count + 5 : count)
    })
    const archived = this.#blocks.find(
      (old, i) => old.summary !== undefined && cycle - (i + 1) * BLOCK >= ARCHIVED,
    )
    if (archived !== undefined) {
      const cites = [...this.#archive.cites, ...archived.cites].slice(-4)
      const replaces = [this.#archive.summary ?? [], archived.summary!].flat()
      work.push({ block: this.#archive, cites, covers: [], replaces })
    }
    const done = await this.#session.register(
      work.map(({ cites, covers, replaces }) => ({ text: said(cites), covers, replaces })),
    )
    if (archived !== undefined) archived.summary = undefined
    work.forEach(({ block: one, cites }, i) => this.#stands(one, done[i]!.key, cites))
  }

  #stands(block: Block, summary: Key, cites: readonly Key[]): void {
    block.summary = summary
    block.cites = [...cites]
    this.#written.set(summary, { block, cites: block.cites })
  }

  /** What a frozen session is for: the last epoch goes where it has to, and summaries cite what resolves. */
  async #reconcile(freeze: Freeze): Promise<void> {
    if (freeze.decision === 'freeze_and_rollback' && !freeze.discarded) {
      const { discarded, restored } = await this.#session.discardEpoch()
      for (const key of discarded) this.#written.get(key)!.block.summary = undefined
      for (const { from, to } of restored) {
        const { block, cites } = this.#written.get(from)!
        this.#stands(block, to, cites)
      }
    }
    const cites = new Map<Key, Key[]>()
    const { rewritten, withdrawn } = await this.#session.reconcile({
      summarize: ({ summary, sources }) => {
        const keys = sources.map(({ key }) => key)
        cites.set(summary.key, keys)
        return keys.length === 0 ? { withdraw: true } : { text: said(keys) }
      },
    })
    for (const { from, to } of rewritten) this.#stands(this.#written.get(from)!.block, to, cites.get(from)!)
    for (const key of withdrawn) this.#written.get(key)!.block.summary = undefined
  }

  /** Each cycle the next of all cited keys, round and round. */
  async #scriptedRead(): Promise<boolean> {
    const cited = this.#cited()
    if (cited.length === 0) return true
    return await this.#finds(cited[this.#scripted++ % cited.length]!)
  }
}

const said = (cites: readonly Key[]) => cites.map((key, i) => `Point ${i + 1} was made [[${key}]].`).join(' ')

/** Turns of one meeting after the other; what is too short to say anything is left out. */
function* transcript(): Generator<string> {
  for (;;)
    for (const file of meetings)
      for (const { speaker, content } of readMeeting(file).turns)
        if (content.length > 40) yield `${speaker}: ${content}`
}

/** One line for each run. */
export function lineOf({ fault, signal, decision, drift, regime, reconciled }: Outcome): string {
  const at = (cycle: number | undefined) => (cycle === undefined ? 'never' : `cycle ${cycle}`)
  const first = signal === undefined ? '' : ` (${signal.numbers.join(', ')})`
  const advice =
    decision !== undefined
      ? ` (${decision.advice})`
      : signal === undefined
        ? ''
        : ' (proceeds with a warning)'
  const healed = reconciled === 0 ? '' : `, reconciled ${reconciled} times`
  return `${fault} (${regime}): first signal ${at(signal?.cycle)}${first}, decision ${at(decision?.cycle)}${advice}, drift ${at(drift?.cycle)}${healed}`
}
