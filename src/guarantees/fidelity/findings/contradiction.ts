import { compareWords, isContent } from '../comparing/alignment.ts'
import { type Comparison, clauseAt, type Finding, finding, type Side, said } from '../comparing/comparison.ts'
import type { Clause } from '../reading/clauses.ts'
import { effectOf, isView } from '../reading/operators.ts'
import type { Part, Statement } from '../reading/statements.ts'
import { anyOf } from '../words/cues.ts'
import { isDeniedCleft, isLight, isTelling } from './crossing.ts'
import { echoOf } from './ellipsis.ts'
import { isOfBefore } from './openness.ts'
import { isWhole } from './roles.ts'

/** In own words: what one side says and the other denies with the same predicate, of the same things as far as either names them. */
export function contradictionFindings(comparison: Comparison): Finding[] {
  const { claim, source } = comparison
  for (const mine of claim.statements) {
    const theirs = deniedBy(comparison, mine) ?? plainlyDenied(comparison, mine)
    if (theirs === undefined) continue
    return [
      finding(
        comparison,
        'polarity_flip',
        'hard',
        0.9,
        theirs,
        [mine.at, mine.head],
        `the source says '${said(source, ...theirs)}', the claim '${said(claim, mine.at, mine.head)}'`,
      ),
    ]
  }
  return []
}

/** Words that make a denial one of the time, the extent or the rest only. */
const SHIFTING = anyOf(
  'except except_for excepting excluding before only just apart_from other others otherwise else rest without unless if most few many some several half hardly rarely seldom almost nearly too enough yet then same necessarily usually normally always exactly directly all every everyone full fully than last because neither either',
)

const endOf = ({ statements, words }: Side, { id }: Statement) => statements[id + 1]?.at ?? words.length
const shifts = (side: Side, statement: Statement) =>
  side.words.slice(statement.at, endOf(side, statement)).some(({ norm }) => SHIFTING.has(norm))

function deniedBy(comparison: Comparison, mine: Statement): [number, number] | undefined {
  const { source, claim } = comparison
  const sign = signOf(claim, mine)
  if (sign === 0 || isLight(claim.words[mine.head]!)) return undefined
  const { lemma } = claim.words[mine.head]!
  const told = source.statements.filter(({ head }) => head >= 0)
  const exact = told.filter(({ head }) => source.words[head]!.lemma === lemma)
  let against: Statement | undefined
  for (const theirs of exact.length > 0 ? exact : told) {
    const { score, match } = compareWords(source.words[theirs.head]!, claim.words[mine.head]!)
    if (score < 0.75 || match === 'antonym') continue
    const there = signOf(source, theirs)
    if (there === -sign) {
      if (mine.clause !== undefined && isOfBefore(comparison, mine.clause, theirs.head)) return undefined
      if (sign === -1 ? claim.words.some(({ norm }) => SHIFTING.has(norm)) : shifts(source, theirs))
        return undefined
      if (tellsOfSame(comparison, theirs, mine, sign === -1)) against ??= theirs
      // Said in the claim's way elsewhere, or left open.
    } else if (there === 0 || !isOther(comparison, theirs, mine)) return undefined
  }
  return against && [against.at, against.head]
}

/** Whether it is said to be so; 0 where that depends on something. */
function signOf(side: Side, { clause, head }: Statement): 1 | -1 | 0 {
  const { scopes, words } = side
  if (clause === undefined || head < 0 || clause.question) return 0
  const { sign, condition } = scopes.stances[clause.id]!
  // "used to": so once, and no longer.
  if (clause.modals.some((i) => words[i]!.norm === 'used_to')) return 0
  if (sign === 1 && isDeniedCleft(side, clause)) return -1
  const before = side.clauses[clause.id - 1]
  if (isTakenBack(side, clause) || (before !== undefined && isTakenBack(side, before))) return -1
  if (condition !== undefined || /^(?:condition|exception|until|before|purpose)$/.test(clause.link)) return 0
  // "left without paying": not paid; "you can't enter without paying": who knows.
  if (clause.link === 'without' && side.clauses[clause.parent]?.tense !== 'past') return 0
  const governor = words[clause.governor]?.lemma ?? ''
  return /^(?:leaves open|raises)$/.test(effectOf(governor) ?? '') || isView(governor) ? 0 : sign
}

/** "he said he had locked it, but he hadn't": the auxiliary alone, denied, takes back what was said or thought. */
function isTakenBack({ words, clauses, scopes }: Side, { id, link }: Clause): boolean {
  const next = clauses[id + 1]
  if (link !== 'complement' || next === undefined || next.negators.length !== 1) return false
  const last = Math.max(next.head, next.negators[0]!)
  const subject = words[next.subject[0]]
  return (
    /^[XM]$/.test(words[next.head]!.tag) &&
    (words[last + 1] === undefined || /^[.!?;]$/.test(words[last + 1]!.norm)) &&
    (subject?.tag === 'P' || next.subject[0] === next.subject[1]) &&
    scopes.stances[id]!.sign === 1
  )
}

/** A pronoun nothing is known of. */
const isLoose = ({ words }: Side, { key, stands, at }: Part) =>
  key === 'open' || (stands[0] === at && /^(?:he|him|she|her|you|who)$/.test(words[at]!.norm))

const isTold = (side: Side, part: Part) =>
  isTelling(side, part) &&
  part.slot !== 'trait' &&
  part.slot !== 'owner' &&
  !isLoose(side, part) &&
  !/^(?:reality|fact|moment|end|total|case|least|first)$/.test(side.words[part.at]!.norm)

/** They differ in a part both have. */
const isOther = (comparison: Comparison, theirs: Statement, mine: Statement): boolean =>
  mine.parts.some(
    (part) =>
      isTold(comparison.claim, part) &&
      !theirs.parts.some((one) => isWhole(comparison, one, part)) &&
      theirs.parts.some((one) => one.slot === part.slot && isTold(comparison.source, one)),
  )

/** What is denied has no part the assertion lacks, and they share one if there is one. */
function tellsOfSame(
  comparison: Comparison,
  theirs: Statement,
  mine: Statement,
  mineDenied: boolean,
): boolean {
  const { source, claim } = comparison
  // "painted the bathroom but not the kitchen"
  const { sign } = claim.scopes.stances[mine.clause!.id]!
  if (mine.parts.some(({ at }) => claim.scopes.signs[at] !== sign)) return false
  const there = source.scopes.stances[theirs.clause!.id]!.sign
  if (
    !isDeniedCleft(source, theirs.clause!) &&
    theirs.parts.some(({ at }) => source.scopes.signs[at] !== there)
  )
    return false
  if (
    claim.words[mine.head]!.tag === 'N' &&
    mine.parts.some(
      (part) =>
        part.slot === 'trait' &&
        part.of === mine.head &&
        !theirs.parts.some((one) => isWhole(comparison, one, part)),
    )
  )
    return false
  const [denied, asserted, a, b] = mineDenied ? [mine, theirs, claim, source] : [theirs, mine, source, claim]
  const meet = (x: Part, y: Part) => (mineDenied ? isWhole(comparison, y, x) : isWhole(comparison, x, y))
  const own = denied.parts.filter((part) => isTold(a, part) && part.at !== denied.head)
  const met = own.filter((part) => asserted.parts.some((one) => meet(part, one)))
  const stray = own.filter(
    (part) => !met.includes(part) && !asserted.parts.some((one) => isLoose(b, one) && one.slot === part.slot),
  )
  if (stray.length > 0 || (met.length === 0 && own.length > 0)) return false
  const subjects = (side: Side, { parts, clause }: Statement) =>
    parts.filter(
      (part) => part.slot === (clause?.passive === true ? 'object' : 'subject') && isTold(side, part),
    )
  const [one, other] = [subjects(a, denied), subjects(b, asserted)]
  if (one.length > 0 && other.some((y) => !one.some((x) => meet(x, y)))) return false
  // Adverbs of the denial have to be the assertion's.
  return a.words.every(
    (word, i) =>
      i < denied.at ||
      i >= endOf(a, denied) ||
      i === denied.head ||
      word.tag !== 'R' ||
      !isContent(word) ||
      /^(?:ever|even|really|also|still|again|actually|anymore|longer|so|far)$/.test(word.norm) ||
      b.words.some(({ lemma }) => lemma === word.lemma),
  )
}

/** A claim without any denial, of whose predicate the source speaks only to deny it. */
function plainlyDenied(comparison: Comparison, mine: Statement): [number, number] | undefined {
  const { source, claim, alignment } = comparison
  const { head, clause } = mine
  // "but my grandfather does": said of him after all.
  if (clause !== undefined && echoOf(comparison, clause) !== undefined) return undefined
  if (
    clause === undefined ||
    head < 0 ||
    !clause.finite ||
    /^(?:condition|exception|until|before|without|time|after)$/.test(clause.link)
  )
    return undefined
  const { lemma, tag } = claim.words[head]!
  if (isLight(claim.words[head]!) || clause.imperative || (tag === 'N' && !clause.copula)) return undefined
  if (
    claim.words.some(
      ({ norm, tag: kind }, i) => norm === 'there' || (kind === 'I' && i > clause.verb && i < head),
    )
  )
    return undefined
  if (claim.scopes.signs.some((sign) => sign !== 1)) return undefined
  if (claim.words.some(({ norm, tag: kind }) => kind === '-' || SHIFTING.has(norm))) return undefined
  if (alignment.links.some(({ likeness }) => likeness.sign === -1)) return undefined
  const places = source.words.flatMap((word, i) => (isContent(word) && word.lemma === lemma ? [i] : []))
  const denied = places.every((i) => {
    const theirs = clauseAt(source, i)
    return (
      source.scopes.signs[i] === -1 &&
      theirs?.head === i &&
      !isOfBefore(comparison, clause, i) &&
      !/^(?:condition|exception|until|before|without)$/.test(theirs.link) &&
      source.scopes.stances[theirs.id]!.condition === undefined &&
      !source.statements.some((one) => one.head === i && isOther(comparison, one, mine)) &&
      !source.words.some(({ norm }, k) => norm === 'before' && source.clauseOf[k] === theirs.id)
    )
  })
  return places.length > 0 && denied ? [places[0]!, places[0]!] : undefined
}
