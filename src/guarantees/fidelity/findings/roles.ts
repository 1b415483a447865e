import { compareWords } from '../comparing/alignment.ts'
import {
  type Comparison,
  type Finding,
  finding,
  isSummary,
  type Side,
  said,
} from '../comparing/comparison.ts'
import type { Part, Statement } from '../reading/statements.ts'
import { anyOf } from '../words/cues.ts'
import { isFeminine, isPerson } from '../words/people.ts'
import type { Word } from '../words/tagging.ts'
import { isDenied, matches } from './crossing.ts'
import { isName } from './names.ts'

/** Who does what to whom, whichever way round it is told: "bought from", "sold to" and "was sold by" give one answer. */
interface Roles {
  /** The kind of event; verbs of one kind are compared by these roles, others by their own parts. */
  readonly frame: string
  /** The word two frames of one kind are compared by. */
  readonly word: number
  readonly filled: ReadonlyMap<string, readonly Part[]>
}

const GIVING = anyOf(
  'give hand send lend sell teach tell deliver forward pass ship offer pay owe show explain email mail loan return grant award assign lease rent_out hand_over handed_over give_back gave_back',
)
const GETTING = anyOf(
  'get receive borrow buy purchase learn hear inherit obtain acquire collect take_over took_over taken_over accept',
)
const LEADING = anyOf('manage supervise lead head mentor oversee')
const LEADERS = anyOf('manager boss supervisor lead mentor head superior')
const OWNING = anyOf('own possess')
const HINDERING = anyOf('block obstruct hold_up')
const CHOOSING = anyOf('prefer pick choose select favor favour go_with went_with opt_for opted_for')
/** Either side may come first. */
const MUTUAL = anyOf(
  'meet marry discuss talk agree match equal resemble merge differ be have speak argue chat work connect collaborate play fight combine share compare sync link exchange swap trade overlap collide conflict join',
)

function rolesOf(side: Side, { head, parts, clause }: Statement): Roles | undefined {
  if (head < 0) return undefined
  const { lemma, norm } = side.words[head]!
  const filled = new Map<string, Part[]>()
  const put = (role: string, part: Part) => filled.set(role, [...(filled.get(role) ?? []), part])
  const named = (slots: Readonly<Record<string, string>>, frame: string): Roles => {
    for (const part of parts) if (Object.hasOwn(slots, part.slot)) put(slots[part.slot]!, part)
    return { frame, word: head, filled }
  }
  // "left the cottage to her uncle"
  const leaves =
    lemma === 'leave' &&
    parts.some(
      ({ slot, stands, key }) =>
        slot === 'to' && (key === 'self' || stands.some((i) => isPerson(side.words[i]!))),
    )
  if (GIVING.has(lemma) || GIVING.has(norm) || leaves) {
    const persons = parts.filter(
      ({ slot, stands, key }) =>
        slot === 'object' && (key === 'self' || stands.some((i) => isPerson(side.words[i]!))),
    )
    const objects = parts.filter(({ slot, measure }) => slot === 'object' || measure !== undefined)
    const taker = parts.some(({ slot }) => slot === 'to')
      ? undefined
      : objects.length > 1 || lemma === 'owe'
        ? persons[0]
        : undefined
    for (const part of parts) {
      if (part.slot === 'subject') put('giver', part)
      else if (part.slot === 'to' || part === taker) put('taker', part)
      else if (part.slot === 'object') put('thing', part)
    }
    return { frame: lemma === 'owe' ? 'owing' : 'giving', word: head, filled }
  }
  // "got better" is no getting.
  if (
    lemma === 'get' &&
    !parts.some(({ slot, at }) => slot === 'from' || (slot === 'object' && side.words[at]!.tag === 'N'))
  )
    return undefined
  if (GETTING.has(lemma) || GETTING.has(norm))
    return named({ subject: 'taker', from: 'giver', object: 'thing' }, 'giving')
  // "the cottage went to Theo"
  if (
    lemma === 'go' &&
    parts.some(
      ({ slot, stands, key }) =>
        slot === 'to' && (key === 'self' || stands.some((i) => isPerson(side.words[i]!))),
    ) &&
    parts.some(
      ({ slot, stands, key }) =>
        slot === 'subject' && key === 'word' && !stands.some((i) => isPerson(side.words[i]!)),
    )
  )
    return named({ subject: 'thing', to: 'taker' }, 'giving')
  if (lemma === 'report') return named({ subject: 'junior', to: 'senior' }, 'leading')
  if (LEADING.has(lemma)) return named({ subject: 'senior', object: 'junior' }, 'leading')
  if (LEADERS.has(lemma) && parts.some(({ at }) => at === head))
    return named({ subject: 'senior', owner: 'junior', of: 'junior' }, 'leading')
  if (OWNING.has(lemma)) return named({ subject: 'owner', object: 'thing' }, 'owning')
  if (lemma === 'belong') return named({ subject: 'thing', to: 'owner' }, 'owning')
  if (HINDERING.has(lemma) || HINDERING.has(norm))
    return named({ subject: 'blocker', object: 'blocked' }, 'hindering')
  if (lemma === 'depend' || lemma === 'wait')
    return named({ subject: 'blocked', at: 'blocker', for: 'blocker' }, 'hindering')
  if (lemma === 'precede') return named({ subject: 'first', object: 'second' }, 'order')
  if (lemma === 'follow') return named({ subject: 'second', object: 'first' }, 'order')
  if (CHOOSING.has(lemma) || CHOOSING.has(norm))
    return named({ object: 'chosen', over: 'other', to: 'other' }, 'choosing')
  if (parts.some(({ slot }) => slot === 'than'))
    return {
      // "is paid more than": who is paid stands as a passive's object.
      ...named(
        { subject: 'more', ...(clause?.passive === true ? { object: 'more' } : {}), than: 'less' },
        `than ${lemma}`,
      ),
      word: comparedBy(side, head, parts),
    }
  // "born Ann Lee" tells a name.
  if (MUTUAL.has(lemma) || norm === 'born') return undefined
  return named(
    {
      subject: 'subject',
      object: 'object',
      to: 'to',
      from: 'from',
      over: 'over',
      against: 'against',
      on_behalf_of: 'principal',
    },
    `verb ${lemma}`,
  )
}

/** More of what the verb tells is "more", less of it "less": "costs more than" is "is dearer than". */
const MEASURED: readonly (readonly [verb: string, more: string, less: string])[] = [
  ['cost', 'expensive', 'cheap'],
  ['weigh', 'heavy', 'light'],
  ['last', 'long', 'short'],
]
const MORE = anyOf('more_than more greater_than')
const LESS = anyOf('less_than less fewer_than fewer')

/** How much of it, where the comparison says "more" or "less" and no other word of degree. */
function degreeOf({ words }: Side, at: number): 1 | -1 | 0 {
  const { norm } = words[at]!
  if (MORE.has(norm)) return 1
  if (LESS.has(norm)) return -1
  for (let i = at + 1; i < words.length && i < at + 6; i++) {
    if (words[i]!.norm === 'more_than') return 1
    if (words[i]!.norm === 'less_than' || words[i]!.norm === 'fewer_than') return -1
    if (words[i]!.norm === 'than') return 0
  }
  return 0
}

/** "three years older than": what is compared is how old. */
function comparedBy({ words }: Side, head: number, parts: readonly Part[]): number {
  const than = words.findIndex(({ norm }, i) => i > head && norm === 'than')
  return than > 0 && /^[AR]$/.test(words[than - 1]!.tag) && parts.some(({ at }) => at === than - 1)
    ? than - 1
    : head
}

export function roleFindings(comparison: Comparison): Finding[] {
  const { source, claim } = comparison
  const theirs = source.statements.flatMap((statement) => {
    const roles = rolesOf(source, statement)
    return roles === undefined ? [] : [{ statement, roles }]
  })
  if (theirs.length === 0) return []
  const found: Finding[] = []
  for (const statement of claim.statements) {
    const mine = rolesOf(claim, statement)
    if (mine === undefined || mine.filled.size === 0 || isDenied(claim, statement)) continue
    // "After obtaining more, the agent …": by the way, and of another's doing as often.
    if (statement.clause?.finite === false && statement.clause.parent > statement.clause.id) continue
    const same = theirs.flatMap((one) => {
      const turned = turnedBy(comparison, one, { statement, roles: mine })
      return turned === undefined ? [] : [{ statement: one.statement, roles: one.roles, turned }]
    })
    if (same.some((one) => agrees(comparison, one.roles, mine, one.turned))) continue
    for (const one of same) {
      if (isDenied(source, one.statement)) continue
      const at = exchanged(comparison, one.roles, mine, one.turned) ?? ownersPart(comparison, one, mine)
      if (at === undefined) continue
      found.push(
        finding(
          comparison,
          'role_swap',
          isSummary(comparison) ? 'soft' : 'hard',
          isSummary(comparison) ? 0.45 : 0.85,
          [one.statement.head, at.theirs.at],
          [statement.head, at.mine.at],
          `who does what to whom differs: '${said(source, one.statement.head, at.theirs.at)}' became '${said(claim, statement.head, at.mine.at)}'`,
        ),
      )
      break
    }
  }
  return found
}

interface Told {
  readonly statement: Statement
  readonly roles: Roles
}

/** Whether both tell of one kind of event; true when it is told from the other end ("faster" and "slower"). */
function turnedBy({ source, claim }: Comparison, theirs: Told, mine: Told): boolean | undefined {
  const [a, b] = [source.words[theirs.roles.word]!, claim.words[mine.roles.word]!]
  const [one, other] = [theirs.roles.frame, mine.roles.frame]
  if (one.startsWith('than ') && other.startsWith('than ')) {
    const [here, there] = [degreeOf(source, theirs.roles.word), degreeOf(claim, mine.roles.word)]
    if (here !== 0 && there !== 0) {
      const [verb, other] = [source.words[theirs.statement.head]!, claim.words[mine.statement.head]!]
      return isSameScale(verb, other) ? here !== there : undefined
    }
    if (here !== 0 || there !== 0) {
      const [measured, by] = here !== 0 ? [theirs.statement, b] : [mine.statement, a]
      const verb = (here !== 0 ? source : claim).words[measured.head]!.lemma
      const row = MEASURED.find(([first]) => first === verb)
      // "reduced it versus placebo": no word for less is more.
      if (row === undefined)
        return isSameScale(source.words[theirs.statement.head]!, claim.words[mine.statement.head]!)
          ? (here || there) === -1
          : undefined
      const up = gradedAs(by.lemma, row)
      return up === 0 ? undefined : up !== (here || there)
    }
    const { sign, score } = compareWords(a, b)
    return score >= 0.6 ? sign === -1 : undefined
  }
  if (one === other) return false
  if (!one.startsWith('verb ') || !other.startsWith('verb ')) return undefined
  const { sign, score } = compareWords(a, b)
  return sign === 1 && score >= 0.75 ? false : undefined
}

/** Verbs by which one and the same is more or less. */
const SCALES: readonly ReadonlySet<string>[] = [
  anyOf('earn make pay'),
  anyOf('cost'),
  anyOf('drink consume use'),
  anyOf('sell'),
]

const isSameScale = (one: Word, other: Word): boolean =>
  one.lemma === other.lemma || SCALES.some((scale) => scale.has(one.lemma) && scale.has(other.lemma))

const DEGREES: Readonly<Record<string, ReadonlySet<string>>> = {
  expensive: anyOf('expensive dear dearer costly costlier pricey pricier'),
  cheap: anyOf('cheap cheaper inexpensive'),
  heavy: anyOf('heavy heavier'),
  light: anyOf('light lighter'),
  long: anyOf('long longer'),
  short: anyOf('short shorter'),
}

const gradedAs = (lemma: string, [, more, less]: (typeof MEASURED)[number]): 1 | -1 | 0 =>
  DEGREES[more]!.has(lemma) ? 1 : DEGREES[less]!.has(lemma) ? -1 : 0

const OTHER_END: Readonly<Record<string, string>> = { more: 'less', less: 'more' }
const roleIn = (role: string, turned: boolean) => (turned ? (OTHER_END[role] ?? role) : role)

/** Every part of the claim that the source's event has at all has the same role there. */
function agrees(comparison: Comparison, theirs: Roles, mine: Roles, turned: boolean): boolean {
  let met = 0
  for (const [role, parts] of mine.filled)
    for (const part of parts) {
      if (part.key === 'open') continue
      const there = theirs.filled.get(roleIn(role, turned)) ?? []
      if (there.some((other) => isWhole(comparison, other, part))) met++
      else if (!there.some(({ key }) => key === 'open') && there.length > 0) return false
    }
  return met > 0
}

/** A part of the claim that has another role in the source, where something else has its role. */
function exchanged(
  comparison: Comparison,
  theirs: Roles,
  mine: Roles,
  turned: boolean,
): { theirs: Part; mine: Part } | undefined {
  for (const [role, parts] of mine.filled)
    for (const part of parts) {
      if (part.key === 'open' || part.measure !== undefined) continue
      const there = theirs.filled.get(roleIn(role, turned)) ?? []
      if (there.some((other) => other.key === 'open' || isWhole(comparison, other, part))) continue
      const [elsewhere] = [...theirs.filled].filter(
        ([other, list]) =>
          other !== roleIn(role, turned) && list.some((one) => isWhole(comparison, one, part)),
      )
      if (elsewhere === undefined) continue
      // "the tenant returned it to the landlord", where the landlord returned it.
      const [from, held] = elsewhere
      const other = mine.filled.get(roleIn(from, turned)) ?? []
      if (
        other.length > 0 &&
        !other.some(
          (one) =>
            one.key === 'open' ||
            held.some((their) => their.key === 'open' || isWhole(comparison, their, one)),
        ) &&
        held.some((their) => other.some((one) => areAlike(comparison, their, one)))
      )
        return { theirs: held[0]!, mine: other[0]! }
      if (there.length === 0) continue
      const counter = [...mine.filled].some(
        ([other, list]) =>
          other !== role && list.some((one) => there.some((their) => isWhole(comparison, their, one))),
      )
      const alone =
        !mine.filled.has(roleIn(elsewhere[0], turned)) &&
        (ORIENTED.has(role) || there.some((other) => areAlike(comparison, other, part)))
      if (counter || alone) return { theirs: there[0]!, mine: part }
    }
  return undefined
}

/** "my brother's girlfriend looks after it" became "my brother looks after it". */
function ownersPart(
  comparison: Comparison,
  { statement, roles }: Told,
  mine: Roles,
): { theirs: Part; mine: Part } | undefined {
  for (const part of mine.filled.get('subject') ?? [])
    for (const doer of roles.filled.get('subject') ?? []) {
      if (!isPerson(comparison.source.words[doer.at]!) && !isFeminine(comparison.source.words[doer.at]!))
        continue
      const owner = statement.parts.find(
        ({ slot, of, key }) => slot === 'owner' && of === doer.at && key !== 'open',
      )
      if (owner !== undefined && isWhole(comparison, owner, part) && !isWhole(comparison, doer, part))
        return { theirs: doer, mine: part }
    }
  return undefined
}

/** Two ends of one movement, of which each excludes the other. */
const ORIENTED = anyOf('from to giver taker more less chosen other')

/** Both names or persons: one could well stand for the other. */
function areAlike({ source, claim }: Comparison, theirs: Part, mine: Part): boolean {
  const kind = (side: Side, { key, stands, at }: Part) => {
    const word = side.words[stands[0] ?? at]!
    return key === 'self' || isPerson(word) ? 'person' : isName(word) ? 'name' : ''
  }
  const one = kind(source, theirs)
  return one !== '' && one === kind(claim, mine)
}

/** The same thing with the same owner and something of its traits: "Ana's ticket" is not "Ben's ticket". */
export function isWhole(comparison: Comparison, theirs: Part, mine: Part): boolean {
  if (!matches(comparison, theirs, mine)) return false
  const { source, claim } = comparison
  const apart = (slot: string) => {
    const one = belongings(source, theirs.at, slot)
    const other = belongings(claim, mine.at, slot)
    return (
      one.length > 0 && other.length > 0 && !one.some((a) => other.some((b) => matches(comparison, a, b)))
    )
  }
  return !apart('owner') && !apart('trait')
}

const belongings = ({ statements }: Side, at: number, slot: string): Part[] => {
  for (const { parts } of statements) {
    const own = parts.filter((part) => part.of === at && part.slot === slot && part.key !== 'open')
    if (own.length > 0) return own
  }
  return []
}

/** "A is cheaper than B", "B is dearer than A": one comparison from either side. */
export function isTurnedComparison(comparison: Comparison, s: number, c: number): boolean {
  const { source, claim } = comparison
  const by = (side: Side, at: number) =>
    side.statements.find(
      ({ head, parts }) => head === at || (head >= 0 && comparedBy(side, head, parts) === at),
    )
  const theirs = by(source, s)
  const mine = by(claim, c)
  if (theirs === undefined || mine === undefined) return false
  const sides = ({ parts }: Statement) => ({
    one: parts.filter(({ slot }) => slot === 'subject'),
    other: parts.filter(({ slot }) => slot === 'than'),
  })
  const [there, here] = [sides(theirs), sides(mine)]
  const meet = (a: readonly Part[], b: readonly Part[]) =>
    a.some((x) => b.some((y) => isWhole(comparison, x, y)))
  // "taller than her brother Luis", "shorter than his sister": who that is goes without saying.
  const isUnnamed = (parts: readonly Part[]) =>
    parts.length > 0 &&
    parts.every(
      (part) =>
        part.key === 'word' &&
        KIN.has(claim.words[part.at]!.lemma) &&
        !source.words.some(({ lemma }) => lemma === claim.words[part.at]!.lemma),
    )
  const [first, second] = [meet(there.one, here.other), meet(there.other, here.one)]
  return (first && second) || (second && isUnnamed(here.other)) || (first && isUnnamed(here.one))
}

const KIN = anyOf(
  'mother mom mum father dad sister brother daughter son wife husband girlfriend boyfriend aunt uncle niece nephew cousin grandmother grandfather grandma grandpa parent child sibling partner friend colleague boss neighbour neighbor',
)
