import { describe, expect, test } from 'vitest'
import { checkFidelity } from '../../src/guarantees/fidelity/index.ts'

const verdict = (source: string, claim: string) => checkFidelity({ source, claim }).verdict

/** A note, what follows from it, what does not. */
const NOTES: Readonly<Record<string, readonly (readonly [string, string, string])[]>> = {
  'which one of its kind': [
    [
      'replica-2 was removed from the pool at noon.',
      'replica-2 was removed from the pool.',
      'replica-1 was removed from the pool.',
    ],
    [
      'Almost everyone backed option B after the debate.',
      'Option B was supported by almost everyone.',
      'Almost everyone supported option A.',
    ],
    [
      "Since the knee surgery I'm down to two runs a week.",
      'The user had knee surgery.',
      'The user had hip surgery.',
    ],
  ],
  'the others are not the one named before': [
    [
      "Part 8841 won't ship before week 34. All other items left our warehouse yesterday.",
      'The other items left the warehouse yesterday.',
      'Part 8841 left the warehouse yesterday.',
    ],
    ['Room 4 is being painted, the rest can be booked.', 'Room 4 is being painted.', 'Room 4 can be booked.'],
  ],
  'a reason that is denied is none': [
    [
      'Six of the forty patients dropped out, none because of side effects.',
      'Six of the patients dropped out.',
      'Six patients dropped out because of side effects.',
    ],
    [
      'She turned it down because of the hours, not because of the pay.',
      'She turned it down because of the hours.',
      'She turned it down because of the pay.',
    ],
  ],
  'what is so in nine days is not so yet': [
    [
      'The certificate for the shop expires in nine days.',
      'The certificate for the shop will expire.',
      'The certificate for the shop has expired.',
    ],
    ['The lodger moves out in three weeks.', 'The lodger is going to move out.', 'The lodger moved out.'],
  ],
  'who is told to do it, and who leaves where': [
    [
      'Have Benno call the electrician once the plaster is dry.',
      'Benno is to call the electrician once the plaster is dry.',
      'The electrician is to call Benno once the plaster is dry.',
    ],
    [
      'The coach departs from Graz and arrives in Linz at noon.',
      'The coach goes from Graz to Linz.',
      'The coach departs from Linz at noon.',
    ],
    [
      'Ravi was outbid by Tess on the last lot.',
      'Tess outbid Ravi on the last lot.',
      'Ravi outbid Tess on the last lot.',
    ],
    [
      "I'd rather walk than take the bus.",
      'The user prefers walking to taking the bus.',
      'The user would rather take the bus than walk.',
    ],
  ],
  'what was thought of was done, or decided against': [
    [
      'We thought about selling the car but decided against it.',
      'They did not sell the car.',
      'They sold the car.',
    ],
    ['Mum told Leo to feed the cat and he did.', 'Leo fed the cat.', 'Leo did not feed the cat.'],
    [
      "The vet says the limp isn't serious.",
      "The vet doesn't think the limp is serious.",
      'The vet considers the limp serious.',
    ],
  ],
  'what is left out is denied, given or gone to all the same': [
    [
      'The plan covers hospital stays but dental work not at all.',
      'Dental work is excluded from the plan.',
      'The plan covers dental work.',
    ],
    [
      'Auntie Rose left the cottage to Will and the savings to Theo.',
      "Auntie Rose's cottage went to Will.",
      "Auntie Rose's cottage went to Theo.",
    ],
    [
      'Our ferry leaves Tallinn at 18:30 and gets into Helsinki two hours later.',
      'The ferry goes from Tallinn to Helsinki.',
      'The ferry leaves Helsinki at 18:30 and goes to Tallinn.',
    ],
    [
      "She'd rather take the night train than fly.",
      'She prefers the night train to flying.',
      "She'd sooner fly than take the night train.",
    ],
  ],
  'a number that names a thing stands before its verb': [
    [
      'The pump in bay 2 stopped our line on Sunday.',
      'The line was stopped by the pump in bay 2.',
      'The pump in bay 2 did not stop the line.',
    ],
    [
      "Part no. 8841 won't ship before week 34. All other items on PO 2207 left our warehouse yesterday.",
      'Part 8841 will be shipped in week 34 at the earliest.',
      'Part 8841 left the warehouse yesterday.',
    ],
  ],
  'what is so until a time is not what is so from then on': [
    [
      'The mortgage rate is fixed at 3.1% until 2029 and floats after that.',
      'After 2029 the rate floats.',
      'The mortgage rate floats until 2029 and is fixed at 3.1% from then on.',
    ],
    [
      'You can reach me on the Berlin number from Monday; until then use the mobile.',
      'The user can be reached on the Berlin number from Monday.',
      'The mobile is the number to use from Monday on.',
    ],
    [
      'Lea covers reception until noon and Ravi takes over after that.',
      'Lea covers reception until noon.',
      'Ravi covers reception until noon.',
    ],
  ],
  'yes and no as answers deny nothing themselves': [
    [
      "Before you ask: yes, I took the tablets, and no, I didn't have any wine.",
      'The user took the tablets.',
      "The user didn't take the tablets.",
    ],
    [
      'Salma has never failed to reply within a day.',
      'Salma has always replied within a day.',
      'Salma has never replied within a day.',
    ],
    ['Hugo talked about quitting, but he never did.', 'Hugo did not quit.', 'Hugo quit.'],
  ],
  'a note without a verb': [
    [
      'Flat white with oat milk, no sugar.',
      'The user does not want sugar in the flat white.',
      'The user wants sugar in the flat white.',
    ],
  ],
}

describe.each(Object.entries(NOTES))('%s', (_, notes) => {
  test.each(notes)('%s', (source, follows, against) => {
    expect.soft(verdict(source, follows), follows).toBe('faithful')
    expect.soft(verdict(source, against), against).not.toBe('faithful')
  })
})
