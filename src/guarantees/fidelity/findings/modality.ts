import { isContent } from '../comparing/alignment.ts'
import {
  type Comparison,
  clauseAt,
  type Finding,
  familyOf,
  finding,
  type Side,
  said,
  supportOf,
} from '../comparing/comparison.ts'
import { sameAmount } from '../quantities/quantities.ts'
import type { Clause } from '../reading/clauses.ts'
import { effectOf, isView } from '../reading/operators.ts'
import { DENIED } from '../reading/stances.ts'
import { anyOf, CERTAINTY, DUTIES, type Duty } from '../words/cues.ts'
import type { Word } from '../words/tagging.ts'
import { conditionFindings } from './conditions.ts'
import { EXCLUSIVE, inSentence, isDeniedConstituent, isOpen } from './openness.ts'

/** Certainty, obligation and conditions: what a claim may not make firmer than its source, nor looser. */
export function modalityFindings(comparison: Comparison): Finding[] {
  return [
    ...dutyFindings(comparison),
    ...withoutRepeats([...certaintyFindings(comparison), ...decisionFindings(comparison)]),
    ...conditionFindings(comparison),
  ]
}

interface Obligation {
  readonly duty: Duty
  /** The word that says so. */
  readonly at: number
  /** What it is about. */
  readonly topics: readonly number[]
  /** The predicate the duty is about, -1 where the duty is the predicate. */
  readonly act: number
}

function obligationsOf(side: Side): Obligation[] {
  const list: Obligation[] = []
  for (const clause of side.clauses) {
    const stance = side.scopes.stances[clause.id]!
    const head = side.words[clause.head]!
    const own = side.wordsOf[clause.id]!.filter((i) => isContent(side.words[i]!))
    const pressed =
      clause.copula || clause.passive || head.tag === 'V'
        ? (DUTIES.get(head.norm) ?? DUTIES.get(head.lemma))
        : undefined
    if (
      pressed !== undefined &&
      head.tag !== 'X' &&
      !(
        head.norm === 'can' ||
        head.norm === 'may' ||
        head.norm === 'fine' ||
        head.norm === 'ok' ||
        head.norm === 'okay'
      )
    ) {
      const governed = side.clauses.filter(({ governor }) => governor === clause.head)
      const topics =
        governed.length > 0
          ? governed.flatMap(({ id }) => side.wordsOf[id]!.filter((i) => isContent(side.words[i]!)))
          : own.filter((i) => i !== clause.head)
      list.push({ duty: denied(pressed, stance.sign), at: clause.head, topics, act: governed[0]?.head ?? -1 })
    } else if (stance.duty !== undefined && head.lemma !== 'exceed' && !isExpected(side, clause)) {
      const at = clause.modals[0] ?? (clause.governor >= 0 ? clause.governor : clause.head)
      const embedded = predicateDuty(side, clause)
      if (embedded !== undefined)
        list.push({
          duty: denied(embedded.duty, stance.sign),
          at: embedded.at,
          topics: topicsBefore(side, clause, own, embedded.at),
          act: -1,
        })
      else {
        // "stop sending it" demands that it is not sent.
        const turned = stance.sign === -1 && (stance.duty === 'required' || stance.duty === 'recommended')
        list.push({ duty: turned ? 'forbidden' : stance.duty, at, topics: own, act: clause.head })
      }
    }
  }
  return list
}

/** "should be able to come": what is likely, not what ought to be. */
const isExpected = ({ words }: Side, { modals, head, verb }: Clause): boolean =>
  modals.some((i) => /^(?:should|ought_to)$/.test(words[i]!.norm)) &&
  words.slice(verb, head + 1).some(({ norm }) => /^(?:able|able_to|be_able)$/.test(norm))

/** "don't treat it as optional": the obligation is in the predicate, and what it is about may be a pronoun. */
function predicateDuty(side: Side, clause: Clause): { duty: Duty; at: number } | undefined {
  for (let i = clause.head + 1; i < side.words.length && side.clauseOf[i] === clause.id; i++) {
    const { norm, tag } = side.words[i]!
    if (tag === 'A' && DUTIES.has(norm) && side.words[i - 1]?.norm === 'as')
      return { duty: DUTIES.get(norm)!, at: i }
  }
  return undefined
}

function topicsBefore(side: Side, clause: Clause, own: readonly number[], at: number): number[] {
  const topics = own.filter((i) => i !== at && i !== clause.head)
  if (topics.length > 0) return topics
  // A pronoun: what the clause before spoke of.
  const before = side.clauses[clause.id - 1]
  return before === undefined ? [] : side.wordsOf[before.id]!.filter((i) => side.words[i]!.tag === 'N')
}

const denied = (duty: Duty, sign: number): Duty => (sign === -1 ? DENIED[duty] : duty)

/** What becomes of an obligation of the source when the claim states another: rows are the source's. */
const OUTCOMES: Readonly<
  Record<Duty, Partial<Record<Duty, 'polarity_flip' | 'modality_upgrade' | 'weakened'>>>
> = {
  required: { forbidden: 'polarity_flip', 'not required': 'polarity_flip', permitted: 'weakened' },
  recommended: {
    required: 'modality_upgrade',
    forbidden: 'polarity_flip',
    'not required': 'weakened',
    permitted: 'weakened',
  },
  permitted: { required: 'modality_upgrade', recommended: 'modality_upgrade', forbidden: 'polarity_flip' },
  'not required': {
    required: 'polarity_flip',
    forbidden: 'modality_upgrade',
    recommended: 'modality_upgrade',
  },
  forbidden: {
    required: 'polarity_flip',
    permitted: 'polarity_flip',
    recommended: 'polarity_flip',
    'not required': 'polarity_flip',
  },
}

/** Words by which a source may demand something without saying so. */
const DEMANDING =
  /^(?:not|no|never|none|nobody|nothing|only|without|unless|until|if|except\w*|before|after|first|always|every|all|each|any|deadline|due|want|wants|policy|rule|limit|sure|at_least|at_most|up_to|law|let|please|agreed|expected|depends?|take|takes|wait|waiting)$/

/** "might be worth caching" became "must be cached": a demand where the source states, weighs or leaves free. */
function demandsOfNothing(comparison: Comparison): Finding[] {
  const { source, claim, alignment } = comparison
  if (source.words.some(({ norm, lemma }) => DEMANDING.test(norm) || DUTIES.has(norm) || DUTIES.has(lemma)))
    return []
  for (const mine of obligationsOf(claim)) {
    const act = mine.act < 0 ? undefined : alignment.links[mine.act]
    if (claim.words[mine.at]!.tag !== 'M') continue
    if (mine.duty !== 'required' || act === undefined || act.source < 0 || act.likeness.score < 0.75) continue
    const clause = clauseAt(source, act.source)
    if (clause === undefined || clause.imperative || clause.question || clause.head !== act.source) continue
    return [
      finding(
        comparison,
        'modality_upgrade',
        'hard',
        0.8,
        [act.source],
        [mine.at, mine.act],
        `nothing in the source demands '${said(claim, mine.act)}'`,
      ),
    ]
  }
  return []
}

function dutyFindings(comparison: Comparison): Finding[] {
  const { source, claim, alignment } = comparison
  const there = obligationsOf(source)
  if (there.length === 0) return demandsOfNothing(comparison)
  const found: Finding[] = []
  for (const mine of obligationsOf(claim)) {
    const overlaps = there
      .map((theirs) => ({
        theirs,
        shared: mine.topics.filter((c) => theirs.topics.includes(alignment.links[c]!.source)).length,
      }))
      .filter(({ shared }) => shared > 0)
      .sort((a, b) => b.shared - a.shared)
    const best = overlaps[0]
    if (best === undefined) continue
    // Both name what is to be done: it has to be the same.
    if (mine.act >= 0 && best.theirs.act >= 0 && alignment.links[mine.act]!.source !== best.theirs.act)
      continue
    // and of the same things: a time or place of the claim may be another rule's.
    if (mine.act >= 0 && best.theirs.act >= 0 && !isAboutSame(comparison, mine, best.theirs)) continue
    // "may leave with notice": leaving requires notice.
    if (
      best.theirs.duty === 'permitted' &&
      /^(?:require|need|necessary|needed|needed_to|required)$/.test(claim.words[mine.at]!.lemma)
    )
      continue
    // Words that deny on their own ("refuse to", "avoid") are the business of polarity.
    const outcomes = overlaps
      .filter(({ shared }) => shared === best.shared)
      .map(({ theirs }) => ({ theirs, outcome: OUTCOMES[theirs.duty][mine.duty] }))
    if (outcomes.some(({ outcome }) => outcome === undefined)) continue
    const { theirs, outcome } = outcomes[0]!
    const clause = clauseAt(claim, mine.at)
    if (outcome !== 'weakened' && clause !== undefined && isOpen(comparison, clause, theirs.at)) continue
    if (signed(comparison, mine, theirs) === -1 && outcome !== 'weakened') continue
    // "ignore it": who is told to may.
    if (
      outcome === 'weakened' &&
      mine.duty === 'permitted' &&
      clauseAt(source, theirs.at)?.imperative === true
    )
      continue
    const hard = outcome !== 'weakened'
    found.push(
      finding(
        comparison,
        outcome!,
        hard ? 'hard' : 'soft',
        hard ? 0.9 : 0.6,
        [theirs.at, ...denierOf(source, theirs.at)],
        [mine.at, ...denierOf(claim, mine.at)],
        `the source has it ${theirs.duty}, the claim ${mine.duty}`,
      ),
    )
  }
  return found
}

/** Most of what the claim says of the act, as far as the source speaks of it, the source says of the act, too. */
function isAboutSame({ alignment }: Comparison, mine: Obligation, theirs: Obligation): boolean {
  let linked = 0
  let shared = 0
  for (const c of mine.topics) {
    const at = alignment.links[c]!.source
    if (c === mine.act || at < 0) continue
    linked++
    if (theirs.topics.includes(at)) shared++
  }
  return shared * 2 >= linked
}

const denierOf = (side: Side, at: number) => side.scopes.stances[side.clauseOf[at]!]?.deniers ?? []

/** -1 when the topics are opposites of each other: "must keep" and "must not delete". */
function signed({ source, claim, alignment }: Comparison, mine: Obligation, theirs: Obligation): number {
  let sign = 1
  for (const c of mine.topics) {
    const link = alignment.links[c]!
    if (!theirs.topics.includes(link.source)) continue
    sign *= link.likeness.sign
    // "never from main": forbidden of this one alone
    if (claim.words[c]!.tag === 'N' && isDeniedConstituent(source, link.source)) sign = -sign
  }
  return sign
}

function certaintyFindings(comparison: Comparison): Finding[] {
  const { source, claim, alignment } = comparison
  const found: Finding[] = []
  const seen = new Set<number>()
  for (const clause of claim.clauses) {
    if (!clause.finite && clause.link !== 'complement') continue
    const link = alignment.links[clause.head]!
    if (link.source < 0 || link.likeness.score < 0.75) continue
    const theirs = clauseAt(source, link.source)
    if (theirs === undefined || theirs.head !== link.source || seen.has(theirs.id)) continue
    if (clause.link === 'condition' || clause.link === 'exception' || clause.question) continue
    const mine = claim.scopes.stances[clause.id]!
    const stance = source.scopes.stances[theirs.id]!
    if (mine.duty !== undefined || mine.condition !== undefined || mine.sign === -1) continue
    // "all others have left": what is denied there is denied of one of them.
    if (stance.sign === -1 && inSentence(claim, clause.head, EXCLUSIVE)) continue
    const claimed = confirms(claim, clause) ? 4 : mine.certainty
    const hedged = pendingOf(comparison, theirs)
    // Whether she accepts is open: neither "accepted" nor "declined" follows.
    if (link.likeness.sign === -1 && hedged > 0) continue
    // "may" and "can" give leave as often as they guess.
    if (stance.duty === 'permitted' && claimed < 4 && clause.tense !== 'past') continue
    // "used to": so it was, not so it is.
    if (
      theirs.modals.some((i) => source.words[i]!.norm === 'used_to') &&
      clause.tense === 'present' &&
      !clause.modals.length
    ) {
      if (countsOtherwise(comparison, clause, theirs)) continue
      found.push(
        finding(
          comparison,
          'modality_upgrade',
          'hard',
          0.85,
          [theirs.verb, theirs.head],
          [clause.head],
          `the source says it used to be so, the claim that it is ('${said(claim, clause.head)}')`,
        ),
      )
      continue
    }
    const happened = clause.tense === 'past' && claimed >= 3 && theirs.tense !== 'past'
    const upgrade =
      (hedged <= 1 && claimed >= 2) ||
      (hedged === 2 && claimed === 4 && !confirmsAny(source)) ||
      (hedged === 2 && happened)
    if (!upgrade || isHedgedElsewhere(comparison, clause) || isDoneAfterAll(source, theirs)) continue
    const { linked, near } = supportOf(comparison, clause.head, theirs.head)
    if (linked > 0 && near * 2 < linked) continue
    // Said again elsewhere without a hedge.
    if (
      source.clauses.some(
        (other) =>
          other.id !== theirs.id &&
          source.words[other.head]!.lemma === source.words[theirs.head]!.lemma &&
          source.scopes.stances[other.id]!.certainty >= claimed,
      )
    )
      continue
    seen.add(theirs.id)
    const cue = hedgeOf(source, theirs)
    found.push(
      finding(
        comparison,
        'modality_upgrade',
        'hard',
        0.85,
        cue,
        firmnessOf(claim, clause),
        `the source leaves it open ('${said(source, ...cue)}'), the claim states it ('${said(claim, ...firmnessOf(claim, clause))}')`,
      ),
    )
  }
  return found
}

/** "used to run five times a week, now twice": the number of the claim is another. */
const countsOtherwise = ({ source, claim }: Comparison, mine: Clause, theirs: Clause): boolean =>
  claim.quantities.some(
    (quantity) =>
      claim.clauseOf[quantity.from] === mine.id &&
      quantity.loose !== true &&
      !source.quantities.some(
        (other) => source.clauseOf[other.from] === theirs.id && sameAmount(other, quantity),
      ),
  )

/** "promised to review it and did so": a later clause says that it was done. */
const isDoneAfterAll = ({ words, sentenceOf, scopes, clauseOf }: Side, { head }: Clause): boolean =>
  words.some(
    ({ norm }, i) =>
      i > head &&
      sentenceOf[i] === sentenceOf[head] &&
      norm === 'did' &&
      /^(?:so|it|that|[.,;])$/.test(words[i + 1]?.norm ?? '.') &&
      scopes.stances[clauseOf[i]!]?.sign === 1,
  )

/** A hedge in the source is told once. */
const withoutRepeats = (findings: readonly Finding[]) =>
  findings.filter(
    ({ sourceRange }, i) =>
      findings.findIndex((other) => other.sourceRange.start === sourceRange.start) === i,
  )

const isHedge = ({ norm, lemma }: Word) => (CERTAINTY.get(norm) ?? CERTAINTY.get(lemma) ?? 3) <= 1

const VOUCHES = anyOf('guarantee guaranteed confirm confirmed certain sure definite proven prove promise')
const isLikely = ({ norm, tag }: Word) =>
  /^(?:should|probably|likely|expects?|expected|plans?|planned|hopes?|aims?|thinks?|believes?|seems?|estimated?)$/.test(
    norm,
  ) && tag !== 'N'

/** "confirmed", "decided", "approved" of what the source only proposes, considers or pencils in. */
function decisionFindings(comparison: Comparison): Finding[] {
  const { source, claim, alignment } = comparison
  const found: Finding[] = []
  for (const clause of claim.clauses) {
    const head = claim.words[clause.head]!
    if (
      (CERTAINTY.get(head.norm) ?? CERTAINTY.get(head.lemma)) !== 4 ||
      claim.scopes.stances[clause.id]!.sign !== 1
    )
      continue
    if (head.tag === 'N' || clause.question || clause.link === 'condition' || clause.link === 'exception')
      continue
    const family = familyOf(claim, clause.id)
    const topics = alignment.links.filter(
      ({ source: s, likeness }, c) =>
        c !== clause.head &&
        s >= 0 &&
        likeness.score >= 0.75 &&
        family.has(claim.clauseOf[c]!) &&
        /^[NV]$/.test(claim.words[c]!.tag),
    )
    const places = new Set(topics.map(({ source: s }) => source.clauseOf[s]!))
    const about = source.words
      .map((_, i) => i)
      .filter((i) => places.has(source.clauseOf[i]!) || places.has(parentOf(source, i)))
    const hedge = about.find(
      (i) => isHedge(source.words[i]!) || (VOUCHES.has(head.lemma) && isLikely(source.words[i]!)),
    )
    const firm = source.words.some(
      (word, i) => CERTAINTY.get(word.norm) === 4 && source.scopes.signs[i] === 1,
    )
    if (hedge === undefined || firm) continue
    found.push(
      finding(
        comparison,
        'modality_upgrade',
        'hard',
        0.9,
        [hedge],
        [clause.head],
        `'${said(source, hedge)}' became '${said(claim, clause.head)}'`,
      ),
    )
  }
  return found
}

/** A hedge may stand in the clause over its complement, or in one inside. */
function parentOf(side: Side, at: number): number {
  const own = side.clauses[side.clauseOf[at]!]
  const inside = side.clauses.find(({ parent, link }) => parent === own?.id && link === 'complement')
  return inside?.id ?? -1
}

/** What is asked of somebody is not done by it. */
export const COMMANDS = anyOf(
  'ask tell order request instruct urge invite remind advise encourage recommend command direct assign hire need require agree arrange commit pledge vow undertake volunteer decide ready prepare prompt',
)

/** How settled a clause of the source is; what is waited for, proposed or commanded has not happened. */
function pendingOf({ source }: Comparison, clause: Clause): number {
  const { certainty, duty } = source.scopes.stances[clause.id]!
  const ahead = clause.tense === 'present' || clause.tense === 'none'
  if (/^(?:until|before|time|after)$/.test(clause.link) && ahead && clause.finite)
    return Math.min(certainty, 2)
  if (clause.imperative || duty === 'required' || duty === 'recommended') return Math.min(certainty, 2)
  if (source.words[clause.verb - 1]?.norm === 'us' && source.words[clause.verb - 2]?.norm === 'let')
    return Math.min(certainty, 2)
  const governor = clause.governor < 0 ? undefined : source.words[clause.governor]!
  if (governor !== undefined && clause.link === 'complement' && !clause.finite) {
    const effect = effectOf(governor.lemma) ?? effectOf(governor.norm)
    if (effect === 'leaves open' || effect === 'raises' || COMMANDS.has(governor.lemma))
      return Math.min(certainty, 2)
  }
  return certainty
}

/** "User confirmed (that) …": the clause over this one confirms. */
function confirms(side: Side, clause: Clause): boolean {
  const parent = clause.parent < 0 ? undefined : side.clauses[clause.parent]
  return (
    parent !== undefined &&
    clause.link === 'complement' &&
    CERTAINTY.get(side.words[parent.head]!.norm) === 4 &&
    side.scopes.stances[parent.id]!.sign === 1
  )
}

const confirmsAny = (side: Side) => side.words.some(({ norm }) => CERTAINTY.get(norm) === 4)

const OPENS = /^(?:possible|possibly|unclear|undecided|uncertain|whether|may|might|could|maybe|perhaps)$/
const ATTRIBUTION = anyOf(
  'according_to says say said states state stated tells tell told reports report reported mentions mention mentioned view opinion impression feeling',
)

/** The claim may carry the hedge of the source in a word this reading does not attach to the clause. */
function isHedgedElsewhere({ claim, alignment }: Comparison, clause: Clause): boolean {
  return claim.words.some(({ norm, lemma, tag }, i) => {
    if (claim.sentenceOf[i] === claim.sentenceOf[clause.head] && (isView(lemma) || ATTRIBUTION.has(norm)))
      return true
    const level = CERTAINTY.get(norm)
    return (
      level !== undefined &&
      level <= 1 &&
      tag !== '.' &&
      // "proposed it", of one who was going to propose it: that is what was done.
      !(
        i === clause.head &&
        tag === 'V' &&
        claim.words[i]!.form === 'ed' &&
        alignment.links[i]!.likeness.match === 'same'
      ) &&
      (claim.clauseOf[i] === clause.id ||
        claim.clauseOf[i] === clause.parent ||
        claim.clauses.length <= 2 ||
        // "It is possible, though not settled, that …"
        (OPENS.test(norm) && i < clause.verb && claim.sentenceOf[i] === claim.sentenceOf[clause.head]))
    )
  })
}

function hedgeOf(side: Side, clause: Clause): number[] {
  const list: number[] = []
  for (const [i, { norm }] of side.words.entries()) {
    const level = CERTAINTY.get(norm)
    if (
      level !== undefined &&
      level <= 2 &&
      (side.clauseOf[i] === clause.id || side.clauseOf[i] === clause.parent)
    )
      list.push(i)
  }
  return list.length > 0 ? [list[0]!, clause.head] : [clause.head]
}

function firmnessOf(side: Side, clause: Clause): number[] {
  const parent = clause.parent < 0 ? undefined : side.clauses[clause.parent]
  return confirms(side, clause) && parent !== undefined ? [parent.head, clause.head] : [clause.head]
}
