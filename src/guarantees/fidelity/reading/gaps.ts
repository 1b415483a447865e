import { anyOf } from '../words/cues.ts'
import type { Word } from '../words/tagging.ts'
import type { Clause, Reading } from './clause.ts'
import type { Measure } from './measures.ts'
import { HANDS } from './noun-phrases.ts'
import type { Part, Slot, Statement } from './statement.ts'

/** What a statement is about, not whose or what kind that is. */
const isMain = ({ slot }: Part) => slot !== 'trait' && slot !== 'owner'

/** The same part in another slot. */
export const inSlot = (
  { at, of, stands, key, measure, borrowed }: Part,
  slot: Slot,
  lent: boolean = borrowed,
): Part => ({ at, slot, of, stands, key, measure, borrowed: lent })

export const lend = (part: Part, slot: Slot = part.slot): Part => inSlot(part, slot, true)

/** The main part that stands last. */
export const nearestIn = (parts: readonly Part[]): Part | undefined =>
  parts.reduce<Part | undefined>(
    (near, part) =>
      isMain(part) && !part.borrowed && !(near !== undefined && near.at > part.at) ? part : near,
    undefined,
  )

const COMMANDS = anyOf(
  'ask tell order want get let make help remind allow permit request urge invite advise instruct have forbid persuade convince force teach expect encourage enable require warn train cause would_like prefer need pay trust',
)
/** "prevented the thief from escaping" */
const KEEPS = anyOf('prevent keep stop ban bar discourage dissuade block hinder prohibit exclude exempt save')
/** Whose object does what the bare infinitive after it says. */
const WATCHES = anyOf('let make help see hear watch have')

const takesInfinitive = (words: readonly Word[], { verb, head }: Clause) => {
  for (let i = verb; i < head; i++) if (words[i]!.tag === 'T') return true
  return false
}

/** The subject of a verb without one. */
export function subjectFor({
  clause,
  clauses,
  last,
  before,
  words,
  found,
  sentence,
}: {
  readonly clause: Clause | undefined
  readonly clauses: readonly Clause[]
  readonly last: Statement | undefined
  /** What stands right before. */
  readonly before: Part | undefined
  readonly words: readonly Word[]
  readonly found: readonly Statement[]
  readonly sentence: number
}): Part[] {
  const slot: Slot = clause?.passive === true ? 'object' : 'subject'
  if (clause?.link === 'relative' && before !== undefined) return [lend(before, slot)]
  if (last === undefined || last.sentence !== sentence || clause?.imperative === true) return []
  // "did not say who broke it"
  if (clause?.link === 'complement' && /^(?:who|what|which)$/.test(words[clause.start]?.norm ?? '')) return []
  if (clause !== undefined && clause.subject[0] < clause.subject[1]) {
    const inside = ({ at }: Part) => at >= clause.subject[0] && at < clause.subject[1]
    const owner = found.find(({ parts }) => parts.some((part) => !part.borrowed && inside(part)))
    if (owner !== undefined)
      return owner.parts
        .filter(inside)
        .map((part) => lend(part, part.slot === 'owner' || part.slot === 'trait' ? part.slot : slot))
  }
  const outer =
    (clause === undefined || clause.parent < 0
      ? undefined
      : found.findLast((one) => one.clause?.id === clause.parent && one.sentence === sentence)) ?? last
  const object = outer.parts.find(({ slot: own, key }) => own === 'object' && key !== 'open')
  if (
    clause !== undefined &&
    object !== undefined &&
    outer.head >= 0 &&
    (takesInfinitive(words, clause)
      ? COMMANDS.has(words[outer.head]!.lemma)
      : words[clause.start]?.norm === 'from' && KEEPS.has(words[outer.head]!.lemma))
  )
    return [lend(object, slot)]
  const whole = clauses[clause?.parent ?? -1]?.passive ?? outer.clause?.passive
  return outer.parts
    .filter(({ slot: own }) => own === (whole === true ? 'object' : 'subject'))
    .map((part) => lend(part, slot))
}

/** "the repair that Dad paid for": what a relative clause with its own subject speaks of. */
export function antecedentFor(
  clause: Clause | undefined,
  before: Part | undefined,
  words: readonly Word[],
  parts: readonly Part[],
): Part[] {
  if (clause?.link !== 'relative' || before === undefined || words[clause.start]?.norm === 'whose') return []
  const has = parts.some(({ slot, measure }) => slot === 'object' && measure === undefined)
  return has && !HANDS.has(words[clause.head]!.lemma) ? [] : [lend(before, 'object')]
}

/** What a verb shares with one that comes after it. */
export function withShared({ words, clauses }: Reading, found: readonly Statement[]): readonly Statement[] {
  let changed: Statement[] | undefined
  const add = (statement: Statement, parts: readonly Part[]) => {
    if (parts.length === 0) return
    changed ??= [...found]
    changed[statement.id] = {
      id: statement.id,
      head: statement.head,
      clause: statement.clause,
      parts: [...parts, ...statement.parts],
      at: statement.at,
      sentence: statement.sentence,
    }
  }
  for (const [k, statement] of found.entries()) {
    const { clause, head, parts, sentence } = statement
    const next = found[k + 1]
    if (clause === undefined || next?.clause === undefined || next.sentence !== sentence) continue
    const slot: Slot = clause.passive ? 'object' : 'subject'
    // "After deploying the fix, Mira closed it": whose deed it is comes after.
    if (!clause.finite && clause.parent > clause.id && !parts.some((part) => part.slot === slot)) {
      const main = found.find((one) => one.clause?.id === clause.parent)
      const doer = main?.clause?.passive === true ? 'object' : 'subject'
      add(statement, main?.parts.filter((part) => part.slot === doer).map((part) => lend(part, slot)) ?? [])
    }
    const objectless = !parts.some((part) => part.slot === 'object')
    // "merge or rebase the branch"
    if (
      objectless &&
      !clause.passive &&
      !clause.copula &&
      words[head + 1]?.tag === 'C' &&
      next.clause.link === 'coordinate' &&
      !next.clause.passive &&
      next.clause.verb === head + 2
    )
      add(
        statement,
        next.parts.filter((part) => part.slot === 'object').map((part) => lend(part)),
      )
    // "helped Lena move the piano"
    if (
      objectless &&
      WATCHES.has(words[head]?.lemma ?? '') &&
      next.clause.parent === clause.id &&
      next.clause.link === 'complement' &&
      words[next.clause.head]!.form === 'base' &&
      clauses[next.clause.id]!.subject[0] === head + 1
    )
      add(
        statement,
        next.parts.filter((part) => part.slot === 'subject').map((part) => lend(part, 'object')),
      )
  }
  return changed ?? found
}

/** A part that continues a list has the slot of the part before it. */
export function listed(last: Statement, part: Part): Part {
  if (part.slot !== 'bare') return part
  const before = last.parts.findLast(isMain)
  return before === undefined ? part : inSlot(part, before.slot === 'quantity' ? 'object' : before.slot)
}

/** "…, Ben the bus", "… and metrics to Prometheus": the slots of the statement before, filled anew. */
export function parallelTo(last: Statement, parts: readonly Part[]): readonly Part[] | undefined {
  const main = parts.filter(isMain)
  if (main.length < 2) return undefined
  const bare = main.filter(({ slot }) => slot === 'bare')
  const has = (slot: Slot, measure?: Measure) =>
    last.parts.some((part) => part.slot === slot && part.measure?.kind === measure?.kind)
  const repeated = main.filter(({ slot, measure }) => slot !== 'bare' && has(slot, measure))
  if (repeated.length + Math.min(2, bare.length) < 2) return undefined
  const lone: Slot = has('object') ? 'object' : 'subject'
  const filled = new Map<Part, Slot>()
  for (const [k, part] of bare.entries())
    filled.set(
      part,
      bare.length === 1 ? lone : k === 0 && last.clause?.passive !== true ? 'subject' : 'object',
    )
  const own = parts.map((part) => inSlot(part, filled.get(part) ?? part.slot))
  const taken = (slot: Slot) => own.some((part) => part.slot === slot)
  const kept = last.parts.filter(({ slot }) => (slot === 'subject' || slot === 'object') && !taken(slot))
  return [...kept.map((part) => lend(part)), ...own]
}
