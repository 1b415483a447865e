import { SUBJECT_PRONOUNS } from '../words/cues.ts'
import type { Word } from '../words/tagging.ts'

/** A verb with what belongs to it: auxiliaries, modals, negators. */
export interface Group {
  from: number
  head: number
  to: number
  negators: number[]
  modals: number[]
  helpers: number[]
  infinitive: boolean
  copula: boolean
}

export function verbGroups(words: readonly Word[]): Group[] {
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
    return {
      from: at,
      head: i,
      to: i + 1,
      negators,
      modals,
      helpers,
      infinitive,
      copula: false,
    }
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
      // "allergic to nuts"
      if (norm.includes('_')) return i
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
