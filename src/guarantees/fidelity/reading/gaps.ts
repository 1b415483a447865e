import type { Word } from '../words/tagging.ts'
import type { Clause } from './clause.ts'
import type { Measure } from './measures.ts'
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

/** The subject of a verb without one. */
export function subjectFor(
  clause: Clause | undefined,
  last: Statement | undefined,
  words: readonly Word[],
  from: number,
  found: readonly Statement[],
  sentence: number,
): Part[] {
  if (last === undefined || last.sentence !== sentence) return []
  const slot: Slot = clause?.passive === true ? 'object' : 'subject'
  if (clause?.link === 'relative') {
    const near = last.parts.findLast(isMain)
    return near === undefined ? [] : [lend(near, slot)]
  }
  if (clause !== undefined && clause.subject[0] < clause.subject[1]) {
    const owner = found.find(({ parts }) =>
      parts.some(({ at, borrowed }) => !borrowed && at >= clause.subject[0] && at < clause.subject[1]),
    )
    if (owner !== undefined)
      return owner.parts
        .filter(({ at }) => at >= clause.subject[0] && at < clause.subject[1])
        .map((part) => lend(part, part.slot === 'owner' || part.slot === 'trait' ? part.slot : slot))
  }
  const infinitive = words[from]?.tag === 'T'
  const object = last.parts.find(({ slot: own, key }) => own === 'object' && key !== 'open')
  if (
    infinitive &&
    object !== undefined &&
    last.head >= 0 &&
    /^(?:ask|tell|order|want|get|let|make|help|remind|allow|permit|request|urge|invite|advise|instruct|have)$/.test(
      words[last.head]!.lemma,
    )
  )
    return [lend(object, slot)]
  return last.parts
    .filter(({ slot: own }) => own === (last.clause?.passive === true ? 'object' : 'subject'))
    .map((part) => lend(part, slot))
}

/** "the repair that Dad paid for": what a relative clause with its own subject speaks of. */
export function antecedentFor(
  clause: Clause | undefined,
  last: Statement | undefined,
  sentence: number,
): Part[] {
  if (clause?.link !== 'relative' || last === undefined || last.sentence !== sentence) return []
  const near = last.parts.findLast(isMain)
  return near === undefined ? [] : [lend(near, 'object')]
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
    filled.set(part, bare.length === 1 ? lone : k === 0 ? 'subject' : 'object')
  const own = parts.map((part) => inSlot(part, filled.get(part) ?? part.slot))
  const taken = (slot: Slot) => own.some((part) => part.slot === slot)
  const kept = last.parts.filter(({ slot }) => (slot === 'subject' || slot === 'object') && !taken(slot))
  return [...kept.map((part) => lend(part)), ...own]
}
