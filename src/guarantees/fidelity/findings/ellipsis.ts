import { isContent } from '../comparing/alignment.ts'
import type { Comparison, Side } from '../comparing/comparison.ts'
import type { Clause } from '../reading/clauses.ts'

/** A clause that leaves its predicate to the one before: "Ana can read it, but Tomas can't". */
export interface Echo {
  readonly clause: Clause
  /** The clause that has the predicate. */
  readonly antecedent: Clause
}

/** Whether nothing but the auxiliary is said. */
export function isBare({ words, clauseOf }: Side, { id, head, subject }: Clause): boolean {
  const { tag } = words[head]!
  if ((tag !== 'X' && tag !== 'M') || subject[0] === subject[1]) return false
  for (let i = head + 1; i < words.length && clauseOf[i] === id; i++)
    if (!/^[.CR-]$/.test(words[i]!.tag)) return /^[IS]$/.test(words[i]!.tag)
  return true
}

/**
 * "Staging may be down at night, production never", "the desk by the window, not the one by the door": a noun, what
 * denies, and nothing more. The places of the nouns so denied.
 */
export function deniedNouns({ words }: Side): readonly number[] {
  const list: number[] = []
  for (const [i, { norm }] of words.entries()) {
    if (!/^(?:never|not|neither|not_at_all)$/.test(norm) || !/^[.;!]$/.test(words[i + 1]?.norm ?? '.'))
      continue
    let from = i
    while (from > 0 && /^[NADI#]$/.test(words[from - 1]!.tag)) from--
    if (from < i && /^(?:[,;]|but|and)$/.test(words[from - 1]?.norm ?? ''))
      for (let k = from; k < i; k++) if (words[k]!.tag === 'N') list.push(k)
  }
  return list
}

/** The clause of the source that says of the claim's subject what the one before says of another. */
export function echoOf({ source, claim, alignment }: Comparison, clause: Clause): Echo | undefined {
  for (const echo of source.clauses) {
    const antecedent = source.clauses[echo.id - 1]
    // "before the customer did": whether he did is not said.
    if (/^(?:before|until|condition|exception)$/.test(echo.link)) continue
    if (antecedent === undefined || !isBare(source, echo) || isBare(source, antecedent)) continue
    const speaksOfIt = alignment.links.some(
      ({ source: s }, c) =>
        c >= clause.subject[0] &&
        c < clause.subject[1] &&
        claim.words[c]!.tag === 'N' &&
        s >= echo.subject[0] &&
        s < echo.subject[1],
    )
    if (!speaksOfIt) continue
    // Else the claim says something of its own.
    const head = alignment.links[clause.head]!.source
    const said = claim.words.flatMap((word, c) =>
      c >= clause.verb && claim.clauseOf[c] === clause.id && isContent(word)
        ? [alignment.links[c]!.source]
        : [],
    )
    const shared = said.filter((s) => s >= 0 && source.clauseOf[s] === antecedent.id).length
    if (head >= 0 ? source.clauseOf[head] === antecedent.id : shared > 0 && shared * 2 >= said.length)
      return { clause: echo, antecedent }
  }
  return undefined
}
