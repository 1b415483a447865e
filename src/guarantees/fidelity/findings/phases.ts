import { isContent } from '../comparing/alignment.ts'
import { type Comparison, type Finding, finding, type Side, said } from '../comparing/comparison.ts'
import { anyOf } from '../words/cues.ts'

const UNTIL = anyOf('until till up_to before')
const FROM = anyOf('from after since as_of starting')
const LATER = anyOf('afterwards afterward thereafter')
const THEN = anyOf('then that this')

/** A stretch of a sentence that tells what is so before or after some time. */
interface Phase {
  readonly from: number
  readonly to: number
  readonly side: 'before' | 'after'
}

/**
 * "fixed until 2029 and floats after that" became "floats until 2029": each side of a time has something of its own,
 * and the claim tells the one of the other.
 */
export function phaseFindings(comparison: Comparison): Finding[] {
  const { source, claim } = comparison
  const mine = phasesOf(claim)
  if (mine.length === 0 || claim.words.some(({ tag }) => tag === '-')) return []
  const theirs = phasesOf(source)
  if (!theirs.some(({ side }) => side === 'before') || !theirs.some(({ side }) => side === 'after')) return []
  // Of another time nothing is said.
  const times = claim.words.filter(({ tag }, i) => tag === '#' || isTime(claim, i))
  if (!times.every(({ lemma }) => source.words.some((word) => word.lemma === lemma))) return []
  for (const phase of mine) {
    const [same, other] = [[] as number[], [] as number[]]
    for (let c = phase.from; c < phase.to; c++) {
      const word = claim.words[c]!
      if (!isContent(word) || word.tag === '#' || isTime(claim, c)) continue
      const sides = sidesOf(source, theirs, word.lemma)
      if (sides.size !== 1) continue
      ;(sides.has(phase.side) ? same : other).push(c)
    }
    if (other.length <= same.length) continue
    const there = theirs.find(({ side }) => side !== phase.side)!
    return [
      finding(
        comparison,
        'role_swap',
        'hard',
        0.8,
        [there.from, there.to - 1],
        [phase.from, phase.to - 1],
        `what is so ${there.side} that time is told of ${phase.side}: '${said(source, there.from, there.to - 1)}'`,
      ),
    ]
  }
  return []
}

const isTime = ({ words, quantities }: Side, at: number): boolean =>
  /^(?:19|20)\d\d$/.test(words[at]!.norm) ||
  quantities.some(({ kind, from, to }) => /^(?:day|clock)$/.test(kind) && at >= from && at < to)

/** On which sides of the time the source has the word, but for what it is said of. */
function sidesOf(
  source: Side,
  phases: readonly Phase[],
  lemma: string,
): ReadonlySet<Phase['side'] | 'either'> {
  const sides = new Set<Phase['side'] | 'either'>()
  for (const [s, word] of source.words.entries()) {
    if (word.lemma !== lemma) continue
    const clause = source.clauses[source.clauseOf[s]!]
    const inSubject = clause !== undefined && s >= clause.subject[0] && s < clause.subject[1]
    sides.add(inSubject ? 'either' : (phases.find(({ from, to }) => s >= from && s < to)?.side ?? 'either'))
  }
  return sides.size === 1 && sides.has('either') ? new Set() : sides
}

function phasesOf(side: Side): Phase[] {
  const { words } = side
  const found: Phase[] = []
  let from = 0
  for (let i = 0; i <= words.length; i++) {
    const word = words[i]
    if (word !== undefined && !/^[.C]$/.test(word.tag)) continue
    const of = sideOf(side, from, i)
    // "and to everyone from then on": what leaves its verb out has that of the other side.
    const verb = words.slice(from, i).some(({ tag }) => /^[VXM]$/.test(tag))
    if (of !== undefined && verb) found.push({ from, to: i, side: of })
    from = i + 1
  }
  return found
}

/** Which side of a time a stretch is about, by its only mark. */
function sideOf(side: Side, from: number, to: number): Phase['side'] | undefined {
  const { words } = side
  let found: Phase['side'] | undefined
  for (let i = from; i < to; i++) {
    const { norm } = words[i]!
    const next = words[i + 1]
    const timed = next !== undefined && i + 1 < to && (THEN.has(next.norm) || isTime(side, i + 1))
    const of =
      LATER.has(norm) || (FROM.has(norm) && timed) ? 'after' : UNTIL.has(norm) && timed ? 'before' : undefined
    if (of === undefined) continue
    if (found !== undefined && found !== of) return undefined
    found = of
  }
  return found
}
