import { type Comparison, clauseAt, familyOf, type Side } from '../comparing/comparison.ts'
import type { Clause } from '../reading/clauses.ts'
import { deniesItsObject } from '../reading/operators.ts'
import { anyOf } from '../words/cues.ts'
import { isPerson } from '../words/people.ts'
import { isBare } from './ellipsis.ts'

/** Words that make a denial of the rest follow from an assertion: only she can, nobody else can. */
export const EXCLUSIVE =
  /^(?:only|only_(?:after|if|once|when)|just|else|other|others|otherwise|rest|except|except_for|excluding|apart_from|aside_from|exception|until|unless|anymore|alone|instead)$/

const AHEAD = /^(?:before|until|till)$/
const AFTERWARDS = /^(?:after|only_after|once|only_once|when|at_the_earliest|earliest)$/
const BECAUSE = anyOf('because because_of just_because')

const WITHOUT = /^without$/
/** Words a denial settles on, leaving the rest as it was. */
const FOCUS = anyOf(
  'full fully entire entirely whole wholly complete completely exactly precisely necessarily directly immediately always officially actively exclusively automatically all every everyone everything both too very particularly especially enough quite totally really',
)

/** The denial of a clause may be of how far, how much or when only, which the other side does not say. */
function isFocused({ words, clauseOf }: Side, clause: Clause, isShared: (i: number) => boolean): boolean {
  for (let i = (clause.negators[0] ?? clause.verb) + 1; i < words.length && clauseOf[i] === clause.id; i++)
    if (i !== clause.head && FOCUS.has(words[i]!.norm) && !isShared(i)) return true
  return false
}

/** A reason is given after what is said. */
function followsReason({ words, sentenceOf }: Side, at: number): boolean {
  for (let i = at + 1; i < words.length && sentenceOf[i] === sentenceOf[at]; i++)
    if (BECAUSE.has(words[i]!.norm)) return true
  return false
}

/** Whether some word of the sentence `at` stands in is of a kind. */
export function inSentence({ words, sentenceOf }: Side, at: number, kind: RegExp): boolean {
  const own = sentenceOf[at]!
  for (let i = own; i < words.length && sentenceOf[i] === own; i++) if (kind.test(words[i]!.norm)) return true
  return false
}

/** Signs cannot be compared: exclusives, elliptical denials, conditions of different make. */
export function isOpen(comparison: Comparison, clause: Clause, s: number): boolean {
  const { source, claim, alignment } = comparison
  const theirs = clauseAt(source, s)
  if (theirs === undefined) return false
  if (isOfBefore(comparison, clause, s)) return true
  const inSource = (kind: RegExp) => inSentence(source, s, kind)
  const inClaim = (kind: RegExp) => inSentence(claim, clause.head, kind)
  if (inSource(EXCLUSIVE) !== inClaim(EXCLUSIVE)) return true
  if ((inSource(AHEAD) && inClaim(AFTERWARDS)) || (inSource(AFTERWARDS) && inClaim(AHEAD))) return true
  const denied = (side: Side, { id }: Clause) => side.scopes.stances[id]!.sign === -1
  // "used to be": it was, and is no longer.
  const past = (side: Side, { modals }: Clause) => modals.some((i) => side.words[i]!.norm === 'used_to')
  if (past(source, theirs) && denied(claim, clause) && clause.tense === 'present') return true
  // "only if it comes back" and "not unless it does"
  const gate = (side: Side, { id }: Clause) => side.clauses[side.scopes.stances[id]!.condition ?? -1]?.link
  const [hinge, other] = [gate(source, theirs), gate(claim, clause)]
  if (
    denied(source, theirs) !== denied(claim, clause) &&
    hinge !== undefined &&
    other !== undefined &&
    hinge !== other
  )
    return true
  // "I didn't leave because of the money": which part is denied is open.
  if (denied(source, theirs) && followsReason(source, s)) return true
  // "not the full deposit", "not always": the denial is of the extent.
  if (denied(source, theirs) !== denied(claim, clause)) {
    const focused = denied(claim, clause)
      ? isFocused(claim, clause, (i) => alignment.links[i]!.source >= 0)
      : isFocused(source, theirs, (i) => alignment.back[i]! >= 0)
    if (focused) return true
    // "nobody may enter without a badge": with one, some may.
    if (denied(source, theirs) && theirs.link !== 'without' && inSource(WITHOUT) && !inClaim(WITHOUT))
      return true
    // "left without paying"; of "can't enter without paying" nothing follows.
    if (theirs.link === 'without' && source.clauses[theirs.parent]?.tense !== 'past') return true
    // "not without asking": after asking, it may be done.
    if (denied(claim, clause) && clause.link !== 'without' && inClaim(WITHOUT) && !inSource(WITHOUT))
      return true
  }
  // "few do not": how many takes part in what is denied.
  const [there, here] = [amountsIn(source, theirs), amountsIn(claim, clause)]
  if (denied(source, theirs) !== denied(claim, clause) && there !== here && there !== '' && here !== '')
    return true
  const conditional = ({ link }: Clause) => link === 'condition' || link === 'exception'
  if (conditional(theirs) !== conditional(clause) && (conditional(theirs) || conditional(clause))) return true
  // "they tried but couldn't": the denied verb is not there to be matched.
  return source.clauses.some(
    ({ head, negators, id }) =>
      id !== theirs.id &&
      negators.length % 2 === 1 &&
      isBare(source, source.clauses[id]!) &&
      source.sentenceOf[head] === source.sentenceOf[s] &&
      claim.scopes.signs[clause.head] === -1,
  )
}

/** Verbs that say of what they end that it was so until then. */
const ENDING = anyOf(
  'stop quit give_up gave_up given_up discontinue cease abandon kick come_off came_off get_rid_of got_rid_of sell lose',
)
/** What one has until it is cancelled. */
const HELD = anyOf(
  'subscription membership contract plan policy lease booking reservation order appointment account insurance card service',
)
const GOING_ON = anyOf('still keep continue remain go_on carry_on again')

/** "stopped taking it", and "was taking it": what is ended was so before, which a claim in the past may say. */
export function isOfBefore({ source, claim }: Comparison, clause: Clause, s: number): boolean {
  if (clause.tense !== 'past' || clause.modals.length > 0 || claim.scopes.stances[clause.id]!.sign !== 1)
    return false
  if (claim.words.some(({ lemma, norm }) => GOING_ON.has(lemma) || GOING_ON.has(norm))) return false
  const theirs = clauseAt(source, s)
  if (theirs === undefined) return false
  const ends = (at: number) => {
    const word = source.words[at]
    return (
      word !== undefined &&
      (ENDING.has(word.lemma) ||
        ENDING.has(word.norm) ||
        (word.lemma === 'cancel' &&
          source.words.some(({ lemma }, i) => i > at && source.clauseOf[i] === theirs.id && HELD.has(lemma))))
    )
  }
  return ends(theirs.governor) || (theirs.head !== s && ends(theirs.head))
}

/** The quantifiers and numbers of a subject, in order. */
const amountsIn = ({ words, scopes }: Side, { subject: [from, to] }: Clause): string =>
  words
    .map(({ norm, tag }, i) =>
      i >= from && i < to && ((scopes.quantifiers[i] === i && scopes.amounts[i] !== 'none') || tag === '#')
        ? norm
        : '',
    )
    .filter((norm) => norm !== '')
    .join(' ')

/** "Jo": somebody with a name, who is neither "I" nor "we". */
const isNamed = ({ words }: Side, { subject: [from, to] }: Clause): boolean =>
  to - from === 1 && words[from]!.tag === 'N' && /^\p{Lu}/u.test(words[from]!.text) && isPerson(words[from]!)

/** The subject of the claim is the subject of another clause of the source. */
export function hasOtherSubject(
  { source, claim, alignment }: Comparison,
  clause: Clause,
  s: number,
): boolean {
  const theirs = source.clauses[source.clauseOf[s]!]
  // A pronoun may stand for whom the claim names.
  if (
    theirs !== undefined &&
    theirs.subject[1] - theirs.subject[0] === 1 &&
    source.words[theirs.subject[0]]!.tag === 'P' &&
    !(/^(?:i|we)$/.test(source.words[theirs.subject[0]]!.norm) && isNamed(claim, clause))
  )
    return false
  const family = new Set(familyOf(source, source.clauseOf[s]!))
  // "instead of throwing": done by whom the rest is about.
  if (theirs?.link === 'without') family.add(theirs.parent)
  for (let c = clause.subject[0]; c < clause.subject[1]; c++) {
    const at = alignment.links[c]!.source
    if (at < 0 || claim.words[c]!.tag !== 'N') continue
    if (source.clauses.some(({ id, subject }) => !family.has(id) && at >= subject[0] && at < subject[1]))
      return true
  }
  return false
}

/** After "not" or "nor" in the phrase itself. */
export function isDeniedConstituent({ words, clauses, clauseOf }: Side, at: number): boolean {
  const own = clauses[clauseOf[at]!]
  for (let i = at - 1; i >= 0 && i > at - 6; i--) {
    if (words[i]!.tag === '-') return own === undefined || !own.negators.includes(i)
    if (!/^[NADI#]$/.test(words[i]!.tag)) return false
  }
  return false
}

/** Speaks of a kind, or of what must be, can't be or doesn't hold; not of how someone takes coffee. */
const isRule = (
  { words, scopes }: Side,
  { id, head, modals, subject: [from, to], negators }: Clause,
): boolean =>
  modals.length > 0 ||
  negators.length > 0 ||
  scopes.stances[id]!.sign !== 1 ||
  deniesItsObject(words[head]!.lemma) ||
  deniesItsObject(words[head]!.norm) ||
  !words.slice(from, to).some((word) => isPerson(word) || word.tag === 'P')

/** Set apart by "except", or required by "without" in a rule ("void without a receipt"); not denied. */
export const isExcepted = (side: Side, at: number) => {
  const clause = clauseAt(side, at)
  const rule = clause?.tense === 'present' && !clause.imperative && isRule(side, clause)
  for (let i = at - 1; i >= 0 && i > at - 8; i--) {
    const { norm } = side.words[i]!
    if (norm === 'without' && rule) return true
    if (
      /^(?:except|except_for|excluding|apart_from|aside_from|other_than|with_the_exception_of|unlike)$/.test(
        norm,
      )
    )
      return true
  }
  return false
}
