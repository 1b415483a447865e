import fc from 'fast-check'
import type { Made } from './sentences.ts'

/*
 * Small grammars like those of `sentences.ts`, for what one construction says and what it does not: who did which of
 * two things, what a condition leaves open, what is left of a whole, what was only planned, what is so no longer.
 */

const NAMES = ['Priya', 'Marcus', 'Ines', 'Tomas', 'Gosia'] as const

/** Base form, past and participle of what is done to a thing. */
const DEEDS = [
  ['sign', 'signed', 'signed', 'the lease'],
  ['review', 'reviewed', 'reviewed', 'the test plan'],
  ['update', 'updated', 'updated', 'the runbook'],
  ['send', 'sent', 'sent', 'the March invoice'],
  ['cancel', 'cancelled', 'cancelled', 'the hotel'],
  ['repair', 'repaired', 'repaired', 'the heating'],
] as const

/** What people have or are in charge of, in a present that needs no other verb. */
const PARALLEL = [
  ['owns', 'staging', 'production'],
  ['takes', 'the tram', 'the bike'],
  ['teaches', 'piano', 'violin'],
  ['drives', 'on Mondays', 'on Thursdays'],
  ['wants', 'the window seat', 'the aisle seat'],
] as const

const one = <T>(values: readonly T[]) => fc.constantFrom(...values)
const two = <T>(values: readonly T[]) => fc.tuple(one(values), one(values)).filter(([a, b]) => a !== b)
const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** "A owns staging and B production." → which of the two is said again. */
const gapped = fc.tuple(two(NAMES), one(PARALLEL), fc.boolean(), fc.boolean())

export const gappedClauses = gapped.map(
  ([[a, b], [verb, x, y], comma, second]): Made => ({
    source: `${a} ${verb} ${x}${comma ? ',' : ' and'} ${b} ${y}.`,
    claim: second ? `${b} ${verb} ${y}.` : `${a} ${verb} ${x}.`,
  }),
)

export const crossedClauses = gapped.map(
  ([[a, b], [verb, x, y], comma, second]): Made => ({
    source: `${a} ${verb} ${x}${comma ? ',' : ' and'} ${b} ${y}.`,
    claim: second ? `${b} ${verb} ${x}.` : `${a} ${verb} ${y}.`,
  }),
)

/** "A may …; B may not." and "A did, but B didn't." */
const LEFT_UNSAID = [
  (a: string, b: string) => [
    `${a} may bring a guest; ${b} may not.`,
    `${b} may not bring a guest.`,
    `${b} may bring a guest.`,
  ],
  (a: string, b: string) => [
    `${a} can read the audit log, but ${b} can't.`,
    `${b} can't read the audit log.`,
    `${b} can read the audit log.`,
  ],
  (a: string, b: string) => [
    `${a} accepted the offer. ${b} did not.`,
    `${b} did not accept the offer.`,
    `${b} accepted the offer.`,
  ],
  (a: string, b: string) => [
    `${a} has a driving licence, ${b} hasn't.`,
    `${b} doesn't have a driving licence.`,
    `${b} has a driving licence.`,
  ],
] as const

const unsaid = fc.tuple(one(LEFT_UNSAID), two(NAMES)).map(([phrase, [a, b]]) => phrase(a, b))
export const deniedEllipsis = unsaid.map(([source, denied]): Made => ({ source: source!, claim: denied! }))
export const affirmedEllipsis = unsaid.map(([source, , said]): Made => ({ source: source!, claim: said! }))

export const clefts = fc.tuple(two(NAMES), one(DEEDS)).map(
  ([[who], [, past, , what]]): Made => ({
    source: `${who} ${past} ${what}.`,
    claim: `It was ${who} who ${past} ${what}.`,
  }),
)

export const cleftsOfAnother = fc.tuple(two(NAMES), one(DEEDS)).map(
  ([[who, other], [, past, , what]]): Made => ({
    source: `${who} ${past} ${what}.`,
    claim: `It was ${other} who ${past} ${what}.`,
  }),
)

const CONDITIONS = [
  ['the vendor agrees', 'we will sign in June'],
  ['the visa arrives by Friday', 'she will fly to Lisbon'],
  ['the tests pass', 'the release goes out tonight'],
  ['you register within 30 days', 'the battery is covered'],
  ['the landlord agrees', 'dogs are welcome in the office'],
] as const

const condition = one(CONDITIONS)
export const conditionsMoved = fc.tuple(condition, one(['if', 'provided that', 'as long as'])).map(
  ([[when, then], word]): Made => ({
    source: `${capital(word)} ${when}, ${then}.`,
    claim: `${capital(then)} if ${when}.`,
  }),
)
export const conditionsDropped = fc.tuple(condition, one(['if', 'provided that', 'as long as'])).map(
  ([[when, then], word]): Made => ({
    source: `${capital(then)} ${word} ${when}.`,
    claim: `${capital(then)}.`,
  }),
)
export const conditionsTakenForFact = condition.map(
  ([when, then]): Made => ({
    source: `If ${when}, ${then}.`,
    claim: `${capital(then)}, whether or not ${when}.`,
  }),
)

const COUNTED = [
  ['servers', 'were patched', 'were not patched'],
  ['invoices', 'have been paid', 'have not been paid'],
  ['junctions', 'were rebuilt', 'were not rebuilt'],
  ['candidates', 'had worked with Rust', 'had not worked with Rust'],
] as const
const WORDS = ['', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'] as const

/** A part of a whole, more than one on either side. */
const share = fc
  .tuple(fc.integer({ min: 5, max: 10 }), fc.integer({ min: 2, max: 8 }), one(COUNTED))
  .filter(([whole, part]) => whole - part >= 2)

export const remainders = share.map(
  ([whole, part, [noun, done, undone]]): Made => ({
    source: `${capital(WORDS[part]!)} of the ${WORDS[whole]} ${noun} ${done}.`,
    claim: `${capital(WORDS[whole - part]!)} of the ${noun} ${undone}.`,
  }),
)
export const partsTakenForAll = fc.tuple(share, one(['All', 'All of', 'None of'])).map(
  ([[whole, part, [noun, done]], quantifier]): Made => ({
    source: `${capital(WORDS[part]!)} of the ${WORDS[whole]} ${noun} ${done}.`,
    claim: `${quantifier} the ${noun} ${done}.`,
  }),
)
export const exceptions = fc.tuple(one(COUNTED), one(['except', 'apart from', 'but'])).map(
  ([[noun, done, undone], word]): Made => ({
    source: `All of the ${noun} ${word} two ${done}.`,
    claim: `Two of the ${noun} ${undone}.`,
  }),
)

/** Base form, past; said to be only planned, tried, promised or avoided. */
const STANCES = [
  (who: string, base: string, what: string) => `${who} forgot to ${base} ${what}.`,
  (who: string, base: string, what: string) => `${who} refused to ${base} ${what}.`,
  (who: string, base: string, what: string) => `${who} failed to ${base} ${what}.`,
  (who: string, base: string, what: string) => `${who} promised to ${base} ${what}.`,
  (who: string, base: string, what: string) => `${who} is planning to ${base} ${what}.`,
  (who: string, base: string, what: string) => `${who} offered to ${base} ${what}.`,
  (who: string, base: string, what: string) => `${who} was asked to ${base} ${what}.`,
  (who: string, base: string, what: string) => `${who} might ${base} ${what}.`,
] as const

export const doneAsSaid = fc.tuple(one(['managed to', 'remembered to']), one(NAMES), one(DEEDS)).map(
  ([phrase, who, [base, past, , what]]): Made => ({
    source: `${who} ${phrase} ${base} ${what}.`,
    claim: `${who} ${past} ${what}.`,
  }),
)
export const notDoneAsSaid = fc.tuple(fc.integer({ min: 0, max: 2 }), one(NAMES), one(DEEDS)).map(
  ([stance, who, [base, , , what]]): Made => ({
    source: STANCES[stance]!(who, base, what),
    claim: `${who} did not ${base} ${what}.`,
  }),
)
export const takenForDone = fc.tuple(one(STANCES), one(NAMES), one(DEEDS)).map(
  ([stance, who, [base, past, , what]]): Made => ({
    source: stance(who, base, what),
    claim: `${who} ${past} ${what}.`,
  }),
)

const SAME_DUTY = [
  ['must', 'is required to'],
  ['has to', 'must'],
  ['may', 'is allowed to'],
  ['must not', 'is not allowed to'],
  ['can', 'is able to'],
] as const
const OTHER_DUTY = [
  ['may', 'must'],
  ['must', 'must not'],
  ['may', 'may not'],
  ['must not', 'may'],
  ['need not', 'must'],
  ['should', 'should not'],
] as const

export const sameDuties = fc.tuple(one(SAME_DUTY), fc.boolean(), one(NAMES), one(DEEDS)).map(
  ([[a, b], turned, who, [base, , , what]]): Made => ({
    source: `${who} ${turned ? b : a} ${base} ${what}.`,
    claim: `${who} ${turned ? a : b} ${base} ${what}.`,
  }),
)
export const otherDuties = fc.tuple(one(OTHER_DUTY), one(NAMES), one(DEEDS)).map(
  ([[from, to], who, [base, , , what]]): Made => ({
    source: `${who} ${from} ${base} ${what}.`,
    claim: `${who} ${to} ${base} ${what}.`,
  }),
)

const EVENTS = ['the deploy', 'the audit', 'the board meeting', 'the migration', 'the outage'] as const
export const turnedOrder = two(EVENTS).map(
  ([a, b]): Made => ({
    source: `${capital(a)} took place before ${b}.`,
    claim: `${capital(b)} took place after ${a}.`,
  }),
)
export const otherOrder = fc.tuple(two(EVENTS), fc.boolean()).map(
  ([[a, b], after]): Made => ({
    source: `${capital(a)} took place before ${b}.`,
    claim: after ? `${capital(a)} took place after ${b}.` : `${capital(b)} took place before ${a}.`,
  }),
)

/** More, less. */
const DEGREES = [
  ['faster', 'slower'],
  ['cheaper', 'more expensive'],
  ['larger', 'smaller'],
  ['longer', 'shorter'],
] as const
const COMPARED = ['the old parser', 'the new parser', 'the vendor build', 'the second offer'] as const
export const turnedComparisons = fc.tuple(two(COMPARED), one(DEGREES)).map(
  ([[a, b], [more, less]]): Made => ({
    source: `${capital(a)} is ${more} than ${b}.`,
    claim: `${capital(b)} is ${less} than ${a}.`,
  }),
)
export const otherComparisons = fc.tuple(two(COMPARED), one(DEGREES), fc.boolean()).map(
  ([[a, b], [more, less], exchanged]): Made => ({
    source: `${capital(a)} is ${more} than ${b}.`,
    claim: exchanged ? `${capital(b)} is ${more} than ${a}.` : `${capital(a)} is ${less} than ${b}.`,
  }),
)

const FORMER = [
  ['The bucket used to be public.', 'The bucket is no longer public.', 'The bucket is public.'],
  ['Ines used to work at a bank.', 'Ines no longer works at a bank.', 'Ines works at a bank.'],
  [
    'The team no longer supports Node 16.',
    'The team does not support Node 16 any more.',
    'The team supports Node 16.',
  ],
  ['The lease has expired.', 'The lease is no longer valid.', 'The lease is still valid.'],
  ['Tomas has stopped eating meat.', "Tomas doesn't eat meat any more.", 'Tomas eats meat.'],
  ['The old export has been removed.', 'The old export is gone.', 'The old export is still there.'],
] as const
export const pastStates = one(FORMER).map(([source, now]): Made => ({ source, claim: now }))
export const pastTakenForPresent = one(FORMER).map(([source, , then]): Made => ({ source, claim: then }))

/** Two things, of which one is said to be so and the other not. */
const CONTRASTS = [
  (a: string, b: string) => `The alert went to ${a}, not to ${b}.`,
  (a: string, b: string) => `The alert went not to ${b} but to ${a}.`,
  (a: string, b: string) => `The alert went to ${a} instead of ${b}.`,
  (a: string, b: string) => `The alert went to ${a} rather than ${b}.`,
] as const
const contrast = fc.tuple(one(CONTRASTS), two(NAMES))
export const chosenOfTwo = contrast.map(
  ([phrase, [a, b]]): Made => ({ source: phrase(a, b), claim: `The alert went to ${a}.` }),
)
export const leftOfTwo = contrast.map(
  ([phrase, [a, b]]): Made => ({ source: phrase(a, b), claim: `The alert went to ${b}.` }),
)

const everyoneBut = fc.tuple(
  one(['Everyone but', 'Everyone except', 'Everybody apart from']),
  one(NAMES),
  one(DEEDS),
)
export const theOneExcepted = everyoneBut.map(
  ([all, who, [base, past, , what]]): Made => ({
    source: `${all} ${who} ${past} ${what}.`,
    claim: `${who} did not ${base} ${what}.`,
  }),
)
export const theOneExceptedIncluded = everyoneBut.map(
  ([all, who, [, past, , what]]): Made => ({
    source: `${all} ${who} ${past} ${what}.`,
    claim: `${who} ${past} ${what}.`,
  }),
)

const steps = two(DEEDS).map(([[a, , , x], [b, , , y]]) => [`${a} ${x}`, `${b} ${y}`] as const)
export const stepsInOrder = steps.map(
  ([a, b]): Made => ({ source: `First ${a}, then ${b}.`, claim: `${capital(b)} after you ${a}.` }),
)
export const stepsOutOfOrder = steps.map(
  ([a, b]): Made => ({ source: `First ${a}, then ${b}.`, claim: `First ${b}, then ${a}.` }),
)

/** "three talks of ten minutes each" */
const each = fc
  .tuple(fc.integer({ min: 2, max: 6 }), one([5, 10, 15, 20, 25]), one(['talks', 'sessions', 'interviews']))
  .map(([count, minutes, what]) => ({ count, minutes, what }))
export const sums = each.map(
  ({ count, minutes, what }): Made => ({
    source: `There are ${WORDS[count]} ${what}, ${minutes} minutes each.`,
    claim: `The ${what} take ${count * minutes} minutes in total.`,
  }),
)
export const otherSums = each.map(
  ({ count, minutes, what }): Made => ({
    source: `There are ${WORDS[count]} ${what}, ${minutes} minutes each.`,
    claim: `The ${what} take ${(count + 1) * minutes} minutes in total.`,
  }),
)

/** Somebody's deed, with the teller, "we", elsewhere in the text. */
const OTHERS = [
  (who: string, did: string) => `${who} ${did}, but we have not heard anything since.`,
  (who: string, did: string) => `We talked to ${who} on Friday. ${who} ${did} the day after.`,
  (who: string, did: string) => `The vendor called us twice, and then ${who} ${did}.`,
] as const
const deedOfOne = fc.tuple(one(OTHERS), one(NAMES), one(DEEDS))
export const doerNamed = deedOfOne.map(
  ([phrase, who, [, past, , what]]): Made => ({
    source: phrase(who, `${past} ${what}`),
    claim: `${who} ${past} ${what}.`,
  }),
)
export const doneByTheTeller = fc.tuple(deedOfOne, one(['The user', 'The team', 'We'])).map(
  ([[phrase, who, [, past, , what]], teller]): Made => ({
    source: phrase(who, `${past} ${what}`),
    claim: `${teller} ${past} ${what}.`,
  }),
)

/** Told as ahead, in a clause or a noun phrase of its own. */
const STILL_AHEAD = [
  (participle: string, what: string) => `We are going live once ${what} has been ${participle}.`,
  (participle: string, what: string) => `Nothing changes here until ${what} has been ${participle}.`,
  (participle: string, what: string) => `If ${what} has been ${participle} by Friday, call me.`,
] as const
const ahead = fc.tuple(one(STILL_AHEAD), one(DEEDS))
export const aheadTakenForDone = ahead.map(
  ([phrase, [, , participle, what]]): Made => ({
    source: phrase(participle, what),
    claim: `${capital(what)} has been ${participle}.`,
  }),
)

/** A denial in a clause of its own, behind one that sounds like the deed. */
const DENIED_FURTHER_ON = [
  (who: string, base: string, what: string) =>
    `${who} meant to help; in reality ${who} did not ${base} ${what}.`,
  (who: string, base: string, what: string) =>
    `${who} was in the office all day and still didn't ${base} ${what}.`,
] as const
export const deniedFurtherOn = fc.tuple(one(DENIED_FURTHER_ON), one(NAMES), one(DEEDS)).map(
  ([phrase, who, [base, past, , what]]): Made => ({
    source: phrase(who, base, what),
    claim: `${who} ${past} ${what}.`,
  }),
)

const SOME_DAYS = [
  ['I swim on Mondays and Thursdays.', 'The user swims every day.', 'The user swims on Thursdays.'],
  ['Two of the buses run on gas.', 'All buses run on gas.', 'Two buses run on gas.'],
  [
    'Priya reviews the invoices from Berlin.',
    'Priya reviews everything.',
    'Priya reviews invoices from Berlin.',
  ],
  ['The clinic treats dogs and cats.', 'The clinic treats any animal.', 'The clinic treats cats.'],
] as const
export const someDays = one(SOME_DAYS).map(([source, , some]): Made => ({ source, claim: some }))
export const someTakenForAll = one(SOME_DAYS).map(([source, all]): Made => ({ source, claim: all }))
