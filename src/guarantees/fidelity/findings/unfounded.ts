import { isContent } from '../comparing/alignment.ts'
import { type Comparison, type Finding, finding, type Side, said } from '../comparing/comparison.ts'
import { isView } from '../reading/operators.ts'
import { anyOf, CERTAINTY } from '../words/cues.ts'
import { matches } from './crossing.ts'

/** Verbs by which something is known from then on. */
const FINDING = anyOf(
  'find find_out found_out confirm prove show demonstrate verify establish determine reveal discover conclude detect ascertain diagnose uncover',
)
/** Words of a source by which something may have been found. */
const LOOKED = new Set([
  ...FINDING,
  ...anyOf(
    'see check test measure notice observe hear learn know turn_out turned_out be_clear result evidence reproduce realise realize look examine inspect spot proof trace identify',
  ),
])
const HEDGES = anyOf(
  'hunch guess suspicion impression theory fairly pretty reckon sounds seems seem look feel worry fear',
)

/** "proved wrong", "turned out false": how something came out, not that anybody looked. */
const isOutcome = ({ words }: Side, at: number) =>
  words[at]!.lemma === 'prove' && /^[ART]$/.test(words[at + 1]?.tag ?? '')

/** It has a counterpart that is said to be so; one that is denied bears nothing out. */
const isCompared = ({ source, alignment }: Comparison, c: number) =>
  source.scopes.signs[alignment.links[c]!.source] === 1

/** Verbs by which a thing is settled. */
const SETTLING = anyOf(
  'agree decide approve consent accept settle choose pick opt commit hire appoint buy sign agree_to',
)
/** A source in which it is settled by some word. */
const SETTLED = new Set([
  ...SETTLING,
  ...anyOf('ok okay fine yes confirm allow let permit go_with went_with take final decision deal'),
])
const UNSETTLED = anyOf(
  'might may could maybe perhaps possibly lean leaning incline inclined consider considering undecided unsure torn mull weigh tempted thinking_about thinking_of looking_at',
)

/** Verbs by which someone takes something upon himself. */
const ADMITTING = anyOf('admit confess concede own_up acknowledge apologise apologize')
/** Words by which a source may tell of that in other ways. */
const SPEAKING = anyOf(
  'say tell own write reply answer admit confess concede own_up acknowledge apologise apologize sorry fault mistake blame regret agree accept',
)

/** What the claim says was found or admitted, where the source only supposes it, or has it said by somebody else. */
export function unfoundedFindings(comparison: Comparison): Finding[] {
  const { claim, source } = comparison
  for (const clause of claim.clauses) {
    const { lemma, norm, tag } = claim.words[clause.head]!
    const { sign, condition, certainty } = claim.scopes.stances[clause.id]!
    if (tag !== 'V' || sign !== 1 || condition !== undefined || certainty < 3 || clause.question) continue
    if (clause.modals.length > 0 || !clause.finite) continue
    // What stands for it in the source is compared with it by other rules.
    if (isOutcome(claim, clause.head) || isCompared(comparison, clause.head)) continue
    const told =
      FINDING.has(lemma) || FINDING.has(norm)
        ? isSupposed(comparison)
        : clause.tense === 'past' && (SETTLING.has(lemma) || SETTLING.has(norm))
          ? isUnsettled(source)
          : ADMITTING.has(lemma) || ADMITTING.has(norm)
            ? !isOwnWord(comparison, clause.id)
            : false
    if (!told) continue
    return [
      finding(
        comparison,
        'modality_upgrade',
        'hard',
        0.8,
        [],
        [clause.head],
        `nothing in the source says it was '${said(claim, clause.head)}'`,
      ),
    ]
  }
  return []

  function isSupposed({ alignment }: Comparison): boolean {
    const hedged = source.words.some(
      ({ norm, lemma }, i) =>
        isView(lemma) ||
        HEDGES.has(lemma) ||
        HEDGES.has(norm) ||
        ((CERTAINTY.get(norm) ?? 3) <= 1 && source.words[i]!.tag !== 'N'),
    )
    if (!hedged) return false
    // Denied, it says that nobody has.
    if (
      source.words.some(
        ({ lemma, norm }, i) => (LOOKED.has(lemma) || LOOKED.has(norm)) && source.scopes.signs[i] === 1,
      )
    )
      return false
    return claim.words.some(
      (word, c) => isContent(word) && word.tag === 'N' && alignment.links[c]!.source >= 0,
    )
  }
}

/** Weighed or possible only, and settled by no word. */
const isUnsettled = ({ words, scopes }: Side): boolean =>
  words.some(
    ({ norm, lemma, tag }, i) =>
      tag !== 'N' &&
      (UNSETTLED.has(norm) ||
        UNSETTLED.has(lemma) ||
        (/^(?:decide|convinced)$/.test(lemma) && scopes.signs[i] === -1)),
  ) &&
  !words.some(
    ({ norm, lemma }, i) =>
      (SETTLED.has(lemma) || SETTLED.has(norm)) && scopes.signs[i] === 1 && !isUnder(words, i),
  )

/** "might let us", "could take": no more than possible. */
const isUnder = (words: Side['words'], at: number) =>
  words
    .slice(Math.max(0, at - 3), at)
    .some(({ tag, norm }) => tag === 'M' || tag === '-' || UNSETTLED.has(norm))

/** Whoever admits it speaks in the source as well, or nobody is named. */
function isOwnWord(comparison: Comparison, id: number): boolean {
  const { source, claim } = comparison
  const mine = claim.statements.find(({ clause }) => clause?.id === id)
  const who = mine?.parts.find(({ slot }) => slot === 'subject')
  if (who === undefined || who.key === 'open') return true
  return (
    source.statements.some(
      ({ head, parts }) =>
        head >= 0 &&
        speaks(source, head) &&
        parts.some(
          (part) => part.slot === 'subject' && (part.key === 'open' || matches(comparison, part, who)),
        ),
    ) || source.words.some(({ norm }) => norm === ':')
  )
}

const speaks = ({ words }: Side, at: number) =>
  SPEAKING.has(words[at]!.lemma) || SPEAKING.has(words[at]!.norm)
