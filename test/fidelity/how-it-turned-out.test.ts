import { describe, expect, test } from 'vitest'
import { checkFidelity } from '../../src/guarantees/fidelity/index.ts'

const verdict = (source: string, claim: string) => checkFidelity({ source, claim }).verdict

/** A note, what follows from it, what does not. */
const NOTES: Readonly<Record<string, readonly (readonly [string, string, string])[]>> = {
  'what somebody said or thought is taken back or borne out by what follows': [
    [
      'I thought the leak came from the valve, but that turned out to be wrong.',
      'The leak did not come from the valve.',
      'The leak came from the valve.',
    ],
    [
      'She told us the museum was closed, but that was wrong.',
      'The museum was not closed.',
      'The museum was closed.',
    ],
    [
      'He claimed the bridge was open, and that was true.',
      'The bridge was open.',
      'The bridge was not open.',
    ],
    [
      'We assumed the battery was empty, and we were right.',
      'The battery was empty.',
      'The battery was not empty.',
    ],
  ],
  'a bare auxiliary says whether what was meant was done': [
    [
      "Felix said he'd bring the tent and he did.",
      'Felix brought the tent.',
      'Felix did not bring the tent.',
    ],
    [
      "Felix said he'd bring the tent but he didn't.",
      'Felix did not bring the tent.',
      'Felix brought the tent.',
    ],
    [
      "I meant to ring the plumber but I haven't.",
      'The user has not rung the plumber.',
      'The user rang the plumber.',
    ],
    [
      'Kai promised to send the keys, and he did.',
      'Kai kept his promise to send the keys.',
      'Kai broke his promise to send the keys.',
    ],
  ],
  'what one is done with was so before': [
    [
      'Nadia quit drinking coffee in May.',
      'Nadia was drinking coffee until May.',
      'Nadia still drinks coffee.',
    ],
    ['He stopped wearing the brace last week.', 'He had been wearing a brace.', 'He still wears the brace.'],
    [
      'They cancelled the newspaper subscription in spring.',
      'They had a newspaper subscription.',
      'They still have the newspaper subscription.',
    ],
    [
      'I used to smoke a pack a day until the baby came.',
      'The user no longer smokes a pack a day.',
      'The user smokes a pack a day.',
    ],
  ],
  'what is only supposed was not found, settled or admitted': [
    [
      'Ana suspects the pump is leaking but has not checked it yet.',
      'Ana suspects that the pump is leaking.',
      'Ana found that the pump is leaking.',
    ],
    [
      "We're leaning towards the oak table but haven't decided.",
      'They have not decided on a table.',
      'They chose the oak table.',
    ],
    [
      'My boss might let me work from Spain in May.',
      "Whether the user may work from Spain in May is up to the user's boss.",
      "The user's boss agreed to let the user work from Spain in May.",
    ],
    [
      'The waiter claims the guest never paid.',
      'The waiter says that the guest did not pay.',
      'The guest admitted to not paying.',
    ],
  ],
  'of two people, each is held to what is said of them': [
    [
      'Ann thinks we should sell the van, Kit wants to keep it.',
      'Kit wants to keep the van.',
      'Kit is in favour of selling the van.',
    ],
    [
      'None of my cousins speak Danish, but my aunt does.',
      "The user's aunt speaks Danish.",
      "The user's cousins speak Danish.",
    ],
    [
      'Ida was the only one in the choir who could read music.',
      'Nobody in the choir except Ida could read music.',
      'Everyone in the choir could read music.',
    ],
    [
      "Don't bother cleaning the oven; the fridge does need cleaning.",
      'The fridge has to be cleaned.',
      'The oven has to be cleaned.',
    ],
  ],
  'more, less and what is measured are one comparison from either side': [
    ['Rosa earns a bit less than Emil.', 'Emil earns more than Rosa.', 'Rosa earns more than Emil.'],
    [
      'The drug lowered blood pressure more than placebo.',
      'Placebo lowered blood pressure less than the drug.',
      'Placebo lowered blood pressure more than the drug.',
    ],
    [
      'The sofa is cheaper than the armchair.',
      'The sofa costs less than the armchair.',
      'The armchair costs less than the sofa.',
    ],
  ],
  'a condition may open with "should"': [
    [
      "If the train is late, I'll take a taxi.",
      'Should the train be late, the user will take a taxi.',
      'Should the train be late, the user will not take a taxi.',
    ],
  ],
}

describe.each(Object.entries(NOTES))('%s', (_, notes) => {
  test.each(notes)('%s', (source, follows, against) => {
    expect.soft(verdict(source, follows), follows).toBe('faithful')
    expect.soft(verdict(source, against), against).not.toBe('faithful')
  })
})
