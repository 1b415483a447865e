import { isContent } from '../comparing/alignment.ts'
import type { Side } from '../comparing/comparison.ts'
import type { Quantity } from '../quantities/quantities.ts'
import { type Amount, anyOf } from '../words/cues.ts'

/** A counted or quantified set of things, and all that is said of its members. */
export interface Crowd {
  /** First word of its number or quantifier. */
  readonly at: number
  /** Its noun; -1 in "two thirds wear red". */
  readonly head: number
  readonly to: number
  readonly quantity: Quantity | undefined
  readonly range: Quantity | undefined
  readonly amount: Amount | undefined
  /** An article or a bare "one": a member. */
  readonly single: boolean
  /** "six helpers" in "half of the six helpers". */
  readonly whole: Quantity | undefined
  readonly stretch: number
}

/** Words between two breaks that say one thing of the crowds in front of its verb. */
interface Stretch {
  readonly from: number
  readonly to: number
  readonly verb: number
  readonly there: boolean
}

const BREAKS = anyOf('. ; : ! ? while whereas but because since so')
export const isVerb = ({ words }: Side, i: number) =>
  words[i]!.tag === 'V' || words[i]!.tag === 'X' || words[i]!.tag === 'M'
const ARTICLES = anyOf('a an another')
const opensCrowd = (side: Side, i: number) =>
  countAt(side, i) !== undefined || side.scopes.quantifiers[i] === i || ARTICLES.has(side.words[i]!.norm)

/** A number of things or a share of them; not the 2 of "freezer 2", nor 1.2. */
const countAt = ({ words, quantities }: Side, i: number): Quantity | undefined =>
  quantities.find(
    ({ from, kind, value }) =>
      from === i &&
      (kind === 'share' || (kind === 'count' && Number.isInteger(value) && words[i - 1]?.tag !== 'N')),
  )

function stretchesOf(side: Side): Stretch[] {
  const { words } = side
  const list: Stretch[] = []
  let from = 0
  let verb = -1
  let crowds = 0
  const close = (to: number) => {
    if (to > from)
      list.push({ from, to, verb, there: words.slice(from, to).some(({ norm }) => norm === 'there') })
    from = to + 1
    verb = -1
    crowds = 0
  }
  for (let i = 0; i < words.length; i++) {
    const { norm } = words[i]!
    if (BREAKS.has(norm)) close(i)
    // "two wear red and one wears green": a new crowd behind "and", with a verb of its own.
    else if (
      (norm === 'and' || norm === ',') &&
      verb >= 0 &&
      i + 1 < words.length &&
      opensCrowd(side, i + 1) &&
      hasVerbAfter(side, i + 1, words[verb]!.lemma)
    )
      close(i)
    else if (
      isVerb(side, i) &&
      verb < 0 &&
      (crowds > 0 || words.slice(from, i).some(({ norm }) => norm === 'there'))
    )
      verb = i
    if (i >= from && opensCrowd(side, i)) crowds++
  }
  close(words.length)
  return list
}

/** A verb, or the word that was the verb before, follows in this sentence before another break. */
function hasVerbAfter(side: Side, at: number, lemma: string): boolean {
  for (
    let i = at;
    i < side.words.length && !BREAKS.has(side.words[i]!.norm) && side.words[i]!.norm !== ',';
    i++
  )
    if (isVerb(side, i) || side.words[i]!.norm === lemma) return side.words[i]!.form !== 'ing'
  return false
}

/** A subject, or what there is. */
export const inFront = ({ words }: Side, { from, verb, there }: Stretch, at: number) =>
  there ||
  ((verb < 0 || at < verb) &&
    words.slice(from, at).every(({ tag }) => tag !== 'V' && tag !== 'X' && tag !== 'M'))

export interface Layout {
  readonly crowds: readonly Crowd[]
  readonly stretches: readonly Stretch[]
}

/** Every crowd of a text in order: numbers, quantifiers, articles, each with its noun. */
export function layOut(side: Side, nouns: ReadonlySet<string> = new Set()): Layout {
  const { words, quantities, scopes } = side
  const list: Crowd[] = []
  const heads = new Set(nouns)
  const stretches = stretchesOf(side).map((stretch, id) => {
    let last = -1
    for (let i = stretch.from; i < stretch.to; i++) {
      if (!opensCrowd(side, i)) continue
      const quantity = countAt(side, i)
      const amount = quantity === undefined ? scopes.amounts[i] : undefined
      let to = quantity?.to ?? i + 1
      let range: Quantity | undefined
      if (quantity !== undefined && words[i - 1]?.norm === 'between' && words[to]?.norm === 'and') {
        range = quantities.find(({ from }) => from === to + 1)
        if (range !== undefined) to = range.to
      }
      if (words[to]?.norm === 'out') to++
      if (words[to]?.norm === 'of') to++
      while (/^(?:the|these|those|our|their|its|all)$/.test(words[to]?.norm ?? '')) to++
      const whole = quantities.find(({ from, kind }) => from === to && kind === 'count' && from !== i)
      if (whole !== undefined) to = whole.to
      const head = nounFrom(
        side,
        to,
        stretch,
        heads,
        quantity?.kind === 'share' &&
          words[quantity.to]?.norm !== 'of' &&
          words[quantity.to - 1]?.norm !== '%',
      )
      list.push({
        at: i,
        head,
        to: head < 0 ? to : head + 1,
        quantity,
        range,
        amount,
        single: quantity === undefined && amount === undefined,
        whole,
        stretch: id,
      })
      if (head >= 0) heads.add(words[head]!.lemma)
      last = head < 0 ? to : head + 1
      i = Math.max(i, last - 1)
    }
    // "a white dog run along the grass": a verb that was taken for a noun.
    return stretch.verb < 0 && last > 0 && words[last]?.tag === 'N' ? { ...stretch, verb: last } : stretch
  })
  return { crowds: list, stretches }
}

/** The noun of a phrase that goes on here. */
function nounFrom(
  { words }: Side,
  from: number,
  { to }: Stretch,
  heads: ReadonlySet<string>,
  bare: boolean,
): number {
  if (bare) return -1
  let head = -1
  for (let i = from; i < to; i++) {
    const { tag } = words[i]!
    if (tag === 'N') {
      head = i
      if (heads.has(words[i]!.lemma)) break
    } else if (
      head >= 0 ||
      (tag !== 'A' && !(tag === 'V' && words[i + 1]?.tag === 'N' && words[i]!.form !== ''))
    )
      break
  }
  return head
}

/** Words that only carry what comes after them. */
const isCarrier = (lemma: string) => /^(?:wear|dress|be|have|total|population)$/.test(lemma)

/** The words that say something of the members of a crowd, its noun left out. */
export function propertiesOf(
  side: Side,
  crowd: Crowd,
  all: readonly Crowd[],
  stretches: readonly Stretch[],
): number[] {
  const stretch = stretches[crowd.stretch]!
  const list: number[] = []
  const rivals = all.filter(
    (other) =>
      other !== crowd &&
      other.stretch === crowd.stretch &&
      inFront(side, stretch, other.at) &&
      !stretch.there,
  )
  const next = Math.min(
    stretch.verb < 0 ? stretch.to : stretch.verb,
    ...rivals.filter(({ at }) => at > crowd.at).map(({ at }) => at),
  )
  for (let i = stretch.from; i < stretch.to; i++) {
    const word = side.words[i]!
    if (i === crowd.head || (!isState(side, i) && (!isContent(word) || word.tag === '#' || word.tag === 'R')))
      continue
    if (side.quantities.some(({ from, to }) => i >= from && i < to)) continue
    const own = i > crowd.at && i < next
    const common = stretch.verb >= 0 && i >= stretch.verb
    if ((own || common || (stretch.there && i > crowd.at)) && !isCarrier(word.lemma)) list.push(i)
  }
  return list
}

/** "are up", "is down" */
const isState = ({ words }: Side, i: number) =>
  /^(?:up|down|on|off|in|out)$/.test(words[i]!.norm) &&
  words[i - 1]?.tag !== 'V' &&
  /^[.,;CS]?$/.test(words[i + 1]?.tag ?? '')

export const isDenied = ({ words }: Side, { from, to }: Stretch) =>
  words.slice(from, to).filter(
    ({ tag, norm }, i, all) =>
      (tag === '-' && norm !== 'not_all') ||
      // "still have to be patched", "remain to be done"
      (/^(?:have_to|has_to|need_to|needs_to|to|need|needs)$/.test(norm) &&
        /^(?:still|remain|remains)$/.test(all[i - 1]?.norm ?? '')),
  ).length %
    2 ===
  1
