import { readFileSync } from 'node:fs'
import { quantitiesOf } from '../../src/guarantees/fidelity/quantities/quantities.ts'
import { type Reading, read } from '../../src/guarantees/fidelity/reading/clauses.ts'
import { deniesItsObject } from '../../src/guarantees/fidelity/reading/operators.ts'
import { type Scopes, scopesOf } from '../../src/guarantees/fidelity/reading/scopes.ts'
import type { Part, Statement } from '../../src/guarantees/fidelity/reading/statement.ts'
import { statementsOf } from '../../src/guarantees/fidelity/reading/statements.ts'
import { hash } from './split.ts'

/*
 * `readings.txt`: sentences as they stand in memories and their sources, and how they are to be read. Under a heading
 * `# construct`, a sentence, then indented lines: `:` words with their tags, else one statement a line.
 *
 *   [if|unless] [-|0] [formerly] [whether|maybe|will] [must|should|may|neednt|mustnt] predicate(subject; object) [if predicate]
 *
 * `-` denied (as `mustnt` is), `0` left open. The subject is the doer (of a passive, what stands after "by"), the object
 * what it is done to; `+` joins several, `!` denies one. `*` before the predicate leaves certainty and duty open, `?`
 * the sign as well.
 */

export interface Expected {
  readonly construct: string
  readonly text: string
  /** Words (norms) and their tags. */
  readonly tags: readonly (readonly [string, string])[]
  readonly statements: readonly string[]
}

export function readings(): readonly Expected[] {
  const found: { construct: string; text: string; tags: [string, string][]; statements: string[] }[] = []
  let construct = ''
  for (const line of readFileSync(new URL('readings.txt', import.meta.url), 'utf8').split('\n')) {
    if (line.startsWith('#')) construct = line.slice(1).trim()
    else if (line.startsWith('  :'))
      for (const pair of line.slice(3).trim().split(/\s+/)) {
        const cut = pair.lastIndexOf('/')
        found.at(-1)!.tags.push([pair.slice(0, cut), pair.slice(cut + 1)])
      }
    else if (line.startsWith('  ')) found.at(-1)!.statements.push(line.trim())
    else if (line.trim() !== '') found.push({ construct, text: line.trim(), tags: [], statements: [] })
  }
  return found
}

/** `seen` may be looked at while the reading is mended; `unseen` is only counted. */
export const halfOfText = (text: string): 'seen' | 'unseen' =>
  hash(`spanstore-readings-1/${text}`) % 2 === 0 ? 'seen' : 'unseen'

export interface Verdict {
  readonly expected: Expected
  readonly wrongTags: readonly string[]
  /** Expected and not read. */
  readonly missing: readonly string[]
  /** Read and not expected. */
  readonly surplus: readonly string[]
}

export function verdictOn(expected: Expected): Verdict {
  const reading = read(expected.text)
  const scopes = scopesOf(reading)
  const said = statementsOf(reading, quantitiesOf(reading.words))
    .filter(({ head }) => head >= 0)
    .map((statement) => rendered(reading, scopes, statement))
  const left = [...said]
  const missing: string[] = []
  for (const wanted of expected.statements) {
    const at = left.findIndex((one) => agrees(wanted, one))
    if (at < 0) missing.push(wanted)
    else left.splice(at, 1)
  }
  const wrongTags = expected.tags
    .filter(([norm, tag]) => !reading.words.some((word) => word.norm === norm && word.tag === tag))
    .map(
      ([norm, tag]) =>
        `${norm}/${tag}, read as ${reading.words
          .filter((word) => word.norm === norm)
          .map((word) => word.tag)
          .join()}`,
    )
  return { expected, wrongTags, missing, surplus: left }
}

export const isRight = ({ wrongTags, missing, surplus }: Verdict): boolean =>
  wrongTags.length + missing.length + surplus.length === 0

const PARTS = /^(?:(if|unless) )?([-0]?)((?:\S+ )*)([*?]?)(\S+)\((.*?); (.*?)\)(?: if (\S+))?$/

function agrees(wanted: string, said: string): boolean {
  const one = PARTS.exec(wanted)
  const other = PARTS.exec(said)
  if (one === null || other === null) throw new Error(`not a statement: ${one === null ? wanted : said}`)
  const [, hinge, sign, modality, free, ...rest] = one
  const [, itsHinge, itsSign, itsModality, , ...its] = other
  return (
    hinge === itsHinge &&
    rest.every((part, i) => part === its[i]) &&
    (free === '?' || (sign === itsSign && (free === '*' || modality === itsModality)))
  )
}

const CERTAINTIES = ['whether ', 'maybe ', 'will ', '', '']
const DUTIES: Readonly<Record<string, string>> = {
  required: 'must ',
  recommended: 'should ',
  permitted: 'may ',
  'not required': 'neednt ',
  forbidden: 'mustnt ',
}

function rendered(
  { words, clauses }: Reading,
  { stances, signs }: Scopes,
  { head, clause, parts }: Statement,
): string {
  const stance = clause && stances[clause.id]
  const first = parts.find(({ borrowed, slot }) => !borrowed && slot !== 'trait' && slot !== 'owner')
  // Where the verb is left out, its own words say whether it holds.
  const gapped = clause === undefined || clause.head !== head
  const sign = gapped && first !== undefined ? (signs[first.at] ?? 1) : (stance?.sign ?? 1)
  const named = ({ at, stands, key, borrowed }: Part) => {
    // What "delete" and "fail" do to their things is theirs, and not read from the sentence.
    const own = !borrowed && !deniesItsObject(words[head]!.lemma) && !deniesItsObject(words[head]!.norm)
    const denied = own && sign === 1 && signs[at] === -1 ? '!' : ''
    if (key === 'self') return 'self'
    if (key === 'open') return words[at]!.norm
    return denied + stands.map((i) => words[i]!.lemma.toLowerCase()).join('|')
  }
  const filling = (slot: string) =>
    parts
      .filter((part) => part.slot === slot && part.at !== head)
      .sort((a, b) => a.at - b.at)
      .map(named)
      .join('+')
  const hinge = clause?.link === 'condition' ? 'if ' : clause?.link === 'exception' ? 'unless ' : ''
  const certainty = hinge !== '' || stance === undefined ? '' : CERTAINTIES[stance.certainty]!
  const duty = DUTIES[stance?.duty ?? ''] ?? ''
  const past = clause?.modals.some((i) => words[i]!.norm === 'used_to') ? 'formerly ' : ''
  const condition =
    stance?.condition === undefined || hinge !== ''
      ? ''
      : ` if ${words[clauses[stance.condition]!.head]!.lemma}`
  const shown = hinge === 'unless ' || sign === 1 ? '' : sign === 0 ? '0' : '-'
  return `${hinge}${shown}${past}${certainty}${duty}${words[head]!.lemma}(${filling('subject')}; ${filling('object')})${condition}`
}
