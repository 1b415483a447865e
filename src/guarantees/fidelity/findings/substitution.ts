import { compareWords } from '../comparing/alignment.ts'
import { type Comparison, type Finding, finding, isSummary, said } from '../comparing/comparison.ts'
import type { Part, Statement } from '../reading/statements.ts'
import { excludeEachOther } from '../words/concepts.ts'
import { isTangible } from '../words/relations.ts'
import { countOf, isDenied, isLight, isSame, isTelling, matches, placesOf } from './crossing.ts'
import { isName } from './names.ts'

/** A thing, name or rate nowhere in the source, where the statement the claim is about has another of its kind. */
export function substitutionFindings(comparison: Comparison): Finding[] {
  return comparison.claim.statements.flatMap((statement) => substitutionIn(comparison, statement) ?? [])
}

function substitutionIn(comparison: Comparison, mine: Statement): Finding | undefined {
  const { source, claim } = comparison
  // One word put in another's place is weighed as an edit.
  if (isDenied(claim, mine) || (comparison.edited && comparison.alignment.gaps.length === 1)) return undefined
  const parts = mine.parts.filter((part) => isTelling(claim, part))
  const mayBe = parts.filter((part) => !part.borrowed && isNew(comparison, part))
  if (mayBe.length === 0) return undefined
  const places = parts.map((part) => placesOf(comparison, part))
  const strange = mayBe.filter((part) => places[parts.indexOf(part)]!.size === 0)
  if (strange.length === 0) return undefined
  const known = places.filter((set) => set.size > 0).length
  const verb = mine.head >= 0 ? claim.words[mine.head]! : undefined
  for (const here of source.statements) {
    if (isDenied(source, here)) continue
    const sameVerb = verb !== undefined && here.head >= 0 && isSame(source.words[here.head]!, verb)
    const covered = countOf(places, here.id)
    if (covered < known || covered + (sameVerb && !isLight(verb) ? 1 : 0) < 1) continue
    for (const part of strange) {
      const rival = here.parts.find(
        (theirs) =>
          excludes(comparison, theirs, part, sameVerb) &&
          !parts.some((one) => matches(comparison, theirs, one)),
      )
      if (rival === undefined) continue
      const reworded = part.measure === undefined && isSummary(comparison)
      return finding(
        comparison,
        part.measure === undefined ? 'entity_mismatch' : 'number_mismatch',
        reworded ? 'soft' : 'hard',
        reworded ? 0.45 : 0.8,
        [rival.at],
        [part.at],
        `the source has '${said(source, rival.at)}', the claim '${said(claim, part.at)}'`,
      )
    }
  }
  return undefined
}

/** Nothing in the source stands for it, not even loosely. */
function isNew({ claim, source, alignment }: Comparison, { at, measure }: Part): boolean {
  if (measure !== undefined) return measure.kind === 'every'
  const { lemma, norm, tag } = claim.words[at]!
  if (tag === '#') return false
  return (
    (alignment.links[at]!.source < 0 || alignment.links[at]!.likeness.score < 0.6) &&
    !source.words.some((word) => word.lemma === lemma || word.norm === norm)
  )
}

/** Two of a kind, of which one statement has only the one. */
function excludes({ source, claim }: Comparison, theirs: Part, mine: Part, sameVerb: boolean): boolean {
  if (theirs.key === 'open' || theirs.key === 'self' || mine.key === 'self') return false
  if (mine.measure !== undefined || theirs.measure !== undefined)
    return sameVerb && mine.measure?.kind === theirs.measure?.kind
  if (theirs.slot !== mine.slot || theirs.stands.length !== 1) return false
  const one = source.words[theirs.stands[0]!]!
  const other = claim.words[mine.stands[0] ?? mine.at]!
  if (mine.slot === 'trait' && source.words[theirs.of]!.lemma !== claim.words[mine.of]!.lemma) return false
  if (isName(one) !== isName(other) || one.tag !== other.tag) return false
  if (isName(one)) return one.kind === other.kind && (sameVerb || mine.slot === 'trait')
  // "most footballers do": villagers may do it as well.
  if (/^(?:some|most|many|few)$/.test(source.scopes.amounts[theirs.stands[0]!] ?? '')) return false
  const { match } = compareWords(one, other)
  return (
    match === 'antonym' ||
    excludeEachOther(one.norm, other.norm) ||
    (match === 'sister' && isTangible(one.lemma) && isTangible(other.lemma))
  )
}
