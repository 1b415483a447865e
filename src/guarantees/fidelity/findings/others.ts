import { compareWords } from '../comparing/alignment.ts'
import { type Comparison, type Finding, finding, type Side, said } from '../comparing/comparison.ts'
import { anyOf } from '../words/cues.ts'
import { isDenied } from './crossing.ts'

const REST = anyOf('others other else rest remaining')
const SETTING_APART = anyOf(
  'other others else rest remaining all every each both too also same everything everyone everybody',
)

/**
 * "Part 8841 is late. All other items left yesterday" became "part 8841 left yesterday": told of what was named before
 * "the others", and so of none of them.
 */
export function otherFindings(comparison: Comparison): Finding[] {
  const { source, claim } = comparison
  if (claim.words.some(({ norm, tag }) => tag === '-' || SETTING_APART.has(norm))) return []
  for (const mine of claim.statements) {
    const { clause } = mine
    if (clause === undefined || clause.link !== 'main' || mine.head < 0 || isDenied(claim, mine)) continue
    const subject = nounsOf(claim, clause.subject)
    if (subject.length === 0) continue
    const same = source.clauses.filter(({ head }) => isSameDeed(source, head, claim, mine.head))
    const [theirs] = same
    if (theirs === undefined || same.length > 1 || !isOfRest(source, theirs.subject)) continue
    if (source.scopes.stances[theirs.id]!.sign !== 1) continue
    // Named before, as whoever the others are not.
    const named = subject.every((c) =>
      source.words.some(
        ({ lemma }, s) =>
          s < theirs.subject[0] && lemma === claim.words[c]!.lemma && source.clauseOf[s] !== theirs.id,
      ),
    )
    if (!named || repeats(comparison, theirs.head)) continue
    return [
      finding(
        comparison,
        'entity_mismatch',
        'hard',
        0.8,
        [theirs.subject[0], theirs.head],
        [clause.subject[0], mine.head],
        `the source says so of the others: '${said(source, theirs.subject[0], theirs.head)}'`,
      ),
    ]
  }
  return []
}

const nounsOf = ({ words }: Side, [from, to]: readonly [number, number]): number[] => {
  const list: number[] = []
  for (let i = from; i < to; i++) if (words[i]!.tag === 'N' || words[i]!.tag === '#') list.push(i)
  return list
}

const isOfRest = ({ words }: Side, [from, to]: readonly [number, number]): boolean => {
  let rest = false
  for (let i = from; i < to; i++) {
    const { norm, tag } = words[i]!
    if (REST.has(norm)) rest = true
    else if (norm === 'than' || (tag === 'P' && !/^every(?:one|thing|body)$/.test(norm))) return false
  }
  return rest
}

/** The predicate, and behind a copula its place. */
function isSameDeed(source: Side, s: number, claim: Side, c: number): boolean {
  const [one, other] = [source.words[s]!, claim.words[c]!]
  if (one.lemma === other.lemma) return true
  return one.tag === 'V' && other.tag === 'V' && compareWords(one, other).score >= 0.8
}

/** Said of the first as well: "Luca came first; everyone else came later." */
const repeats = ({ source }: Comparison, s: number): boolean =>
  source.words.some(({ lemma, tag }, i) => i !== s && tag === 'V' && lemma === source.words[s]!.lemma)
