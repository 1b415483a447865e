import { compareWords } from '../comparing/alignment.ts'
import { type Comparison, type Finding, finding, type Side, said } from '../comparing/comparison.ts'
import type { Part, Statement } from '../reading/statements.ts'
import { isPerson } from '../words/people.ts'
import { isDenied, isLight, isTelling, matches, placesOf } from './crossing.ts'
import { isName } from './names.ts'

/** In own words: someone else does it, or it is done to something else of the source, than in every telling the source has of it. */
export function participantFindings(comparison: Comparison): Finding[] {
  const { source, claim } = comparison
  for (const mine of claim.statements) {
    if (mine.head < 0 || isLight(claim.words[mine.head]!) || isDenied(claim, mine)) continue
    if (mine.parts.some(({ slot }) => slot === 'than')) continue
    for (const part of mine.parts) {
      if (part.borrowed || part.measure !== undefined || !/^(?:subject|object)$/.test(part.slot)) continue
      const rival = isTelling(claim, part) ? rivalOf(comparison, mine, part) : undefined
      if (rival !== undefined && !isToldBeside(comparison, mine, rival))
        return [
          finding(
            comparison,
            'role_swap',
            'hard',
            0.8,
            [rival.at],
            [mine.head, part.at],
            `the source has '${said(source, rival.at)}' there, the claim '${said(claim, part.at)}'`,
          ),
        ]
    }
  }
  return []
}

/** "Ingrid joined after Sven did": the claim tells it of both. */
const isToldBeside = (comparison: Comparison, mine: Statement, rival: Part): boolean =>
  comparison.claim.statements.some(
    (other) =>
      other.id !== mine.id &&
      other.head >= 0 &&
      comparison.claim.words[other.head]!.lemma === comparison.claim.words[mine.head]!.lemma &&
      other.parts.some((part) => matches(comparison, rival, part)),
  )

function rivalOf(comparison: Comparison, mine: Statement, part: Part): Part | undefined {
  const { source, claim } = comparison
  const verb = claim.words[mine.head]!
  const acts = part.slot === 'subject' && isActor(claim, part)
  let rival: Part | undefined
  const told = source.statements.filter(({ head }) => source.words[head]?.tag === 'V')
  const exact = told.filter(({ head }) => source.words[head]!.lemma === verb.lemma)
  for (const theirs of exact.length > 0 ? exact : told) {
    const { score, sign } = compareWords(source.words[theirs.head]!, verb)
    if (sign === -1 || score < 0.8) continue
    if (
      isDenied(source, theirs) ||
      isLeftOpen(source, theirs) ||
      theirs.parts.some((other) => matches(comparison, other, part))
    )
      return undefined
    const there = fillersOf(source, theirs, part.slot)
    const other = there.find((one) =>
      acts
        ? isActor(source, one) && source.words[one.at + 1]?.norm !== ':'
        : score === 1 && theirs.clause?.copula !== true && isThing(source, one),
    )
    if (other === undefined || mine.parts.some((one) => !acts && matches(comparison, other, one)))
      return undefined
    rival ??= other
  }
  // A verb left out, or not read as one.
  if (
    source.statements.some(
      (one) =>
        one.clause?.finite !== true &&
        one.parts.some(
          (other) => other.slot === part.slot && !other.borrowed && matches(comparison, other, part),
        ),
    )
  )
    return undefined
  if (rival === undefined || (!acts && (!isThing(claim, part) || placesOf(comparison, part).size === 0)))
    return undefined
  const [one, other] = [source.words[rival.stands[0] ?? rival.at]!, claim.words[part.stands[0] ?? part.at]!]
  return compareWords(one, other).score < 0.45 ? rival : undefined
}

/** What has the slot; for "it" and "they", what the statement before is about. */
function fillersOf(side: Side, { id, parts, sentence }: Statement, slot: string): readonly Part[] {
  const own = parts.filter((part) => part.slot === slot)
  if (own.every(({ key }) => key !== 'open')) return own
  const before = side.statements[id - 1]
  if (before === undefined || sentence - before.sentence > 1) return []
  if (!own.every(({ at, key }) => key !== 'open' || /^(?:it|they|them)$/.test(side.words[at]!.norm)))
    return []
  const about = before.clause?.passive === true ? 'object' : 'subject'
  return before.parts.filter((part) => part.slot === about && part.key !== 'open')
}

/** "don't bother watering it" */
const isLeftOpen = ({ scopes }: Side, { clause }: Statement) =>
  clause !== undefined && scopes.stances[clause.id]!.sign === 0

/** Someone who can do things: whoever keeps the notes, a person, a name. */
function isActor({ words }: Side, { key, stands, at }: Part): boolean {
  const word = words[stands[0] ?? at]!
  if (key === 'self') return word.norm !== 'users'
  return isPerson({ ...word, first: false }) || (word.kind === 'word' && isName(word))
}

const isThing = (side: Side, part: Part) =>
  part.key === 'word' &&
  part.measure === undefined &&
  side.words[part.at]!.tag === 'N' &&
  !isActor(side, part) &&
  !isName(side.words[part.at]!)
