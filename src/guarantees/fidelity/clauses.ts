import { BE, type Hinge, SUBJECT_PRONOUNS, SUBORDINATORS } from './cues.ts'
import { effectOf } from './operators.ts'
import { readWords, type Word } from './tagging.ts'

/** How a clause hangs on its parent. */
export type Link = Hinge | 'main' | 'complement' | 'coordinate' | 'without' | 'adjunct'

export interface Clause {
  readonly id: number
  /** Where the words of the clause begin; they end where those of the next clause begin. */
  readonly start: number
  readonly end: number
  /** First word of the verb group. */
  readonly verb: number
  /** The word that says what is the case: the main verb, or the predicate after "be". */
  readonly head: number
  /** From and to of the subject; equal when there is none. */
  readonly subject: readonly [number, number]
  readonly negators: readonly number[]
  readonly modals: readonly number[]
  readonly helpers: readonly number[]
  readonly passive: boolean
  readonly copula: boolean
  readonly finite: boolean
  readonly imperative: boolean
  readonly question: boolean
  readonly tense: 'past' | 'present' | 'future' | 'none'
  readonly link: Link
  /** The clause it hangs on, -1 for none. */
  readonly parent: number
  /** The word it complements, -1 for none. */
  readonly governor: number
  /** Coordinated with the parent by "or". */
  readonly alternative: boolean
}

export interface Reading {
  readonly text: string
  readonly words: readonly Word[]
  readonly clauses: readonly Clause[]
  /** The clause of each word. */
  readonly clauseOf: readonly number[]
}

interface Group {
  from: number
  head: number
  to: number
  negators: number[]
  modals: number[]
  helpers: number[]
  infinitive: boolean
  copula: boolean
}

/** Words, and clauses with what hangs on what: a shallow reading, the same for the same text. */
export function read(text: string): Reading {
  const words = readWords(text)
  const groups = verbGroups(words)
  const clauses = attach(words, groups)
  const clauseOf = new Array<number>(words.length).fill(clauses.length > 0 ? 0 : -1)
  for (const clause of clauses) for (let i = clause.start; i < clause.end; i++) clauseOf[i] = clause.id
  assignSubjects(clauses, clauseOf)
  return { text, words, clauses, clauseOf }
}

function assignSubjects(clauses: readonly Clause[], clauseOf: number[]): void {
  for (const { id, subject } of clauses)
    for (let i = subject[0]; i < subject[1]; i++) {
      const other = clauses[clauseOf[i]!]
      // What a relative clause says about the subject is its own.
      if (other === undefined || other.link !== 'relative' || other.id === id || i < other.start)
        clauseOf[i] = id
    }
}

function verbGroups(words: readonly Word[]): Group[] {
  const groups: Group[] = []
  for (let i = 0; i < words.length; ) {
    const group = groupAt(words, i)
    if (group === undefined) i++
    else {
      groups.push(group)
      i = Math.max(group.to, group.head + 1)
    }
  }
  return groups
}

function groupAt(words: readonly Word[], at: number): Group | undefined {
  const first = words[at]!.tag
  if (first !== 'M' && first !== 'X' && first !== 'V' && first !== 'T' && first !== '-') return undefined
  if (first === '-' && words[at - 1]?.tag === 'D') return undefined
  const negators: number[] = []
  const modals: number[] = []
  const helpers: number[] = []
  let i = at
  let infinitive = false
  for (; i < words.length; i++) {
    const { tag, norm } = words[i]!
    if (tag === '-') negators.push(i)
    else if (tag === 'M') modals.push(i)
    else if (tag === 'X') {
      // "who is not here is": a second verb of another clause.
      if (helpers.length > 0 && /^(?:is|are|was|were|am|does|do|did)$/.test(norm)) break
      helpers.push(i)
    } else if (tag === 'T' && !infinitive && helpers.length === 0) infinitive = true
    else if (
      tag === 'P' &&
      i > at &&
      i - 1 === (helpers.at(-1) ?? modals.at(-1)) &&
      SUBJECT_PRONOUNS.has(norm) &&
      helpers.length + modals.length === 1 &&
      (at === 0 || words[at - 1]!.tag === '.' || words[at - 1]!.tag === 'S')
    )
      continue
    else if (tag !== 'R') break
  }
  const found = words[i]
  if (
    found?.tag === 'V' &&
    !(helpers.length > 0 && words[helpers.at(-1)!]!.lemma === 'do' && found.form !== 'base')
  )
    return { from: at, head: i, to: i + 1, negators, modals, helpers, infinitive, copula: false }
  if (helpers.length > 0) {
    const helper = helpers.at(-1)!
    const be = words[helper]!.lemma === 'be'
    const end = Math.max(helper + 1, i)
    const head = be
      ? (predicateAt(words, end) ?? (words[i - 1]?.tag === 'R' && i - 1 > helper ? i - 1 : undefined))
      : helper
    const negatorsToo = negators
    return {
      from: at,
      head: head ?? helper,
      to: be ? end : helper + 1,
      negators: negatorsToo,
      modals,
      helpers,
      infinitive,
      copula: be,
    }
  }
  if (modals.length > 0)
    return {
      from: at,
      head: modals.at(-1)!,
      to: modals.at(-1)! + 1,
      negators,
      modals,
      helpers,
      infinitive,
      copula: false,
    }
  return undefined
}

/** The head of what follows "be": an adjective, the noun of a phrase. */
function predicateAt(words: readonly Word[], from: number): number | undefined {
  let noun: number | undefined
  for (let i = from; i < words.length && i < from + 9; i++) {
    const { tag, norm } = words[i]!
    // "was still there for the drill"
    if (/^(?:there|here|away|back|together|ahead)$/.test(norm) && /^[IS.C]$/.test(words[i + 1]?.tag ?? '.'))
      return i
    if (tag === 'A') {
      const next = words[i + 1]?.tag
      if ((next !== 'N' && next !== 'A') || /^(?:next|last)$/.test(words[i + 1]!.norm)) return i
    } else if (tag === 'N' || (tag === 'V' && words[i - 1]?.tag === 'A')) {
      noun = i
      if (words[i + 1]?.tag !== 'N' && words[i + 1]?.norm !== "'s") return i
    } else if (tag === '#') {
      noun ??= i
      if (words[i + 1]?.tag !== 'N' && words[i + 1]?.tag !== '#' && words[i + 1]?.tag !== 'A') return i
    } else if (tag === 'P') return i
    else if (tag === 'V') return words[i]!.form === 'ed' ? i : noun
    else if (tag === '.' || tag === 'S' || tag === 'C') return noun
    else if (tag === 'T' || tag === 'X' || tag === 'M') return noun
  }
  return noun
}

const NOMINAL = new Set(['D', 'A', 'N', 'P', '#'])

/** Where the noun phrase that ends before `end` begins. */
function phraseStart(words: readonly Word[], end: number, floor: number): number {
  let i = end
  while (i > floor) {
    const { tag, norm } = words[i - 1]!
    if (
      !NOMINAL.has(tag) &&
      norm !== 'of' &&
      !(tag === 'R' && i - 1 > floor && NOMINAL.has(words[i - 2]!.tag) === false)
    )
      break
    // Two phrases side by side: "told Ana the server".
    if (tag === 'P' && i < end && SUBJECT_PRONOUNS.has(norm)) break
    i--
    if (
      tag === 'D' &&
      i > floor &&
      words[i - 1]!.norm !== 'of' &&
      words[i - 1]!.tag !== 'D' &&
      words[i]!.norm !== "'s"
    )
      break
    if (tag === 'P' && SUBJECT_PRONOUNS.has(norm)) break
  }
  return i
}

function attach(words: readonly Word[], groups: readonly Group[]): Clause[] {
  const clauses: Clause[] = []
  let floor = 0
  let pending: number | undefined
  for (const [k, group] of groups.entries()) {
    let marker = markerBefore(words, floor, group.from)
    // "that a person reading a paper is": the marker before a participle is that of the verb after.
    if (marker === undefined && pending !== undefined) marker = pending
    pending = undefined
    const previous = clauses.at(-1)
    const mark = marker === undefined ? undefined : words[marker]!
    const head = words[group.head]!
    const helper = group.helpers[0] === undefined ? undefined : words[group.helpers[0]]!
    const bare = group.helpers.length === 0 && group.modals.length === 0
    const finite =
      !group.infinitive &&
      !(bare && (head.form === 'ing' || (head.form === 'ed' && isReduced(words, group, previous, marker)))) &&
      !(helper?.form === 'ing' && group.modals.length === 0)
    const sentence = sentenceOf(words, group.from)
    // So far the sentence has only clauses inside its subject: this verb is the main one.
    const opening = marker === undefined && finite ? openingOf(words, clauses, group.from) : undefined
    let start = group.from
    let subject: readonly [number, number] = [group.from, group.from]
    if (finite) {
      const from =
        marker === undefined
          ? previous === undefined
            ? 0
            : phraseStart(words, group.from, floor)
          : marker + 1
      subject = [Math.max(from, floor === 0 && previous === undefined ? from : from), group.from]
      if (
        marker === undefined &&
        previous !== undefined &&
        previous.finite &&
        subject[0] === floor &&
        subject[0] < group.from &&
        previous.head === floor - 1
      )
        subject = [floor, group.from]
      start = marker === undefined ? subject[0] : marker
      if (opening !== undefined) {
        subject = opening
        start = group.from
      }
    } else {
      if (marker !== undefined && words[marker]!.tag === 'S' && marker < group.from - 1 && !group.infinitive)
        pending = marker
      const before = words[group.from - 1]
      if (before !== undefined && (before.tag === 'I' || before.tag === 'S') && group.from - 1 >= floor)
        start = group.from - 1
    }
    start = Math.max(start, previous === undefined ? 0 : Math.min(group.from, previous.verb + 1))
    const relation: Pick<Clause, 'link' | 'parent' | 'governor'> =
      opening === undefined
        ? linkOf(words, group, { finite, marker, start, subject, previous, clauses })
        : { link: 'main', parent: -1, governor: -1 }
    const imperative =
      (finite &&
        bare &&
        head.form === 'base' &&
        isEmpty(words, subject) &&
        relation.link !== 'relative' &&
        (relation.link === 'main' || relation.link === 'coordinate') &&
        (previous === undefined || relation.link === 'main' || previous.imperative)) ||
      (finite &&
        helper?.norm === 'do' &&
        head.form === 'base' &&
        isEmpty(words, subject) &&
        relation.link !== 'relative')
    const inherited =
      relation.link === 'coordinate' && relation.parent >= 0 && isEmpty(words, subject)
        ? clauses[relation.parent]!
        : undefined
    const shares =
      inherited !== undefined &&
      bare &&
      !group.infinitive &&
      (head.form === 'base'
        ? inherited.modals.length > 0 ||
          inherited.helpers.some((h) => words[h]!.lemma === 'do') ||
          inherited.imperative
        : head.form !== 's' && inherited.helpers.length > 0 && words[inherited.head]!.form === head.form)
    const neither = correlated(words, subject)
    const negators =
      neither >= 0
        ? [neither, ...group.negators]
        : shares && !group.negators.length && !/^(?:but|then)$/.test(mark?.norm ?? '')
          ? [...inherited.negators, ...group.negators]
          : group.negators
    const modals = shares ? inherited.modals : group.modals
    clauses.push({
      id: k,
      start,
      end: words.length,
      verb: group.from,
      head: group.head,
      subject: isEmpty(words, subject) && inherited ? inherited.subject : trimmed(words, subject),
      negators,
      modals,
      helpers: shares ? inherited.helpers : group.helpers,
      passive:
        !group.copula &&
        head.form === 'ed' &&
        ((shares ? inherited.helpers : group.helpers).some((h) => BE.has(words[h]!.norm)) ||
          (!finite && bare)),
      copula: group.copula,
      finite,
      imperative: imperative || (shares && inherited.imperative),
      question: sentence.question,
      tense: tenseOf(words, group, shares ? modals : group.modals),
      ...relation,
      alternative: mark?.norm === 'or',
    })
    floor = group.head + 1
    if (group.copula) floor = Math.max(group.to, Math.min(group.head + 1, words.length))
  }
  return settle(words, clauses)
}

/** "Neither the API nor the worker logs it" */
function correlated(words: readonly Word[], [from, to]: readonly [number, number]): number {
  let neither = -1
  for (let i = from; i < to; i++) {
    if (words[i]!.norm === 'neither') neither = i
    if (words[i]!.norm === 'nor') return neither
  }
  return -1
}

/** The noun phrase a sentence opens with, when all clauses so far hang inside it. */
function openingOf(
  words: readonly Word[],
  clauses: readonly Clause[],
  at: number,
): readonly [number, number] | undefined {
  let from = at
  while (from > 0 && !/^[.!?;:\n]$/.test(words[from - 1]!.norm)) from--
  const inside = clauses.filter(({ verb }) => verb >= from)
  if (inside.length === 0) return undefined
  for (const clause of inside) {
    if (clause.link === 'adjunct' || clause.link === 'coordinate' || clause.imperative) return undefined
    if (clause.link === 'relative' || !clause.finite) continue
    const governor = clause.governor < 0 ? undefined : words[clause.governor]!
    const parent = clause.parent < 0 ? undefined : clauses[clause.parent]!
    if (
      clause.link !== 'complement' ||
      !(governor?.tag === 'N' || (parent !== undefined && !parent.finite && parent.verb >= from))
    )
      return undefined
  }
  return [from, Math.max(from, inside[0]!.start)]
}

const isEmpty = (words: readonly Word[], [from, to]: readonly [number, number]) => {
  for (let i = from; i < to; i++)
    if (words[i]!.tag !== 'R' && words[i]!.tag !== '.' && words[i]!.tag !== 'C') return false
  return true
}

function trimmed(words: readonly Word[], [from, to]: readonly [number, number]): readonly [number, number] {
  let start = from
  while (start < to && /^[.RC]$/.test(words[start]!.tag)) start++
  return [start, to]
}

/** A participle right after a noun, where a finite verb is elsewhere: "the man dressed in white sits". */
function isReduced(
  words: readonly Word[],
  group: Group,
  previous: Clause | undefined,
  marker: number | undefined,
): boolean {
  const before = words[group.from - 1]
  if (before === undefined) return false
  if (before.tag === 'S')
    return (
      before.norm === 'as' ||
      before.norm === 'when' ||
      before.norm === 'if' ||
      before.norm === 'unless' ||
      before.norm === 'once'
    )
  const mark = words[marker ?? -1]
  if (before.tag === 'N' || before.tag === 'P' || before.tag === '.') {
    for (let i = group.head + 1; i < words.length && words[i]!.norm !== '.'; i++) {
      if (words[i]!.tag === 'C' || words[i]!.tag === 'S' || words[i]!.norm === ',') break
      if (i === group.head + 1 && !/^[IXMR]$/.test(words[i]!.tag)) break
      if (words[i]!.tag === 'X' || words[i]!.tag === 'M') return true
    }
    if (before.tag === '.') return before.norm === ',' && previous !== undefined
    return (
      previous?.finite === true &&
      (mark === undefined || previous.head > (marker ?? -1)) &&
      words[group.head + 1]?.tag === 'I'
    )
  }
  return false
}

/** The last word before the verb group, after the last head, that opens a clause. */
function markerBefore(words: readonly Word[], floor: number, end: number): number | undefined {
  for (let i = end - 1; i >= floor; i--) {
    const { tag, norm } = words[i]!
    if (tag === 'S' || (tag === '.' && !/^["'“”‘’()%[\]/*#]$/.test(norm))) {
      // A list inside the subject: "Ana, Ben and Eve are"
      return i
    }
    if (tag === 'C') {
      // "Ana and Ben are": no verb stands before the coordinator since the last boundary.
      let k = i - 1
      while (k >= floor && (NOMINAL.has(words[k]!.tag) || words[k]!.tag === 'I' || words[k]!.tag === 'R')) k--
      const bounded = k < floor ? floor === 0 : words[k]!.tag === '.' || words[k]!.tag === 'S'
      if (!bounded || i === end - 1 || norm === 'but' || norm === 'so') return i
    }
  }
  return undefined
}

interface Site {
  readonly finite: boolean
  readonly marker: number | undefined
  readonly start: number
  readonly subject: readonly [number, number]
  readonly previous: Clause | undefined
  readonly clauses: readonly Clause[]
}

/** Nouns that have a clause for their content. */
const CONTENT_NOUNS =
  /^(?:statement|claim|fact|idea|belief|news|assumption|lie|rumor|case|way|chance|doubt|sign|evidence|hope|proposition|notion|suggestion|possibility|conclusion|impression|report)$/

function linkOf(
  words: readonly Word[],
  group: Group,
  site: Site,
): Pick<Clause, 'link' | 'parent' | 'governor'> {
  const { finite, marker, previous, clauses } = site
  if (previous === undefined && marker === undefined && finite)
    return { link: 'main', parent: -1, governor: -1 }
  const mark = marker === undefined ? undefined : words[marker]!
  const outer = previous === undefined ? -1 : previous.id
  if (!finite) return nonfinite(words, group, site)
  if (mark === undefined) {
    if (previous === undefined) return { link: 'main', parent: -1, governor: -1 }
    // After a relative clause the outer clause goes on; after a verb of saying its complement begins.
    if (previous.link === 'relative') return { link: 'main', parent: -1, governor: -1 }
    if (site.subject[0] < site.subject[1]) {
      const effect = effectOf(words[previous.head]!.lemma)
      if (effect !== undefined) return { link: 'complement', parent: outer, governor: previous.head }
      // "Unless the visa comes through by Friday I'm not flying"
      if (/^(?:condition|exception|time|until|before|after|reason|contrast)$/.test(previous.link))
        return { link: 'main', parent: -1, governor: -1 }
      if (words[site.subject[0] - 1]?.tag === 'N') return { link: 'relative', parent: outer, governor: -1 }
      return { link: 'complement', parent: outer, governor: previous.head }
    }
    return { link: 'main', parent: -1, governor: -1 }
  }
  if (mark.tag === 'S') {
    const hinge = SUBORDINATORS.get(mark.norm) ?? 'that'
    const before = words[marker! - 1]
    if (hinge === 'relative') return { link: 'relative', parent: outer, governor: -1 }
    if (hinge === 'that') {
      if (before?.tag === 'C' && previous !== undefined && previous.link === 'complement')
        return { link: 'complement', parent: previous.parent, governor: previous.governor }
      if (before?.tag === 'N' && effectOf(before.lemma) === undefined && !CONTENT_NOUNS.test(before.lemma))
        return { link: 'relative', parent: outer, governor: -1 }
      if (before?.tag === 'N' && CONTENT_NOUNS.test(before.lemma))
        return { link: 'complement', parent: outer, governor: marker! - 1 }
      return { link: 'complement', parent: outer, governor: governorBefore(words, marker!, previous) }
    }
    if (hinge === 'question')
      return { link: 'complement', parent: outer, governor: governorBefore(words, marker!, previous) }
    return { link: hinge, parent: outer, governor: -1 }
  }
  if (mark.tag === 'C') {
    const partner = coordinated(clauses, site)
    return partner === undefined
      ? { link: 'main', parent: -1, governor: -1 }
      : {
          link: isEmpty(words, site.subject)
            ? 'coordinate'
            : partner.link === 'main' || partner.link === 'coordinate'
              ? 'main'
              : partner.link,
          parent: isEmpty(words, site.subject) ? partner.id : partner.parent,
          governor: isEmpty(words, site.subject) ? -1 : partner.governor,
        }
  }
  if (
    mark.norm === ',' &&
    isEmpty(words, site.subject) &&
    previous !== undefined &&
    previous.link !== 'relative' &&
    previous.link !== 'condition' &&
    previous.link !== 'time' &&
    previous.finite &&
    words[group.head]!.form !== 'base'
  )
    return { link: 'coordinate', parent: outer, governor: -1 }
  return { link: 'main', parent: -1, governor: -1 }
}

/** The clause a coordinated one continues: the last one that does not hang on a noun. */
function coordinated(clauses: readonly Clause[], site: Site): Clause | undefined {
  for (let i = clauses.length - 1; i >= 0; i--) {
    const clause = clauses[i]!
    if (clause.link === 'relative' && i > 0) continue
    if (!clause.finite && site.finite && site.subject[0] < site.subject[1]) continue
    return clause
  }
  return undefined
}

function governorBefore(words: readonly Word[], at: number, previous: Clause | undefined): number {
  for (let i = at - 1; i >= 0 && i >= at - 3; i--) {
    const { tag, lemma } = words[i]!
    if (tag === '.' || tag === 'S') break
    if ((tag === 'N' || tag === 'A' || tag === 'V') && effectOf(lemma) !== undefined) return i
  }
  return previous?.head ?? -1
}

function nonfinite(
  words: readonly Word[],
  group: Group,
  { previous }: Site,
): Pick<Clause, 'link' | 'parent' | 'governor'> {
  const outer = previous?.id ?? -1
  const before = words[group.from - 1]
  const verbForm = words[group.head]!.form
  if (group.infinitive) {
    const governor = governorBefore(words, group.from, previous)
    const effect = governor < 0 ? undefined : effectOf(words[governor]!.lemma)
    if (governor < 0) return { link: 'purpose', parent: outer, governor: -1 }
    return { link: effect === undefined ? 'purpose' : 'complement', parent: outer, governor }
  }
  if (before?.tag === 'I') {
    if (
      /^(?:without|instead_of|rather_than|except_for|apart_from|aside_from|with_the_exception_of|except)$/.test(
        before.norm,
      )
    )
      return { link: 'without', parent: outer, governor: -1 }
    if (before.norm === 'before') return { link: 'before', parent: outer, governor: -1 }
    if (before.norm === 'after') return { link: 'after', parent: outer, governor: -1 }
    if (before.norm === 'until') return { link: 'until', parent: outer, governor: -1 }
    if (
      before.norm === 'from' ||
      before.norm === 'of' ||
      before.norm === 'against' ||
      before.norm === 'at' ||
      before.norm === 'in' ||
      before.norm === 'about'
    ) {
      const governor = governorBefore(words, group.from - 1, previous)
      if (governor >= 0 && effectOf(words[governor]!.lemma) !== undefined)
        return { link: 'complement', parent: outer, governor }
    }
    return { link: 'adjunct', parent: outer, governor: -1 }
  }
  if (before?.tag === 'S')
    return { link: SUBORDINATORS.get(before.norm) ?? 'adjunct', parent: outer, governor: -1 }
  if (before?.tag === 'C' && previous !== undefined)
    return { link: 'coordinate', parent: outer, governor: -1 }
  if (
    previous !== undefined &&
    previous.head === group.from - 1 &&
    effectOf(words[previous.head]!.lemma) !== undefined
  )
    return { link: 'complement', parent: outer, governor: previous.head }
  if (
    verbForm === 'ing' &&
    before !== undefined &&
    before.tag === 'N' &&
    previous !== undefined &&
    effectOf(words[previous.head]!.lemma) === 'denies'
  )
    return { link: 'complement', parent: outer, governor: previous.head }
  // "without load testing it"
  if (before?.tag === 'N' && verbForm === 'ing' && words[group.from - 2]?.norm === 'without')
    return { link: 'without', parent: outer, governor: -1 }
  if (before?.tag === 'N' || before?.tag === 'P') return { link: 'relative', parent: outer, governor: -1 }
  if (previous !== undefined && previous.head === group.from - 1)
    return { link: 'complement', parent: outer, governor: previous.head }
  return { link: 'adjunct', parent: outer, governor: -1 }
}

function sentenceOf(words: readonly Word[], at: number): { question: boolean } {
  for (let i = at; i < words.length; i++) {
    if (words[i]!.norm === '?') return { question: true }
    if (words[i]!.tag === '.' && /^[.!;\n]$/.test(words[i]!.norm)) break
  }
  return { question: false }
}

function tenseOf(words: readonly Word[], group: Group, modals: readonly number[]): Clause['tense'] {
  const modal = modals[0] === undefined ? undefined : words[modals[0]]!.norm
  if (
    modal === 'will' ||
    modal === 'shall' ||
    modal === 'going_to' ||
    modal === 'about_to' ||
    modal === 'would'
  )
    return 'future'
  if (modal === 'used_to' || modal === 'had_to' || modal === 'needed_to') return 'past'
  const helper = group.helpers[0] === undefined ? undefined : words[group.helpers[0]]!.norm
  if (helper !== undefined && modal === undefined) {
    if (/^(?:was|were|did|had)$/.test(helper)) return 'past'
    if (/^(?:has|have)$/.test(helper) && group.head !== group.helpers[0]) return 'past'
    return 'present'
  }
  const { form } = words[group.head]!
  return form === 'ed' ? 'past' : form === 's' || form === 'base' ? 'present' : 'none'
}

/** Ends of clauses, and the parents of those that stand before the clause they hang on. */
function settle(words: readonly Word[], clauses: readonly Clause[]): Clause[] {
  return clauses.map((clause, k) => {
    const next = clauses[k + 1]
    const start = clause.start
    const end = next === undefined ? words.length : Math.max(next.start, clause.verb + 1)
    let { parent } = clause
    if (parent < 0 && clause.link !== 'main') parent = next !== undefined ? next.id : -1
    // "If the vendor agrees, we'll sign": the subordinate one comes first.
    const opensSentence =
      clause.start === 0 || (words[clause.start - 1]?.tag === '.' && words[clause.start - 1]!.norm !== ',')
    if (
      next !== undefined &&
      next.link === 'main' &&
      opensSentence &&
      /^(?:condition|exception|time|reason|contrast|before|after|until|adjunct|without|purpose)$/.test(
        clause.link,
      )
    )
      parent = next.id
    return { ...clause, start, end, parent: parent === clause.id ? -1 : parent }
  })
}
