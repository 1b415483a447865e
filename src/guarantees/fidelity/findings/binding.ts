import { compareWords, isContent } from '../comparing/alignment.ts'
import {
  type Comparison,
  type Finding,
  familyOf,
  finding,
  isDocument,
  isSummary,
  type Side,
  said,
} from '../comparing/comparison.ts'
import type { Quantity } from '../quantities/quantities.ts'
import type { Clause } from '../reading/clauses.ts'
import { accompanimentFindings } from './accompaniment.ts'
import { additionFindings } from './additions.ts'
import { alternativeFindings } from './alternatives.ts'
import { belongingFindings } from './belongings.ts'
import { ceasedFindings } from './ceased.ts'
import { contradictionFindings } from './contradiction.ts'
import { converseFindings } from './converses.ts'
import { crossingFindings } from './crossing.ts'
import { echoOf } from './ellipsis.ts'
import { exchangeFindings } from './exchanges.ts'
import { hearsayFindings } from './hearsay.ts'
import { kindFindings } from './kinds.ts'
import { isName } from './names.ts'
import { orderFindings } from './order.ts'
import { otherFindings } from './others.ts'
import { outcomeFindings } from './outcomes.ts'
import { overstatementFindings } from './overstatements.ts'
import { parallelFindings } from './parallels.ts'
import { participantFindings } from './participants.ts'
import { permissionFindings } from './permissions.ts'
import { phaseFindings } from './phases.ts'
import { placeFindings } from './places.ts'
import { preferenceFindings } from './preferences.ts'
import { reasonFindings } from './reasons.ts'
import { roleFindings } from './roles.ts'
import { segmentFindings } from './segments.ts'
import { substitutionFindings } from './substitution.ts'
import { totalFindings } from './totals.ts'
import { undoneFindings } from './undone.ts'
import { unfoundedFindings } from './unfounded.ts'
import { unrealisedFindings } from './unrealised.ts'

/** What the source says of one thing and the claim of another: same predicate, a participant from elsewhere. */
export function bindingFindings(comparison: Comparison): Finding[] {
  // Read without a tight frame: of edits and documents these were wrong more often than right.
  const ownWords = !comparison.edited && !isDocument(comparison.source)
  return [
    ...(ownWords ? contradictionFindings(comparison) : []),
    ...(ownWords ? totalFindings(comparison) : []),
    ...(ownWords ? overstatementFindings(comparison) : []),
    ...(isDocument(comparison.source) ? [] : preferenceFindings(comparison)),
    ...(isDocument(comparison.source) ? [] : alternativeFindings(comparison)),
    ...(ownWords ? permissionFindings(comparison) : []),
    ...(isDocument(comparison.source) ? [] : placeFindings(comparison)),
    ...(isDocument(comparison.source) ? [] : outcomeFindings(comparison)),
    ...(ownWords ? [] : exchangeFindings(comparison)),
    ...crossingFindings(comparison),
    ...(isDocument(comparison.source) ? [] : converseFindings(comparison)),
    ...(ownWords ? parallelFindings(comparison) : []),
    ...(ownWords ? segmentFindings(comparison) : []),
    ...(isDocument(comparison.source) || isSummary(comparison) ? [] : kindFindings(comparison)),
    ...(isDocument(comparison.source) ? [] : reasonFindings(comparison)),
    ...(isDocument(comparison.source) || isSummary(comparison) ? [] : otherFindings(comparison)),
    ...roleFindings(comparison),
    ...(ownWords ? participantFindings(comparison) : []),
    ...undoneFindings(comparison),
    ...(ownWords ? unrealisedFindings(comparison) : []),
    ...(isDocument(comparison.source) || isSummary(comparison) ? [] : unfoundedFindings(comparison)),
    ...(ownWords ? ceasedFindings(comparison) : []),
    ...(isDocument(comparison.source) ? [] : belongingFindings(comparison)),
    ...(isDocument(comparison.source) ? [] : hearsayFindings(comparison)),
    ...(ownWords ? accompanimentFindings(comparison) : []),
    ...substitutionFindings(comparison),
    ...orderFindings(comparison),
    ...(isDocument(comparison.source) || isSummary(comparison) ? [] : phaseFindings(comparison)),
    ...additionFindings(comparison),
    ...comparison.claim.clauses.flatMap((clause) => inClause(comparison, clause)),
  ]
}

interface Candidate {
  readonly clause: Clause
  readonly family: ReadonlySet<number>
  readonly near: number
}

function inClause(comparison: Comparison, clause: Clause): Finding[] {
  const { source, claim, alignment } = comparison
  const link = alignment.links[clause.head]!
  if (link.source < 0 || link.likeness.score < 0.75 || link.likeness.sign === -1) return []
  // What is denied here may well be said of another.
  if (claim.scopes.stances[clause.id]?.sign === -1) return []
  const mine = familyOf(claim, clause.id)
  const others = claim.words
    .map((_, i) => i)
    .filter(
      (i) =>
        i !== clause.head &&
        mine.has(claim.clauseOf[i]!) &&
        alignment.links[i]!.source >= 0 &&
        isContent(claim.words[i]!) &&
        alignment.links[i]!.likeness.score >= 0.75,
    )
  const best = bestOf(comparison, clause, others)
  if (best === undefined) return []
  const far = others.filter(
    (i) =>
      isName(claim.words[i]!) &&
      claim.clauseOf[i] === clause.id &&
      !best.family.has(source.clauseOf[alignment.links[i]!.source]!),
  )
  const number = foreignNumber(comparison, clause, best)
  if (number !== undefined) return [number]
  const stray = far.filter((i) => !occursIn(source, claim.words[i]!.lemma, best.family))
  // "Ana can read it, but Tomas can't" does speak of Tomas.
  if (stray.length > 0 && echoOf(comparison, clause) !== undefined) return []
  const t = stray.find((i) => hasRival(comparison, clause, best.clause, i))
  if (t === undefined) return []
  return [
    finding(
      comparison,
      'entity_mismatch',
      'soft',
      0.55,
      [best.clause.head, alignment.links[t]!.source],
      [clause.head, t],
      `the source does not say '${said(claim, clause.head)}' of '${said(claim, t)}'`,
    ),
  ]
}

const occursIn = (side: Side, lemma: string, family: ReadonlySet<number>) =>
  side.words.some((word, i) => word.lemma === lemma && family.has(side.clauseOf[i]!))

/** Among clauses with this predicate, the one that shares most with the claim. */
function bestOf(
  { source, claim, alignment }: Comparison,
  clause: Clause,
  others: readonly number[],
): Candidate | undefined {
  let best: Candidate | undefined
  for (const other of source.clauses) {
    const { score, sign } = compareWords(source.words[other.head]!, claim.words[clause.head]!)
    if (score < 0.75 || sign === -1) continue
    // What a conjunct says is its own: "starts Friday and lifts Monday".
    const family = new Set(
      [...familyOf(source, other.id)].filter(
        (id) => id === other.id || (source.clauses[id]!.link !== 'coordinate' && other.link !== 'coordinate'),
      ),
    )
    const near = others.filter((i) => family.has(source.clauseOf[alignment.links[i]!.source]!)).length
    if (best === undefined || near > best.near) best = { clause: other, family, near }
  }
  return best
}

const inSubject = ({ subject, passive }: Clause, i: number) => (i >= subject[0] && i < subject[1]) !== passive

/** The source's clause has something else in the part this word has in the claim. */
function hasRival({ source, alignment }: Comparison, clause: Clause, theirs: Clause, t: number): boolean {
  const part = inSubject(clause, t)
  return source.words.some(
    ({ tag }, s) =>
      tag === 'N' &&
      source.clauseOf[s] === theirs.id &&
      s !== theirs.head &&
      inSubject(theirs, s) === part &&
      alignment.back[s] === -1,
  )
}

/** A number, day or date of the claim's clause stands elsewhere in the source, and the source's clause has its own. */
function foreignNumber(
  comparison: Comparison,
  clause: Clause,
  { clause: theirs, family }: Candidate,
): Finding | undefined {
  const { source, claim } = comparison
  const inFamily = ({ from }: Quantity) => family.has(source.clauseOf[from]!)
  for (const mine of claim.quantities) {
    if (claim.clauseOf[mine.from] !== clause.id || mine.loose === true) continue
    const alike = source.quantities.filter(({ kind, unit }) => kind === mine.kind && unit === mine.unit)
    const same = alike.filter(({ value }) => Math.abs(value - mine.value) < 1e-9)
    if (same.length === 0 || same.some(inFamily)) continue
    const rival = alike.find(
      (theirs) => inFamily(theirs) && (mine.kind !== 'count' || countSame(comparison, theirs, mine)),
    )
    // "everything but part 8841": the claim has it as well.
    if (rival === undefined || isSetApart(claim, rival)) continue
    return finding(
      comparison,
      'number_mismatch',
      'hard',
      0.85,
      [theirs.head, rival.from, rival.to - 1],
      [clause.head, mine.from, mine.to - 1],
      `here the source has '${said(source, rival.from, rival.to - 1)}', the claim '${said(claim, mine.from, mine.to - 1)}'`,
    )
  }
  return undefined
}

/** Named behind "except" and the like. */
const isSetApart = ({ words, quantities }: Side, { value }: Quantity): boolean =>
  quantities.some((mine) => mine.value === value) &&
  words.some(({ norm }) => /^(?:except|except_for|apart_from|other_than|excluding)$/.test(norm))

/** "four" of boxes and "freezer 4" are not in each other's place. */
function countSame({ source, claim, alignment }: Comparison, theirs: Quantity, mine: Quantity): boolean {
  const [a, b] = [source.words[theirs.to], claim.words[mine.to]]
  if (a?.tag === 'N' && b?.tag === 'N') {
    const link = alignment.links[mine.to]!
    return a.lemma === b.lemma || link.source === theirs.to
  }
  return a?.tag !== 'N' && b?.tag !== 'N'
}
