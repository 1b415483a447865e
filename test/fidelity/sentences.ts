import fc from 'fast-check'

/*
 * Small grammars. Each yields a source and a claim of which it is known, by the way they were made, that the claim
 * follows from the source or does not. The spaces are finite: a few hundred to some ten thousand pairs each.
 */

export interface Made {
  readonly source: string
  readonly claim: string
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
const sentence = (...parts: readonly string[]): string =>
  `${capital(parts.filter((part) => part !== '').join(' '))}.`

const NAMES = ['Priya', 'Marcus', 'Ines', 'Dr. Osei', 'Tomas'] as const
const AGENTS = [...NAMES, 'the vendor', 'the security team', 'our landlord'] as const
const THINGS = [
  'the contract',
  'the incident report',
  'the migration script',
  'the March invoice',
  'the test plan',
  'the lease',
] as const
const TIMES = ['', 'on Tuesday', 'last week', 'in March'] as const

/** Base form, past, participle. */
const VERBS: readonly (readonly [string, string, string])[] = [
  ['review', 'reviewed', 'reviewed'],
  ['approve', 'approved', 'approved'],
  ['sign', 'signed', 'signed'],
  ['write', 'wrote', 'written'],
  ['send', 'sent', 'sent'],
  ['update', 'updated', 'updated'],
  ['check', 'checked', 'checked'],
  ['translate', 'translated', 'translated'],
]

const one = <T>(values: readonly T[]) => fc.constantFrom(...values)
const two = <T>(values: readonly T[]) => fc.tuple(one(values), one(values)).filter(([a, b]) => a !== b)

const deed = fc.record({ who: one(AGENTS), verb: one(VERBS), what: one(THINGS), when: one(TIMES) })

/** A pair and its mirror image. */
const eitherWay = (made: fc.Arbitrary<Made>): fc.Arbitrary<Made> =>
  fc
    .tuple(made, fc.boolean())
    .map(([{ source, claim }, turned]) => (turned ? { source: claim, claim: source } : { source, claim }))

/** Clauses with a negatable auxiliary: before it, long and short negation, plain form, after it. */
const STATES = [
  ['the staging database', 'is not', "isn't", 'is', 'encrypted'],
  ['the new importer', 'does not', "doesn't", 'does', 'support XLSX files'],
  ['the customer', 'did not', "didn't", 'did', 'accept the offer'],
  ['the patient', 'has not', "hasn't", 'has', 'stopped taking aspirin'],
  ['the tenants', 'have not', "haven't", 'have', 'paid the deposit'],
  ['the release', 'will not', "won't", 'will', 'include the beta features'],
  ['contractors', 'cannot', "can't", 'can', 'read the audit log'],
  ['the alerts', 'were not', "weren't", 'were', 'sent to the whole team'],
  ['you', 'should not', "shouldn't", 'should', 'restart the worker'],
  ['the meeting', 'was not', "wasn't", 'was', 'moved to Friday'],
  ['the backups', 'are not', "aren't", 'are', 'kept for a year'],
] as const

const PLAIN: Readonly<Record<string, string>> = {
  'does support XLSX files': 'supports XLSX files',
  'did accept the offer': 'accepted the offer',
}

const state = one(STATES)
const plain = ([subject, , , auxiliary, rest]: (typeof STATES)[number]): string =>
  sentence(subject, PLAIN[`${auxiliary} ${rest}`] ?? `${auxiliary} ${rest}`)

export const contractions = eitherWay(
  state.map(([subject, long, short, , rest]) => ({
    source: sentence(subject, long, rest),
    claim: sentence(subject, short, rest),
  })),
)

export const insertedNegations = fc.tuple(state, fc.boolean()).map(([clause, short]) => ({
  source: plain(clause),
  claim: sentence(clause[0], clause[short ? 2 : 1], clause[4]),
}))

export const removedNegations = insertedNegations.map(({ source, claim }) => ({
  source: claim,
  claim: source,
}))

export const passives = eitherWay(
  deed.map(({ who, verb: [, past, participle], what, when }) => ({
    source: sentence(who, past, what, when),
    claim: sentence(what, 'was', participle, 'by', who, when),
  })),
)

export const negatedPassives = eitherWay(
  fc.tuple(deed, fc.boolean()).map(
    ([
      {
        who,
        verb: [base, , participle],
        what,
        when,
      },
      short,
    ]) => ({
      source: sentence(who, short ? "didn't" : 'did not', base, what, when),
      claim: sentence(what, short ? "wasn't" : 'was not', participle, 'by', who, when),
    }),
  ),
)

const TWICE_NEGATED = [
  (who: string, base: string, what: string) => [who, 'did not fail to', base, what],
  (who: string, base: string, what: string) => [who, "didn't forget to", base, what],
  (who: string, base: string, what: string) => ['it is not true that', who, 'did not', base, what],
  (who: string, base: string, what: string) => ["it isn't the case that", who, "didn't", base, what],
] as const

export const doubleNegations = eitherWay(
  fc.tuple(deed, one(TWICE_NEGATED)).map(
    ([
      {
        who,
        verb: [base, past],
        what,
      },
      phrase,
    ]) => ({
      source: sentence(...phrase(who, base, what)),
      claim: sentence(who, past, what),
    }),
  ),
)

/** One negation taken out of two. */
export const halvedDoubleNegations = fc.tuple(deed, fc.boolean()).map(
  ([
    {
      who,
      verb: [base, past],
      what,
    },
    failed,
  ]) => ({
    source: failed ? sentence(who, 'did not fail to', base, what) : sentence(who, past, what),
    claim: failed ? sentence(who, 'failed to', base, what) : sentence('it is not true that', who, past, what),
  }),
)

const WORDS = ['two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten', 'eleven', 'twelve']
const MONTHS = ['January', 'March', 'April', 'June', 'August', 'October', 'December'] as const

/** The same amount written in two ways. */
const SAME_AMOUNT = fc.oneof(
  fc
    .integer({ min: 11, max: 990 })
    .map((n) => n * 100)
    .chain((n) =>
      two([n.toLocaleString('en'), String(n), `${n / 1000}k`]).map(([a, b]) => ({
        source: `The table has ${a} rows.`,
        claim: `The table has ${b} rows.`,
      })),
    ),
  fc.integer({ min: 1, max: 99 }).chain((n) =>
    two([`${n}%`, `${n} percent`, `${n} per cent`]).map(([a, b]) => ({
      source: `The rollout covers ${a} of the traffic.`,
      claim: `The rollout covers ${b} of the traffic.`,
    })),
  ),
  fc.integer({ min: 2, max: 12 }).map((n) => ({
    source: `The review took ${n} days.`,
    claim: `The review took ${WORDS[n - 2]} days.`,
  })),
  fc.integer({ min: 2, max: 9 }).map((n) => ({
    source: `The job times out after ${n} minutes.`,
    claim: `The job times out after ${n * 60} seconds.`,
  })),
  fc.tuple(fc.integer({ min: 13, max: 23 }), one(['00', '15', '30', '45'])).map(([hour, minute]) => ({
    source: `The call starts at ${hour}:${minute}.`,
    claim: `The call starts at ${hour - 12}:${minute} pm.`,
  })),
  fc.tuple(fc.integer({ min: 1, max: 28 }), one(MONTHS)).chain(([day, month]) =>
    two([`${day} ${month}`, `${month} ${day}`, `the ${day}${ordinal(day)} of ${month}`]).map(([a, b]) => ({
      source: `The lease ends on ${a}.`,
      claim: `The lease ends on ${b}.`,
    })),
  ),
  fc.integer({ min: 2, max: 90 }).map((n) => ({
    source: `The budget is $${n},000.`,
    claim: `The budget is ${n},000 dollars.`,
  })),
)

const ordinal = (n: number): string =>
  n % 10 === 1 && n !== 11 ? 'st' : n % 10 === 2 && n !== 12 ? 'nd' : n % 10 === 3 && n !== 13 ? 'rd' : 'th'

export const numberFormats = eitherWay(SAME_AMOUNT)

const MEASURED = [
  (n: number) => `The table has ${n.toLocaleString('en')} rows.`,
  (n: number) => `The invoice is for ${n} euros.`,
  (n: number) => `The job times out after ${n} seconds.`,
  (n: number) => `The rollout covers ${n}% of the traffic.`,
] as const

export const otherNumbers = fc
  .tuple(one(MEASURED), two([2, 3, 5, 8, 12, 20, 30, 45, 60, 75, 90]))
  .map(([phrase, [a, b]]) => ({ source: phrase(a), claim: phrase(b) }))

const GROUPS = [
  ['servers', 'were patched'],
  ['invoices', 'have been paid'],
  ['patients', 'responded to the drug'],
  ['customers', 'renewed their contracts'],
  ['tests', 'passed on the first run'],
  ['candidates', 'had worked with Rust'],
] as const

const quantified = (quantifier: string, [noun, predicate]: (typeof GROUPS)[number]): string =>
  sentence(quantifier, noun, predicate)

const SWAPS = [
  ['all of the', 'none of the'],
  ['all of the', 'few of the'],
  ['some of the', 'all of the'],
  ['some of the', 'none of the'],
  ['none of the', 'some of the'],
  ['none of the', 'all of the'],
  ['none of the', 'most of the'],
  ['most of the', 'all of the'],
  ['most of the', 'few of the'],
  ['few of the', 'most of the'],
  ['few of the', 'all of the'],
  ['not all of the', 'all of the'],
  ['all of the', 'not all of the'],
] as const

export const swappedQuantifiers = fc
  .tuple(one(SWAPS), one(GROUPS))
  .map(([[from, to], group]) => ({ source: quantified(from, group), claim: quantified(to, group) }))

const WEAKER = [
  ['all of the', 'all the'],
  ['all of the', 'most of the'],
  ['all of the', 'some of the'],
  ['most of the', 'some of the'],
  ['none of the', 'not all of the'],
] as const

export const weakerQuantifiers = fc
  .tuple(one(WEAKER), one(GROUPS))
  .map(([[from, to], group]) => ({ source: quantified(from, group), claim: quantified(to, group) }))

const BETWEEN = [
  (a: string, b: string) => `${a} reports to ${b}.`,
  (a: string, b: string) => `${a} sent the invoice to ${b}.`,
  (a: string, b: string) => `${a} reviewed the proposal that ${b} had written.`,
  (a: string, b: string) => `${a} was hired by ${b}.`,
  (a: string, b: string) => `${a} owns staging and ${b} owns production.`,
  (a: string, b: string) => `${a} asked ${b} to call the bank.`,
  (a: string, b: string) => `${a} took over the on-call shift from ${b}.`,
  (a: string, b: string) => `${a}'s ticket blocks ${b}'s ticket.`,
  (a: string, b: string) => `${a} is faster than ${b}.`,
  (a: string, b: string) => `${a} owes ${b} 300 euros.`,
  (a: string, b: string) => `The contract that ${a} drafted was rejected by ${b}.`,
  (a: string, b: string) => `The flat was moved from ${a} to ${b}.`,
] as const

export const swappedRoles = fc
  .tuple(one(BETWEEN), two(NAMES))
  .map(([phrase, [a, b]]) => ({ source: phrase(a, b), claim: phrase(b, a) }))

export const reorderedRoles = fc.tuple(two(NAMES)).map(([[a, b]]) => ({
  source: `${a} owns staging and ${b} owns production.`,
  claim: `${b} owns production and ${a} owns staging.`,
}))
