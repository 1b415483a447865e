import { compareWords } from '../comparing/alignment.ts'
import { type Comparison, type Finding, finding, type Side, said } from '../comparing/comparison.ts'
import type { Part, Statement } from '../reading/statements.ts'
import { isPerson } from '../words/people.ts'
import { isDenied, matches } from './crossing.ts'
import { isName } from './names.ts'

/** Whose a thing is, and whose doing: "Mia's approval of Tom's plan" became "Tom approved it", or "Mia's plan". */
export function belongingFindings(comparison: Comparison): Finding[] {
  const { source, claim } = comparison
  const owners = source.statements.flatMap(({ parts }) => parts.filter((part) => isOwner(source, part)))
  if (owners.length === 0) return []
  for (const statement of claim.statements) {
    if (isDenied(claim, statement)) continue
    const owned = ownerSwap(comparison, statement, owners)
    const swapped = owned ?? doerSwap(comparison, statement, owners)
    if (swapped === undefined) continue
    return [
      finding(
        comparison,
        'role_swap',
        'hard',
        0.8,
        [swapped.theirs.at, swapped.theirs.of],
        [swapped.mine],
        `in the source it ${owned === undefined ? 'is done by' : 'belongs to'} '${said(source, swapped.theirs.at)}', in the claim '${said(claim, swapped.mine)}'`,
      ),
    ]
  }
  return []
}

interface Swap {
  readonly theirs: Part
  readonly mine: number
}

const isOwner = (side: Side, part: Part) => part.slot === 'owner' && part.of >= 0 && isSomebody(side, part)

function isSomebody({ words }: Side, { key, stands, at }: Part): boolean {
  if (key === 'self') return true
  if (key !== 'word' || stands.length !== 1) return false
  const word = words[stands[0] ?? at]!
  if (CALENDAR.test(word.norm)) return false
  return isPerson(word) || isName(word)
}

const CALENDAR =
  /^(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|may|june|july|august|september|october|november|december|today|yesterday|tomorrow|tonight|christmas|easter)$/

const mentioned = (comparison: Comparison, mine: Part) =>
  comparison.source.statements.some(({ parts }) => parts.some((one) => matches(comparison, one, mine)))

function ownerSwap(comparison: Comparison, statement: Statement, owners: readonly Part[]): Swap | undefined {
  const { source, claim } = comparison
  const { parts } = statement
  for (const mine of parts) {
    if (!isOwner(claim, mine) || mine.borrowed || mine.key === 'self') continue
    const { lemma } = claim.words[mine.of]!
    const theirs = owners.filter(({ of }) => source.words[of]!.lemma === lemma)
    if (theirs.length === 0 || theirs.some((one) => matches(comparison, one, mine))) continue
    // "Gemma's dog bit the postman", "the postman's dog bit Gemma"
    const exchanged = theirs.find((one) => areExchanged(comparison, one, mine, parts))
    if (exchanged !== undefined) return { theirs: exchanged, mine: mine.at }
    // Named once without an owner, it may be anybody's.
    if (source.words.some((word, i) => word.lemma === lemma && !owners.some(({ of }) => of === i))) continue
    // "My neighbour's Anna": what one is called and what one is to another may go together.
    if (
      !isName(claim.words[mine.stands[0]!]!) ||
      !theirs.every(({ stands, key }) => key === 'word' && isName(source.words[stands[0]!]!))
    )
      continue
    // Whom a pronoun stands for is a guess.
    if (mine.stands[0] !== mine.at || theirs.some(({ stands, at }) => stands[0] !== at)) continue
    // "Tom Baker's plan"
    const name = claim.words[mine.at]!.lemma
    if (
      theirs.some(({ at }) => source.words.slice(Math.max(0, at - 3), at).some((word) => word.lemma === name))
    )
      continue
    if (mentioned(comparison, mine)) return { theirs: theirs[0]!, mine: mine.at }
  }
  return undefined
}

/** The owner of either side has a part of its own in the other. */
function areExchanged(comparison: Comparison, theirs: Part, mine: Part, parts: readonly Part[]): boolean {
  const there = comparison.source.statements.find((one) => one.parts.includes(theirs))
  const hasPart = (list: readonly Part[], isIt: (part: Part) => boolean) =>
    list.some((part) => /^(?:object|subject)$/.test(part.slot) && !part.borrowed && isIt(part))
  return (
    there !== undefined &&
    hasPart(there.parts, (part) => matches(comparison, part, mine)) &&
    hasPart(parts, (part) => matches(comparison, theirs, part))
  )
}

/** A noun of doing with its doer, and the verb with another. */
function doerSwap(comparison: Comparison, statement: Statement, owners: readonly Part[]): Swap | undefined {
  const { source, claim } = comparison
  const verb = claim.words[statement.head]
  if (verb?.tag !== 'V') return undefined
  const doer = statement.parts.find(({ slot, borrowed }) => slot === 'subject' && !borrowed)
  if (doer === undefined || !isSomebody(claim, doer)) return undefined
  const deeds = owners.filter(({ of }) => isDeed(source.words[of]!, verb))
  if (deeds.length === 0 || deeds.some((one) => matches(comparison, one, doer))) return undefined
  if (source.words.some((word) => word.tag === 'V' && word.lemma === verb.lemma)) return undefined
  return mentioned(comparison, doer) ? { theirs: deeds[0]!, mine: doer.at } : undefined
}

function isDeed(noun: Side['words'][number], verb: Side['words'][number]): boolean {
  if (noun.tag !== 'N') return false
  const { sign, score, match } = compareWords(noun, verb)
  return sign === 1 && score >= 0.85 && match !== 'near'
}
