import { compareWords } from '../comparing/alignment.ts'
import {
  type Comparison,
  type Finding,
  finding,
  isDocument,
  type Side,
  said,
} from '../comparing/comparison.ts'
import type { Clause } from '../reading/clauses.ts'
import type { Part, Statement } from '../reading/statements.ts'
import { anyOf } from '../words/cues.ts'
import { isPerson } from '../words/people.ts'
import type { Word } from '../words/tagging.ts'
import { isAdjectiveOf, isName } from './names.ts'

/**
 * A claim that joins what the source says of two things: "Ana takes the tram and Ben the bus" became "Ben takes the
 * tram". Told by two statements of the source that each have something else in the other's place.
 */
export function crossingFindings(comparison: Comparison): Finding[] {
  const { source, claim } = comparison
  if (source.statements.length < 2) return []
  const found: Finding[] = []
  for (const statement of claim.statements) {
    const crossed = crossingOf(comparison, statement)
    if (crossed !== undefined) found.push(crossed)
  }
  return found
}

/** How many parts of the claim a statement of the source speaks of. */
export function countOf(places: readonly ReadonlySet<number>[], statement: number): number {
  let count = 0
  for (const set of places) if (set.has(statement)) count++
  return count
}

/** What may be looked for in another statement. */
export const isTelling = (side: Side, part: Part): boolean =>
  part.key !== 'open' &&
  (part.measure !== undefined ||
    part.key === 'self' ||
    side.words[part.at]!.tag === 'N' ||
    side.words[part.at]!.tag === 'A')

function crossingOf(comparison: Comparison, mine: Statement): Finding | undefined {
  const { source, claim } = comparison
  // What is denied of one may well be said of another, and of two compared either may come first.
  if (isDenied(claim, mine) || mine.parts.some(({ slot }) => slot === 'than')) return undefined
  const parts = mine.parts.filter((part) => isTelling(claim, part))
  if (parts.length < 2 && mine.head < 0) return undefined
  const places = parts.map((part) => placesOf(comparison, part))
  const covered = source.statements.map((_, s) => countOf(places, s))
  const verbs = source.statements.map(
    ({ head }, s) =>
      covered[s]! > 0 && mine.head >= 0 && head >= 0 && isSame(source.words[head]!, claim.words[mine.head]!),
  )
  // A statement with the claim's own verb counts for one with none.
  const anyVerb =
    mine.head >= 0 && !isLight(claim.words[mine.head]!) && verbs.some((same, s) => same && covered[s]! > 0)
  const candidates = source.statements.filter((_, s) => covered[s]! > 0 && (!anyVerb || verbs[s]!))
  if (candidates.length === 0) return undefined
  const known = places.filter((set) => set.size > 0).length
  if (candidates.some(({ id }) => covered[id]! >= known)) return undefined
  const most = Math.max(...candidates.map(({ id }) => covered[id]!))
  if (known - most > 1 && isDocument(source)) return undefined
  for (const here of candidates.filter(({ id }) => covered[id] === most)) {
    for (const [k, part] of parts.entries()) {
      if (part.borrowed || places[k]!.size === 0 || places[k]!.has(here.id) || isDenied(source, here))
        continue
      // A list in the claim may gather what the source tells one by one.
      if (parts.some((one, j) => j !== k && areListed(claim, one, part) && places[j]!.has(here.id))) continue
      // "the other one is …": what it stands for may be the very thing.
      if (
        here.parts.some(
          ({ key, borrowed, slot }) =>
            key === 'open' && !borrowed && (slot === part.slot || here.clause?.copula === true),
        )
      )
        continue
      const rival = rivalIn(comparison, part, mine, here, verbs[here.id]!)
      if (rival === undefined || isUnchanged(comparison, part, rival)) continue
      // A summary of a document has its own words for things; names stay.
      if (isDocument(source) && !isName(source.words[rival.at]!) && !isName(claim.words[part.at]!)) continue
      for (const id of places[k]!) {
        const there = source.statements[id]!
        const other =
          parts.find(
            (one, j) =>
              places[j]!.has(here.id) &&
              !places[j]!.has(id) &&
              rivalIn(comparison, one, mine, there, verbs[id]!) !== undefined,
          ) ??
          (verbs[here.id] && !verbs[id] && (there.head < 0 || !isLight(source.words[there.head]!))
            ? part
            : undefined)
        if (other === undefined) continue
        return finding(
          comparison,
          claim.words[part.at]!.tag === '#' ? 'number_mismatch' : 'entity_mismatch',
          'hard',
          0.85,
          [rival.at, here.head],
          [part.at],
          `here the source has '${said(source, rival.at)}'; '${said(claim, part.at)}' belongs elsewhere`,
        )
      }
    }
  }
  return undefined
}

const LIGHT = anyOf(
  'be have do get is are was were will can must may should would use need want go take make handle',
)
export const isLight = ({ lemma }: Word) => LIGHT.has(lemma)

export function isSame(a: Word, b: Word): boolean {
  if (a.lemma === b.lemma) return true
  const { score, sign } = compareWords(a, b)
  return sign === 1 && score >= 0.75
}

/** The statements of the source that speak of a part of the claim. */
export function placesOf(comparison: Comparison, part: Part): ReadonlySet<number> {
  const { source } = comparison
  const found = new Set<number>()
  for (const { id, parts } of source.statements)
    if (parts.some((other) => matches(comparison, other, part))) found.add(id)
  return found
}

/** Whether a part of the source may be what a part of the claim speaks of. */
export function matches({ source, claim, alignment }: Comparison, theirs: Part, mine: Part): boolean {
  if (mine.measure !== undefined || theirs.measure !== undefined)
    return (
      mine.measure !== undefined &&
      theirs.measure?.kind === mine.measure.kind &&
      Math.abs(theirs.measure.value - mine.measure.value) <=
        (mine.measure.kind === 'every' ? 0.03 : 1e-9) * mine.measure.value
    )
  if (theirs.key === 'open') return false
  if (theirs.key === 'self' || mine.key === 'self') return theirs.key === mine.key
  return mine.stands.some((c) => {
    const link = alignment.links[c]
    const linked =
      link !== undefined && link.source >= 0 && link.likeness.sign === 1 && link.likeness.score >= 0.6
        ? source.words[link.source]!.lemma
        : undefined
    const { lemma, norm } = claim.words[c]!
    return theirs.stands.some((s) => {
      const word = source.words[s]!
      return (
        word.lemma === lemma ||
        word.norm === norm ||
        word.lemma === linked ||
        (word.proper && isAdjectiveOf(word.norm, norm))
      )
    })
  })
}

/** What a statement of the source has in the place of a part of the claim. */
function rivalIn(
  comparison: Comparison,
  mine: Part,
  statement: Statement,
  there: Statement,
  sameVerb: boolean,
): Part | undefined {
  const { source, claim, alignment } = comparison
  // In an edit a word put in for another is a synonym as often as not.
  const replaced = alignment.gaps.some(
    ({ source: [start, end], claim: [from, to] }) => mine.at >= from && mine.at < to && end > start,
  )
  return there.parts.find((theirs) => {
    if (theirs.key === 'open' || !mayReplace(source, claim, theirs, mine, sameVerb, replaced)) return false
    return !statement.parts.some((other) => matches(comparison, theirs, other))
  })
}

/** Slots a person may take in one telling and another in the next. */
const CORE = anyOf('subject object bare owner to from by at for with')

function mayReplace(
  source: Side,
  claim: Side,
  theirs: Part,
  mine: Part,
  sameVerb: boolean,
  replaced: boolean,
): boolean {
  if (mine.measure !== undefined || theirs.measure !== undefined)
    return mine.measure?.kind === theirs.measure?.kind
  if (theirs.stands.length !== 1) return false
  const one = source.words[theirs.stands[0]!]!
  const other = claim.words[mine.stands[0] ?? mine.at]!
  const named = theirs.key === 'self' || isName(one)
  const self = theirs.key === 'self' || mine.key === 'self'
  if (self && theirs.key !== mine.key && (isPerson(one) || isPerson(other)))
    return theirs.slot === mine.slot && (sameVerb || isName(one) || isName(other))
  if (named !== (mine.key === 'self' || isName(other)))
    return (
      !self &&
      !isPredicate(source, theirs) &&
      sameVerb &&
      theirs.slot === mine.slot &&
      mine.slot !== 'trait' &&
      (!isPerson(named ? other : one) || (mine.slot === 'subject' && isPerson(one) && isPerson(other)))
    )
  if ((mine.slot === 'trait') !== (theirs.slot === 'trait')) return false
  if (mine.slot === 'trait' && !ofSame(source.words[theirs.of]!, claim.words[mine.of]!)) return false
  if (named && mine.slot !== 'trait')
    return (
      theirs.slot === mine.slot ||
      (one.kind === other.kind &&
        CORE.has(theirs.slot) &&
        CORE.has(mine.slot) &&
        isPerson(one) === isPerson(other))
    )
  if (theirs.slot !== mine.slot || one.tag !== other.tag) return false
  const { score, match } = compareWords(one, other)
  if (match === 'sister' || match === 'antonym') return true
  return score === 0 && !replaced && (mine.slot === 'trait' || sameVerb)
}

/** "Ana is a cook who speaks Czech": the cook is Ana. */
const isPredicate = ({ statements }: Side, { at }: Part) =>
  statements.some(
    ({ head, clause, parts }) =>
      clause?.copula === true &&
      (head === at || parts.some((part) => part.at === at && part.slot !== 'subject')),
  )

/** "Datadog and Grafana" */
function areListed({ words }: Side, a: Part, b: Part): boolean {
  if (a.slot !== b.slot || a.of !== b.of) return false
  const [from, to] = [Math.min(a.at, b.at), Math.max(a.at, b.at)]
  for (let i = from + 1; i < to; i++) if (words[i]!.tag === 'C' || words[i]!.norm === ',') return true
  return false
}

/** "the green one" is green in the way the blue banner is blue. */
const ofSame = (a: Word, b: Word) => a.lemma === b.lemma || /^ones?$/.test(a.norm) || /^ones?$/.test(b.norm)

/** Where the texts are edits of each other, only what was put in or taken out can have changed places. */
function isUnchanged({ alignment }: Comparison, mine: Part, rival: Part): boolean {
  if (!alignment.edited) return false
  return (
    !alignment.gaps.some(({ claim: [from, to] }) => mine.at >= from && mine.at < to) &&
    !alignment.gaps.some(({ source: [from, to] }) => rival.at >= from && rival.at < to)
  )
}

export const isDenied = (side: Side, { clause }: Statement) =>
  clause !== undefined && (side.scopes.stances[clause.id]?.sign === -1 || isDeniedCleft(side, clause))

/** "it wasn't the database that crashed": that it crashed is denied. */
export function isDeniedCleft({ words, clauses, scopes }: Side, { link, parent, start }: Clause): boolean {
  const outer = clauses[parent]
  return (
    link === 'relative' &&
    outer?.copula === true &&
    words[outer.subject[0]]?.norm === 'it' &&
    start === outer.head + 1 &&
    scopes.stances[outer.id]!.sign === -1
  )
}
