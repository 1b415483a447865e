import { type Comparison, type Finding, finding, type Side, said } from '../comparing/comparison.ts'
import { anyOf } from '../words/cues.ts'

const FINE = anyOf(
  'fine ok okay allowed permitted safe harmless acceptable alright all_right recommended possible',
)
/** Verbs that say little beside their object: one takes an order, another places it. */
const SLIGHT = anyOf('take accept offer do make place give get have run hold provide serve sell put_in')

/** What the source warns against or does not give, and the claim allows. */
export function permissionFindings(comparison: Comparison): Finding[] {
  const { source, claim } = comparison
  if (source.words.every(({ tag }) => tag !== '-')) return []
  // "not … if, unless": what is allowed elsewhere.
  if (source.words.some(({ norm }) => /^(?:unless|until|except|without|only|if|when)$/.test(norm))) return []
  if (claim.words.some(({ tag, norm }) => tag === '-' || /^(?:if|unless|until|without|only)$/.test(norm)))
    return []
  return [allowedAfterAll(comparison), givenAfterAll(comparison)].flatMap((one) => one ?? [])
}

const tell = (comparison: Comparison, s: number, c: readonly number[]): Finding =>
  finding(
    comparison,
    'polarity_flip',
    'hard',
    0.85,
    [s],
    c,
    `the source rules out '${said(comparison.source, s)}', the claim allows '${said(comparison.claim, ...c)}'`,
  )

const gerundsOf = (lemma: string): readonly string[] => [
  `${lemma}ing`,
  `${lemma.replace(/e$/, '')}ing`,
  `${lemma}${lemma.at(-1)}ing`,
]

/** "Don't put it there" became "putting it there is fine". */
function allowedAfterAll(comparison: Comparison): Finding | undefined {
  const { source, claim } = comparison
  const [first] = claim.words
  const fine = claim.words.findIndex(({ norm }, i) => i > 1 && FINE.has(norm))
  if (first === undefined || !first.norm.endsWith('ing') || fine < 0) return undefined
  const clause = source.clauses.find(
    ({ imperative, head, id }) =>
      imperative &&
      source.scopes.stances[id]?.sign === -1 &&
      gerundsOf(source.words[head]!.lemma).includes(first.norm),
  )
  if (clause === undefined) return undefined
  const things = nounsOf(claim, 1, fine)
  const known = things.every((lemma) => source.words.some((word) => word.lemma === lemma))
  return things.length > 0 && known ? tell(comparison, clause.head, [0, fine]) : undefined
}

const nounsOf = ({ words }: Side, from: number, to: number): string[] =>
  words.slice(from, to).flatMap(({ tag, lemma }) => (tag === 'N' ? [lemma] : []))

/** "won't take any orders" became "customers can place orders". */
function givenAfterAll(comparison: Comparison): Finding | undefined {
  const { source, claim } = comparison
  for (const { head, id, modals } of claim.clauses) {
    if (!SLIGHT.has(claim.words[head]!.lemma) || claim.scopes.stances[id]?.sign !== 1) continue
    if (!modals.some((i) => /^(?:can|may|will|could)$/.test(claim.words[i]!.norm))) continue
    const thing = objectAfter(claim, head)
    if (thing < 0) continue
    const { lemma } = claim.words[thing]!
    const places = source.words.flatMap((word, s) => (word.lemma === lemma ? [s] : []))
    const denied = places.every((s) => {
      const clause = source.clauses[source.clauseOf[s]!]
      return (
        clause !== undefined &&
        SLIGHT.has(source.words[clause.head]!.lemma) &&
        source.scopes.stances[clause.id]?.sign === -1 &&
        objectAfter(source, clause.head) === s &&
        source.words.slice(clause.verb, s).some(({ norm }) => /^(?:any|no)$/.test(norm))
      )
    })
    if (places.length > 0 && denied) return tell(comparison, places[0]!, [head, thing])
  }
  return undefined
}

/** The last noun of the phrase behind a verb. */
function objectAfter({ words }: Side, verb: number): number {
  let at = -1
  for (let i = verb + 1; i < words.length && /^[NAD#]$/.test(words[i]!.tag); i++)
    if (words[i]!.tag === 'N') at = i
  return at
}
