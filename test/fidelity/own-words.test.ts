import { describe, expect, test } from 'vitest'
import { checkFidelity } from '../../src/guarantees/fidelity/index.ts'

/** A line of a memory, claims that go against it, claims that keep to it. */
type Case = readonly [source: string, against: readonly string[], faithful: readonly string[]]

const CLASSES: Readonly<Record<string, readonly Case[]>> = {
  'how it turned out': [
    ['The gym membership was cancelled in March.', ['The gym membership is still running.'], []],
    ['The strike has ended.', ['The strike goes on.'], ['The strike is over.']],
    ['The cough was gone within ten days.', ['The cough persisted after that.'], []],
    ['Traffic doubled after the launch.', ['After the launch the traffic halved.'], []],
    [
      'The price includes breakfast but not the tourist tax.',
      ['Breakfast costs extra.'],
      ['Breakfast is included in the price.'],
    ],
    [
      'Wendy is toying with the idea of moving the team to Linear.',
      ['Wendy has made the final decision to move the team to Linear.'],
      ['Wendy is thinking about moving the team to Linear.'],
    ],
    ['The course is held online.', ['The course is held in person.'], []],
  ],
  'how often and how much': [
    ['I occasionally smoke at parties.', ['The user smokes every day.'], []],
    [
      'Hélène never drinks coffee after lunch.',
      ['Hélène regularly has a coffee after lunch.'],
      ['Hélène does not drink coffee after lunch.'],
    ],
    ['At least one first-aider has to be on site.', ['A first-aider on site is recommended.'], []],
  ],
  'each with its own': [
    [
      'Dr. Amari treats my knee and Dr. Voss handles my allergies.',
      ["The doctor looking after the user's knee is Dr. Voss."],
      ["The user's knee is treated by Dr. Amari."],
    ],
    [
      'The museum reopens on 3 May, the café a week later.',
      ['The café reopens on 3 May.'],
      ['The museum opens again on 3 May.'],
    ],
    [
      'For invoices in Swiss francs use the UBS account, for euros the Raiffeisen one.',
      ['Invoices in euros should be handled with the UBS account.'],
      [],
    ],
    [
      'The left monitor flickers, the right one is fine.',
      ['The right monitor flickers.'],
      ['The left monitor flickers.'],
    ],
    [
      'I take the bus on weekdays and drive at weekends.',
      ['The user drives on weekdays.'],
      ['On weekdays the user goes by bus.'],
    ],
  ],
  'two phrases that changed places': [
    [
      'The pull request by Devika was reviewed by Sam.',
      ['The pull request by Sam was reviewed by Devika.'],
      ['Sam reviewed the pull request by Devika.'],
    ],
    [
      'The scheduler service calls the mailer, and the mailer writes to the queue.',
      ['The mailer calls the scheduler service, and the mailer writes to the queue.'],
      [],
    ],
    ['Ana met Ben in Oslo.', [], ['Ben met Ana in Oslo.']],
    ['Clara is my colleague.', [], ['My colleague is Clara.']],
  ],
  'surer than the source': [
    [
      'I suspect the serializer slows us down, but I have not profiled it.',
      ['It is certain that the serializer causes the slowdown.'],
      ['The user suspects the serializer of slowing things down.'],
    ],
    [
      'Nadia was granted unpaid leave until September.',
      ['They gave Nadia unpaid leave indefinitely.'],
      ['The unpaid leave lasts until September.'],
    ],
  ],
  'one thing rather than another': [
    [
      "I'd rather have the aisle seat than the window.",
      ['The user prefers the window seat.'],
      ['The user prefers the aisle seat.'],
    ],
    [
      'The bug only shows up in Safari.',
      ['The bug shows up in every browser.'],
      ['The bug shows up in Safari.'],
    ],
    [
      "It wasn't the database that crashed, it was the proxy.",
      ['The database crashed.'],
      ['The proxy crashed.'],
    ],
  ],
  'as it was before': [
    [
      'Until June the rent was 900; since then it has been 980.',
      ['The rent is 900.'],
      ['The rent is now 980.'],
    ],
    ['Back then the shop opened at nine; now it opens at ten.', ['The shop opens at nine.'], []],
    [
      'The meeting was moved from room 4 to room 9.',
      ['The meeting is in room 4.'],
      ['The meeting is in room 9 now.'],
    ],
  ],
  'said, hoped and not so': [
    [
      'He said he had locked the door, but he hadn’t.',
      ['He locked the door.'],
      ['The door was not locked by him.'],
    ],
    ['Clara hopes to finish the thesis in May.', ['Clara finished the thesis in May.'], []],
    ['Ida takes her coffee without sugar.', ['Ida takes sugar in her coffee.'], []],
  ],
}

describe.each(Object.entries(CLASSES))('%s', (_, cases) => {
  const verdict = (source: string, claim: string) => checkFidelity({ source, claim }).verdict
  const against = cases.flatMap(([source, claims]) => claims.map((claim) => [source, claim] as const))
  const faithful = cases.flatMap(([source, , claims]) => claims.map((claim) => [source, claim] as const))

  test.each(against)('%s ✗ %s', (source, claim) => {
    expect(verdict(source, claim)).toBe('unfaithful')
  })

  if (faithful.length > 0)
    test.each(faithful)('%s ✓ %s', (source, claim) => {
      expect(verdict(source, claim)).toBe('faithful')
    })
})
