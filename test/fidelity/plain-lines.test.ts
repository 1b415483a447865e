import { describe, expect, test } from 'vitest'
import { checkFidelity } from '../../src/guarantees/fidelity/index.ts'

const verdict = (source: string, claim: string) => checkFidelity({ source, claim }).verdict

/** A line of memory, the same in other words, and something else that the words alone would let through. */
type Line = readonly [source: string, same: string, other?: string]

const LINES: readonly (readonly [string, readonly Line[]])[] = [
  [
    'a denial is one of its own predicate and arguments',
    [
      [
        'Ines can drive a van but not a lorry.',
        "Ines isn't able to drive a lorry.",
        'Ines can drive a lorry.',
      ],
      [
        'Staging is allowed to be down at night, production never.',
        'Staging may be down at night.',
        'Production may be down at night.',
      ],
      [
        'Nora never answers emails at the weekend.',
        "Emails sent on Saturday won't be answered by Nora that day.",
        'Nora answers emails at the weekend.',
      ],
      [
        'Ask Bea before you change the seating plan.',
        "The seating plan shouldn't be changed without asking Bea.",
        'The seating plan can be changed without asking Bea.',
      ],
      [
        'The data is kept for 90 days and then deleted.',
        'After 90 days, the data is removed.',
        'The data is never deleted.',
      ],
      [
        'Take the tablets only if the fever comes back.',
        'Unless the fever returns, no tablets should be taken.',
        'The tablets must not be taken if the fever comes back.',
      ],
      ['The tank has 40 litres left.', '40 litres remain in the tank.'],
      ['Our landlord has two kids.', 'The landlord is a parent of two.'],
    ],
  ],
  [
    'a duty is one to do the same thing, a condition that of the same sentence',
    [
      [
        'Stop sending me the digest. I want the alerts by email, not by text.',
        "The digest shouldn't be sent to the user any more.",
        'The digest must be sent to the user.',
      ],
      [
        'Either side may leave with 60 days of written notice.',
        'Leaving requires written notice of 60 days.',
        'Neither side may leave.',
      ],
      [
        'Ravi should be able to take the trip.',
        'Ravi can probably take the trip.',
        'Ravi is not able to take the trip.',
      ],
      [
        'Sofia promised to review the draft and did so on Monday.',
        'Sofia has reviewed the draft.',
        'Sofia has not reviewed the draft.',
      ],
      [
        'A quarter of the shares vests after one year. If you leave before that, you get nothing.',
        '25% of the shares vest after a year.',
      ],
    ],
  ],
  [
    'a number is that of the same things, or comes to it',
    [
      [
        'Each of the four offices gets two new printers.',
        'A total of eight new printers will go to the four offices.',
        'In total, six new printers go to the four offices.',
      ],
      [
        'The API limits each key to 100 requests a minute.',
        'No key may make more than 100 requests per minute.',
        'Each key may make 1,000 requests a minute.',
      ],
      [
        'Shipping is free unless the parcel weighs more than 20 kg.',
        'Parcels of up to 20 kg are shipped at no cost.',
      ],
      [
        'The lease allows two pets at most.',
        'Three pets would be more than the lease permits.',
        'The lease allows three pets.',
      ],
      ["It's been eight weeks since the last release.", 'The last release was two months ago.'],
      [
        'We met in 2015 and got married three years later.',
        'The user has been married since 2018.',
        'The user has been married since 2017.',
      ],
      [
        "Tom's flight lands at 6:40 am.",
        'Tom arrives at twenty to seven in the morning.',
        'Tom arrives at twenty to eight in the morning.',
      ],
      [
        'The train leaves at 17:45 and the ride takes an hour and a half.',
        'Departure is at quarter to six in the evening, and the train journey lasts 90 minutes.',
        'Departure is at quarter to five in the evening, and the train journey lasts 90 minutes.',
      ],
      [
        'Every invoice above 5,000 francs needs two signatures.',
        'Two signatures are required on any invoice of more than CHF 5,000.',
        'For an invoice above 5,000 francs a single signature is enough.',
      ],
      [
        'The cache is cleared once an hour.',
        'The cache is emptied every 60 minutes.',
        'The cache is cleared once a day.',
      ],
      [
        'The hotel has 40 rooms, 12 of them with a balcony.',
        '28 rooms in the hotel have no balcony.',
        'All 40 rooms have a balcony.',
      ],
    ],
  ],
  [
    'two are compared from either side',
    [["Mira is Jonas's older sister.", 'Jonas is younger than Mira.', "Jonas is Mira's older brother."]],
  ],
]

describe.each(LINES)('%s', (_, lines) => {
  test.each(lines.map(([source, same]) => [source, same] as const))('%s = %s', (source, same) => {
    expect(verdict(source, same)).toBe('faithful')
  })
  const others = lines.flatMap(([source, , other]) => (other === undefined ? [] : [[source, other] as const]))
  if (others.length > 0)
    test.each(others)('%s ≠ %s', (source, other) => {
      expect(verdict(source, other)).toBe('unfaithful')
    })
})

describe('in an edited text, a denial told by what is so instead', () => {
  test.each([
    [
      'The old plays are of uncertain date, and are arranged by length.',
      'The old plays have vague dates, and are arranged by length.',
    ],
    [
      'The pumps ran one after the other without interruption.',
      'The pumps ran one after the other continuously.',
    ],
  ])('%s = %s', (source, claim) => {
    expect(verdict(source, claim)).toBe('faithful')
  })
  test('and its opposite', () => {
    expect(
      verdict(
        'The old plays are of uncertain date, and are arranged by length.',
        'The old plays are of certain date, and are arranged by length.',
      ),
    ).toBe('unfaithful')
  })
})
