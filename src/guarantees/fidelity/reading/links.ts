import { anyOf, SUBORDINATORS } from '../words/cues.ts'
import type { Word } from '../words/tagging.ts'
import type { Clause } from './clause.ts'
import { effectOf } from './operators.ts'
import type { Group } from './verb-groups.ts'

interface Site {
  readonly finite: boolean
  readonly marker: number | undefined
  readonly start: number
  readonly subject: readonly [number, number]
  readonly previous: Clause | undefined
  readonly clauses: readonly Clause[]
}

/** Nouns that have a clause for their content. */
const CONTENT_NOUNS = anyOf(
  'statement claim fact idea belief news assumption lie rumor case way chance doubt sign evidence hope proposition notion suggestion possibility conclusion impression report',
)

/** Words after which "if" asks. */
const ASKING = anyOf('know ask wonder check see find_out decide determine verify sure unsure unclear doubt')

/** How a clause hangs on those before it. */
export function linkOf(
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
      const hangs = /^(?:condition|exception|time|until|before|after|reason|contrast)$/.test(previous.link)
      // "If the pound drops under 1.15 I'll move it": what the verb takes begins right behind it.
      const apart = hangs && site.subject[0] > previous.head + 1
      if (effect !== undefined && !apart)
        return { link: 'complement', parent: outer, governor: previous.head }
      // "Unless the visa comes through by Friday I'm not flying"
      if (hangs) return { link: 'main', parent: -1, governor: -1 }
      if (words[site.subject[0] - 1]?.tag === 'N') return { link: 'relative', parent: outer, governor: -1 }
      return { link: 'complement', parent: outer, governor: previous.head }
    }
    return { link: 'main', parent: -1, governor: -1 }
  }
  if (mark.tag === 'S') {
    const hinge = SUBORDINATORS.get(mark.norm) ?? 'that'
    const before = words[marker! - 1]
    // "know if", "did not say who"
    if (
      (mark.norm === 'if' && before !== undefined && ASKING.has(before.lemma)) ||
      (hinge === 'relative' && before?.tag === 'V')
    )
      return {
        link: 'complement',
        parent: outer,
        governor: governorBefore(words, marker!, previous),
      }
    if (hinge === 'relative') return { link: 'relative', parent: outer, governor: -1 }
    if (hinge === 'that') {
      if (before?.tag === 'C' && previous !== undefined && previous.link === 'complement')
        return {
          link: 'complement',
          parent: previous.parent,
          governor: previous.governor,
        }
      if (before?.tag === 'N' && effectOf(before.lemma) === undefined && !CONTENT_NOUNS.has(before.lemma))
        return { link: 'relative', parent: outer, governor: -1 }
      if (before?.tag === 'N' && CONTENT_NOUNS.has(before.lemma))
        return { link: 'complement', parent: outer, governor: marker! - 1 }
      return {
        link: 'complement',
        parent: outer,
        governor: governorBefore(words, marker!, previous),
      }
    }
    if (hinge === 'question')
      return {
        link: 'complement',
        parent: outer,
        governor: governorBefore(words, marker!, previous),
      }
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
    // "stopped to buy milk": and bought it.
    if (governor < 0 || words[governor]!.lemma === 'stop')
      return { link: 'purpose', parent: outer, governor: -1 }
    return {
      link: effect === undefined ? 'purpose' : 'complement',
      parent: outer,
      governor,
    }
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
    return {
      link: SUBORDINATORS.get(before.norm) ?? 'adjunct',
      parent: outer,
      governor: -1,
    }
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
    (before.tag === 'N' || before.tag === 'P') &&
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

/** Nobody and nothing: adverbs, marks and coordinators at most. */
export const isEmpty = (words: readonly Word[], [from, to]: readonly [number, number]) => {
  for (let i = from; i < to; i++)
    if (words[i]!.tag !== 'R' && words[i]!.tag !== '.' && words[i]!.tag !== 'C') return false
  return true
}
