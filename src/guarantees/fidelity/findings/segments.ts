import { compareWords, isContent } from '../comparing/alignment.ts'
import { type Comparison, type Finding, finding, type Side, said } from '../comparing/comparison.ts'
import { anyOf } from '../words/cues.ts'
import { isPerson } from '../words/people.ts'
import type { Word } from '../words/tagging.ts'
import { isName } from './names.ts'

/** A stretch of a sentence between joints, and what place each telling word has in it. */
interface Segment {
  readonly from: number
  readonly to: number
  readonly places: ReadonlyMap<number, string>
  readonly verbless: boolean
}

const JOINTS = anyOf('and but while whereas or nor yet then , ; . ! ? : – — --')
/** A claim with one of these sets the two apart itself. */
const SETTING_APART = anyOf(
  'not no never neither nor only but while whereas unlike than other both all each same instead',
)
/** Words up to which what stands side by side can be told. */
const SHORT = 48
const BRIEF = 16

/**
 * "forgot the March invoice but remembered the February one" became "forgot the February invoice": a claim that takes
 * one word from either of two stretches side by side, where each has another word in the same place.
 */
export function segmentFindings(comparison: Comparison): Finding[] {
  const { source, claim } = comparison
  if (source.words.length > SHORT || claim.words.length > BRIEF) return []
  if (claim.words.some(({ norm, tag }) => tag === '-' || SETTING_APART.has(norm))) return []
  const segments = segmentsOf(source)
  for (let k = 1; k < segments.length; k++) {
    const [one, other] = [segments[k - 1]!, segments[k]!]
    const crossed = crossedIn(comparison, one, other)
    if (crossed === undefined) continue
    const { a, x, b, y } = crossed
    return [
      finding(
        comparison,
        'entity_mismatch',
        'hard',
        0.8,
        [a, x],
        [Math.min(...toldOf(comparison, a)), Math.min(...toldOf(comparison, b))],
        `side by side the source has '${said(source, a)}' with '${said(source, x)}' and '${said(source, b)}' with '${said(source, y)}'`,
      ),
    ]
  }
  return []
}

/** Words of the claim that stand for a word of the source. */
function toldOf({ source, claim, alignment }: Comparison, s: number): number[] {
  const word = source.words[s]!
  return claim.words.flatMap((mine, c) => {
    const link = alignment.links[c]!
    return mine.lemma === word.lemma ||
      (link.source === s && link.likeness.sign === 1 && link.likeness.score >= 0.8)
      ? [c]
      : []
  })
}

function crossedIn(
  comparison: Comparison,
  one: Segment,
  other: Segment,
): { a: number; x: number; b: number; y: number } | undefined {
  const { source } = comparison
  const isIn = (s: number, { from, to }: Segment) => {
    const { lemma } = source.words[s]!
    for (let i = from; i < to; i++) if (source.words[i]!.lemma === lemma) return true
    return false
  }
  const told = (segment: Segment, away: Segment) =>
    [...segment.places.keys()].filter((s) => !isIn(s, away) && toldOf(comparison, s).length > 0)
  const untold = (segment: Segment, away: Segment) =>
    [...segment.places.keys()].filter((s) => !isIn(s, away) && toldOf(comparison, s).length === 0)
  const [mineHere, mineThere] = [told(one, other), told(other, one)]
  if (mineHere.length === 0 || mineThere.length === 0) return undefined
  const [freeHere, freeThere] = [untold(one, other), untold(other, one)]
  // Each word the claim takes from the one has a rival in the other, and the other way round.
  for (const a of mineHere) {
    const y = freeThere.find((s) => areRivals(source, one, a, other, s))
    if (y === undefined) continue
    for (const b of mineThere) {
      const x = freeHere.find((s) => areRivals(source, other, b, one, s))
      if (x !== undefined && x !== a) return { a, x, b, y }
    }
  }
  return undefined
}

function areRivals(side: Side, mine: Segment, s: number, theirs: Segment, t: number): boolean {
  const [a, b] = [side.words[s]!, side.words[t]!]
  const [here, there] = [mine.places.get(s)!, theirs.places.get(t)!]
  // What leaves its verb out has no order to go by.
  const same =
    here === there ||
    ((mine.verbless || theirs.verbless) &&
      /^(?:first|behind) /.test(here) &&
      /^(?:first|behind) /.test(there) &&
      here.slice(-4) === there.slice(-4))
  if (!same) return false
  if (a.tag === 'V') return b.tag === 'V' && compareWords(a, b).match === 'antonym'
  if (a.kind !== b.kind || (a.tag !== b.tag && !(/^[NA]$/.test(a.tag) && /^[NA]$/.test(b.tag)))) return false
  return kindOf(a) === kindOf(b)
}

const kindOf = (word: Word): string =>
  word.tag === 'N'
    ? isPerson({ ...word, first: false })
      ? 'person'
      : isName(word)
        ? 'name'
        : 'thing'
    : word.tag === 'A'
      ? 'thing'
      : word.tag

/** Stretches with something of their own. */
function segmentsOf(side: Side): Segment[] {
  const { words } = side
  const found: Segment[] = []
  let from = 0
  for (let i = 0; i <= words.length; i++) {
    if (i < words.length && !(JOINTS.has(words[i]!.norm) && /^[.CS]$/.test(words[i]!.tag))) continue
    const places = placesIn(side, from, i)
    if (places.size > 1) {
      let verbless = true
      for (let k = from; k < i; k++) if (/^[VXM]$/.test(words[k]!.tag)) verbless = false
      found.push({ from, to: i, places, verbless })
    }
    from = i + 1
  }
  return found
}

/** What tells a word's part: the verb, or the phrase by its preposition or its order, and whether it is the phrase's head. */
function placesIn({ words }: Side, from: number, to: number): ReadonlyMap<number, string> {
  const places = new Map<number, string>()
  let phrase = 'first'
  for (let i = from; i < to; i++) {
    const word = words[i]!
    const { tag, norm } = word
    if (tag === 'I' || tag === 'T') phrase = norm
    else if (tag === 'V' || tag === 'X' || tag === 'M') phrase = 'behind'
    if (!isContent(word)) continue
    if (tag === 'V') places.set(i, 'verb')
    else {
      const next = words[i + 1]
      const inner = i + 1 < to && next !== undefined && (next.tag === 'N' || /^ones?$/.test(next.norm))
      places.set(i, `${phrase} ${inner ? 'trait' : 'head'}`)
    }
  }
  return places
}
