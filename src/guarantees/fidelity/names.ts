import type { Clause } from './clauses.ts'
import { type Comparison, clauseAt, type Finding, finding, type Side, said } from './comparison.ts'
import { isConverse } from './polarity.ts'
import { classesOf, lemmaOf } from './relations.ts'
import type { Word } from './tagging.ts'

/** Names that differ, and names with another's part. */
export function nameFindings(comparison: Comparison): Finding[] {
  return [...unknownNames(comparison), ...swappedRoles(comparison)]
}

export const isName = (word: Word): boolean =>
  word.tag === 'N' &&
  (word.kind === 'code' ||
    word.proper ||
    (word.first && /^\p{Lu}/u.test(word.text) && !isOrdinary(word.norm))) &&
  !/^(?:user|users|assistant|agent|team|i|ok|okay|customer|client|the)$/.test(word.norm)

function unknownNames(comparison: Comparison): Finding[] {
  const { source, claim, context, alignment } = comparison
  const found: Finding[] = []
  const words = new Set(source.words.flatMap(({ norm }) => [norm, ...norm.split(/[-_./:]/)]))
  const text = source.text.toLowerCase()
  const numbered = new Set(
    claim.quantities.flatMap(({ from, to }) => Array.from({ length: to - from }, (_, k) => from + k)),
  )
  for (const [c, word] of claim.words.entries()) {
    if (
      !isName(word) ||
      numbered.has(c) ||
      words.has(word.norm) ||
      alignment.links[c]!.likeness.score >= 0.75
    )
      continue
    if (text.includes(word.norm) && word.norm.length > 2) continue
    if (word.norm.split(/[-_./:]/).every((part) => words.has(part))) continue
    // "AI-powered" and "AI-supported" share their name.
    if (word.kind === 'word' && word.norm.includes('-') && words.has(word.norm.split('-')[0]!)) continue
    if (initialsOf(source).has(word.norm) || initialsOf(claim).has(word.norm)) continue
    // A word of the dictionary written with a capital names nothing by itself.
    if (
      word.kind === 'word' &&
      !/^\p{Lu}{2,}/u.test(word.text) &&
      isOrdinary(word.norm) &&
      !followsName(claim, c)
    )
      continue
    if (context?.words.some(({ norm }) => norm === word.norm) && source.words.some(({ tag }) => tag === 'P'))
      continue
    const rival = rivalOf(comparison, c)
    if (rival === undefined && claim.scopes.directions[c] === -1) continue
    const pronoun = source.words.some(({ norm }) =>
      /^(?:he|she|they|it|him|her|his|them|this|that|who)$/.test(norm),
    )
    found.push(
      finding(
        comparison,
        'entity_mismatch',
        rival === undefined && pronoun ? 'soft' : 'hard',
        rival === undefined ? (pronoun ? 0.35 : 0.7) : 0.9,
        rival === undefined ? [] : [rival],
        [c],
        rival === undefined
          ? `'${word.text}' is not in the source`
          : `the source has '${said(source, rival)}', the claim '${word.text}'`,
      ),
    )
  }
  return found
}

const isOrdinary = (norm: string) => {
  const lemma = lemmaOf(norm, 'N') ?? lemmaOf(norm, 'V') ?? lemmaOf(norm, 'A')
  return lemma !== undefined && classesOf(lemma) !== ''
}

const followsName = (side: Side, at: number) =>
  side.words[at - 1]?.proper === true || side.words[at + 1]?.proper === true

function initialsOf(side: Side): Set<string> {
  const found = new Set<string>()
  for (let i = 0; i < side.words.length; i++) {
    let letters = ''
    for (
      let k = i;
      k < side.words.length && k < i + 5 && side.words[k]!.kind === 'word' && side.words[k]!.tag !== '.';
      k++
    ) {
      letters += side.words[k]!.norm[0]
      if (letters.length > 1) found.add(letters)
    }
  }
  return found
}

/** A name of the source in the place of this one, which the claim does not mention. */
function rivalOf({ source, claim, alignment }: Comparison, c: number): number | undefined {
  const gap = alignment.gaps.find(({ claim: [from, to] }) => c >= from && c < to)
  const free = (s: number) =>
    alignment.back[s] === -1 &&
    isName(source.words[s]!) &&
    !claim.words.some(({ norm }) => norm === source.words[s]!.norm)
  if (gap) for (let s = gap.source[0]; s < gap.source[1]; s++) if (free(s)) return s
  for (let s = 0; s < source.words.length; s++) if (free(s)) return s
  return undefined
}

interface Parts {
  readonly agents: readonly number[]
  readonly patients: readonly number[]
}

/** Who does and who is done to. */
function partsOf(side: Side, clause: Clause): Parts {
  const subject = range(clause.subject[0], clause.subject[1]).filter(
    (i) => isParticipant(side.words[i]!) && !isOwner(side, i),
  )
  const after = side.words.map((_, i) => i).filter((i) => i > clause.head && side.clauseOf[i] === clause.id)
  const by = after.find((i) => side.words[i]!.norm === 'by')
  const phrase = (from: number, stop: (i: number) => boolean) => {
    const list: number[] = []
    for (let i = from; i < side.words.length && side.clauseOf[i] === clause.id && !stop(i); i++)
      if (isParticipant(side.words[i]!)) list.push(i)
    return list
  }
  const stop = (i: number) => /^[ICST.VXM]$/.test(side.words[i]!.tag) && side.words[i]!.norm !== 'of'
  if (clause.passive) return { agents: by === undefined ? [] : phrase(by + 1, stop), patients: subject }
  return { agents: subject, patients: phrase(clause.head + 1, stop) }
}

const range = (from: number, to: number) => Array.from({ length: Math.max(0, to - from) }, (_, k) => from + k)
const isParticipant = (word: Word) =>
  word.tag === 'N' || (word.tag === 'P' && /^(?:i|me|he|him|she|her|they|them|we|us|you)$/.test(word.norm))
const isOwner = (side: Side, i: number) => side.words[i + 1]?.norm === "'s"

/** Who stands after "to", "from" and their like: the other end of a handing over, a report, an order in time. */
function obliquesOf(side: Side, clause: Clause): number[] {
  const list: number[] = []
  let opened = false
  for (let i = clause.head + 1; i < side.words.length && side.clauseOf[i] === clause.id; i++) {
    const { norm, tag } = side.words[i]!
    if (tag === 'I') opened = /^(?:to|from|for|on|onto|before|after|behind|against|over|of)$/.test(norm)
    else if (tag === '.' && norm === ',') opened = false
    else if (opened && isParticipant(side.words[i]!) && !isOwner(side, i)) list.push(i)
  }
  return list
}

function swappedRoles(comparison: Comparison): Finding[] {
  const { source, claim, alignment } = comparison
  const found: Finding[] = []
  for (const clause of claim.clauses) {
    const link = alignment.links[clause.head]
    if (clause.copula || link === undefined || link.source < 0 || link.likeness.score < 0.6) continue
    const mine = partsOf(claim, clause)
    const candidates = source.clauses.filter(
      ({ head }) => head === link.source || source.words[head]!.lemma === source.words[link.source]!.lemma,
    )
    const linked = (list: readonly number[]) =>
      list.map((i) => alignment.links[i]!.source).filter((s) => s >= 0)
    const [agents, patients] = [linked(mine.agents), linked(mine.patients)]
    if (agents.length === 0 || candidates.length === 0) continue
    const scored = candidates
      .map((candidate) => ({ candidate, parts: partsOf(source, candidate) }))
      .map((one) => ({
        ...one,
        score:
          patients.filter((s) => source.clauseOf[s] === one.candidate.id).length * 2 +
          agents.filter((s) => one.parts.agents.includes(s)).length,
      }))
      .sort((a, b) => b.score - a.score)
    const { candidate, parts } = scored[0]!
    // "bought it from Ben" and "sold it to Ben": the predicate was turned, the parts were not.
    const kept =
      isConverse(source.words[candidate.head]!.lemma, claim.words[clause.head]!.lemma) &&
      agents.some((s) => parts.agents.includes(s)) &&
      linked(obliquesOf(claim, clause)).some((s) => obliquesOf(source, candidate).includes(s))
    if (link.likeness.sign === -1 && !kept) continue
    const exchanged =
      kept ||
      (agents.some((s) => parts.patients.includes(s)) && patients.some((s) => parts.agents.includes(s))) ||
      (link.likeness.match === 'same' &&
        agents.some((s) => obliquesOf(source, candidate).includes(s)) &&
        linked(obliquesOf(claim, clause)).some((s) => parts.agents.includes(s)))
    if (
      exchanged &&
      !/^(?:meet|marry|discuss|talk|agree|match|equal|resemble|merge|differ|be|have)$/.test(
        source.words[candidate.head]!.lemma,
      )
    ) {
      found.push(
        finding(
          comparison,
          'role_swap',
          'hard',
          0.85,
          [candidate.head, ...parts.agents, ...parts.patients],
          [clause.head, ...mine.agents, ...mine.patients],
          `who does what to whom differs: '${said(source, candidate.head, ...parts.agents, ...parts.patients)}' became '${said(claim, clause.head, ...mine.agents, ...mine.patients)}'`,
        ),
      )
      continue
    }
    // Another's part: the source gives this object to someone else.
    const names = mine.agents.filter((i) => isName(claim.words[i]!))
    const others = parts.agents.filter((s) => isName(source.words[s]!))
    if (
      names.length > 0 &&
      others.length > 0 &&
      patients.some((s) => source.clauseOf[s] === candidate.id) &&
      names.every(
        (i) =>
          alignment.links[i]!.source >= 0 &&
          !sameName(source, parts.agents, alignment.links[i]!.source) &&
          clauseAt(source, alignment.links[i]!.source)?.id !== candidate.id,
      )
    )
      found.push(
        finding(
          comparison,
          'entity_mismatch',
          'hard',
          0.85,
          others,
          names,
          `the source says it of '${said(source, ...others)}', the claim of '${said(claim, ...names)}'`,
        ),
      )
  }
  return found
}

const sameName = (side: Side, list: readonly number[], at: number) =>
  list.some((i) => side.words[i]!.norm === side.words[at]!.norm)
