import { compareWords } from '../comparing/alignment.ts'
import { type Comparison, type Finding, finding, type Side, said } from '../comparing/comparison.ts'
import type { Part, Statement } from '../reading/statements.ts'
import { isPerson } from '../words/people.ts'
import { isDenied, isLight, isSame, isTelling, matches, placesOf } from './crossing.ts'
import { isName } from './names.ts'

/**
 * "Amari treats the knee and Voss handles the allergies" became "the doctor for the knee is Voss": two statements of
 * the source side by side, each with its own parts, and a claim with one part of each. Whatever the verbs.
 */
export function parallelFindings(comparison: Comparison): Finding[] {
  const { source, claim } = comparison
  if (source.statements.length < 2 || source.words.length > SHORT || claim.words.length > BRIEF) return []
  for (const mine of claim.statements) {
    if (isDenied(claim, mine) || mine.parts.some(({ slot }) => slot === 'than')) continue
    const parts = mine.parts.filter((part) => isTelling(claim, part) && isSaidSo(comparison, part))
    const places = parts.map((part) => placesOf(comparison, part))
    // Some statement of the source has it all.
    const known = places.filter((set) => set.size > 0)
    const strange = strangerTo(comparison, mine, parts, places)
    if (strange !== undefined) return [strange]
    if (known.length < 2 || source.statements.some(({ id }) => known.every((set) => set.has(id)))) continue
    for (const [k, part] of parts.entries()) {
      if (places[k]!.size !== 1) continue
      const here = source.statements[[...places[k]!][0]!]!
      for (const [j, other] of parts.entries()) {
        if (j === k || places[j]!.size !== 1 || places[j]!.has(here.id)) continue
        const there = source.statements[[...places[j]!][0]!]!
        if (!inOneSentence(source, here, there) || hangs(here) || hangs(there)) continue
        const [earlier, later] = here.id < there.id ? [part, there] : [other, here]
        if (takesUp(source, later) && !isMark(earlier)) continue
        const rival = rivalOf(comparison, here, there, part, mine)
        if (rival === undefined) continue
        const back = rivalOf(comparison, there, here, other, mine)
        const own = back ?? ownOf(comparison, here, mine)
        if (own === undefined) continue
        return [
          finding(
            comparison,
            'entity_mismatch',
            'hard',
            0.8,
            [rival.at, own.at],
            [part.at, other.at],
            `'${said(claim, part.at)}' and '${said(claim, other.at)}' belong to two statements; beside one the source has '${said(source, own.at)}', beside the other '${said(source, rival.at)}'`,
          ),
        ]
      }
    }
  }
  return []
}

/** "I take the bus on weekdays and drive at weekends" became "drives on weekdays": the verb of one, and a part of the other. */
function strangerTo(
  comparison: Comparison,
  mine: Statement,
  parts: readonly Part[],
  places: readonly ReadonlySet<number>[],
): Finding | undefined {
  const { source, claim } = comparison
  const verb = claim.words[mine.head]
  if (verb?.tag !== 'V' || isLight(verb)) return undefined
  const told = source.statements.filter(({ head }) => head >= 0 && isSame(source.words[head]!, verb))
  for (const [k, part] of parts.entries()) {
    if (places[k]!.size !== 1) continue
    const there = source.statements[[...places[k]!][0]!]!
    if (there.head < 0 || there.clause?.finite !== true || told.includes(there) || hangs(there)) continue
    for (const here of told) {
      if (!inOneSentence(source, here, there) || hangs(here) || isDenied(source, here)) continue
      const rival = rivalOf(comparison, there, here, part, mine)
      if (
        rival?.slot === part.slot &&
        !here.parts.some(({ key, slot }) => key === 'open' && slot === part.slot)
      )
        return finding(
          comparison,
          'entity_mismatch',
          'hard',
          0.8,
          [rival.at, here.head],
          [part.at, mine.head],
          `'${said(claim, mine.head)}' is said of '${said(source, rival.at)}', not of '${said(claim, part.at)}'`,
        )
    }
  }
  return undefined
}

/** Words up to which what stands side by side in a text can be told. */
const SHORT = 48
const BRIEF = 22

/** Sets a thing apart from another of its kind, and is no thing a pronoun could stand for. */
const isMark = ({ slot, measure }: Part) => slot === 'trait' || measure !== undefined

/** "excludes electrical work" for "without the electrics": another part of speech is another part of the sentence. */
const isSaidSo = ({ source, claim }: Comparison, { at, key, measure }: Part) =>
  key === 'self' ||
  measure !== undefined ||
  claim.words[at]!.tag === 'N' ||
  source.words.some(({ lemma }) => lemma === claim.words[at]!.lemma)

const isMain = ({ slot }: Part) => slot !== 'owner'

const kindOf = (side: Side, { key, stands, at, measure }: Part): string => {
  if (measure !== undefined) return measure.kind
  if (key === 'self') return 'person'
  const word = side.words[stands[0] ?? at]!
  return isPerson(word) ? 'person' : isName(word) ? 'name' : word.tag
}

/** What `there` has in the place this part of the claim has in `here`, where the claim does not speak of it. */
function rivalOf(
  comparison: Comparison,
  here: Statement,
  there: Statement,
  part: Part,
  mine: Statement,
): Part | undefined {
  const { source } = comparison
  const counterpart = here.parts.find((one) => matches(comparison, one, part))
  if (counterpart === undefined) return undefined
  const kind = kindOf(source, counterpart)
  return there.parts.find((one) => {
    if (one.key === 'open' || one.borrowed || !isMain(one)) return false
    if (mine.parts.some((other) => matches(comparison, one, other))) return false
    const traits = one.slot === 'trait' && counterpart.slot === 'trait'
    if (kindOf(source, one) !== kind && !traits) return false
    if (one.measure !== undefined)
      return source.words[one.at - 1]?.lemma === source.words[counterpart.at - 1]?.lemma
    const [a, b] = [source.words[one.at]!, source.words[counterpart.at]!]
    if (traits)
      return (
        source.words[one.of]!.lemma === source.words[counterpart.of]!.lemma ||
        [one, counterpart].some(({ of }) => /^ones?$/.test(source.words[of]!.norm))
      )
    return (
      (one.slot === counterpart.slot && one.slot !== 'bare') ||
      (kind !== 'person' && /^(?:sister|antonym)$/.test(compareWords(a, b).match))
    )
  })
}

const ownOf = (comparison: Comparison, here: Statement, mine: Statement): Part | undefined =>
  here.parts.find(
    (one) =>
      !one.borrowed &&
      isMain(one) &&
      isTelling(comparison.source, one) &&
      !mine.parts.some((other) => matches(comparison, one, other)),
  )

/** What hangs on another statement tells of the same things. */
const hangs = ({ clause }: Statement) =>
  clause !== undefined && /^(?:complement|purpose|relative|adjunct)$/.test(clause.link)

function inOneSentence({ words }: Side, a: Statement, b: Statement): boolean {
  for (let i = Math.min(a.at, b.at); i < Math.max(a.at, b.at); i++)
    if (/^[.!?\n]$/.test(words[i]!.norm)) return false
  return true
}

/** A pronoun or "one" that may stand for what was named before. */
const takesUp = ({ words }: Side, { parts }: Statement) =>
  parts.some(({ key, borrowed, at }) => !borrowed && (key === 'open' || /^ones?$/.test(words[at]!.norm)))
