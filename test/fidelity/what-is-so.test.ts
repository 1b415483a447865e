import { describe, expect, test } from 'vitest'
import { checkFidelity } from '../../src/guarantees/fidelity/index.ts'

const verdict = (source: string, claim: string) => checkFidelity({ source, claim }).verdict

/** A note, what follows from it, what does not. */
const NOTES: Readonly<Record<string, readonly (readonly [string, string, string])[]>> = {
  'the second choice is not what is so': [
    [
      "Use oat milk instead of cow's milk for Ben's porridge.",
      "Ben's porridge should be made with oat milk.",
      "Ben's porridge is to be made with cow's milk.",
    ],
    [
      "It wasn't the router that failed but the switch in the basement.",
      'The switch in the basement was the thing that failed.',
      'The router broke down.',
    ],
    [
      'Not Claire but her deputy will chair the hearing.',
      "Claire's deputy will be chairing the hearing.",
      'Claire will chair the hearing.',
    ],
    [
      'Invoice the holding company, not the subsidiary.',
      'The invoice goes to the holding company.',
      'The subsidiary should get the invoice.',
    ],
  ],
  'what one is done with does not go on': [
    [
      'The patient stopped taking metformin in August and has not resumed.',
      'The patient no longer takes metformin.',
      'The patient is currently on metformin.',
    ],
    [
      'Joss is off dairy for the time being.',
      "Joss isn't having any dairy at the moment.",
      'Joss eats dairy.',
    ],
    [
      'Hugo backed out of the ski trip on Tuesday.',
      'Hugo is no longer joining the skiing holiday.',
      'Hugo is still coming on the ski trip.',
    ],
  ],
  'what is said, doubted or given up was not done': [
    [
      'Sam says the invoice was paid last week, but the bank shows nothing.',
      'Sam claims to have paid the invoice.',
      'The invoice was paid last week.',
    ],
    [
      'Nadia meant to email the accountant on Friday but it slipped her mind.',
      'Nadia did not get around to writing to the accountant.',
      'Nadia emailed the accountant on Friday.',
    ],
    [
      'I meant to water the plants but forgot.',
      'The plants did not get watered.',
      'The plants were watered.',
    ],
    [
      "Tunde said he'd look at the flapping health check but he's out sick.",
      'Tunde is ill.',
      'Tunde fixed the flapping health check.',
    ],
    [
      "Don't bother ironing the sheets.",
      "There's no need to iron the sheets.",
      'The sheets have to be ironed.',
    ],
  ],
  'who does it, and whose it is': [
    [
      "Mia's approval of Tom's plan came in this morning.",
      "Tom's plan has been approved by Mia.",
      "Tom approved Mia's plan this morning.",
    ],
    [
      "Noor's criticism of the architect was harsh.",
      'Noor was hard on the architect.',
      'The architect harshly criticised Noor.',
    ],
    [
      "Gemma's dog bit the postman.",
      "The postman was bitten by Gemma's dog.",
      "The postman's dog bit Gemma.",
    ],
    [
      'Kofi signed on behalf of the trustees.',
      'Kofi signed for the trustees.',
      'The trustees signed on behalf of Kofi.',
    ],
    [
      'Olga inherited the cottage from her uncle.',
      "Olga's uncle left her the cottage.",
      'Olga left the cottage to her uncle.',
    ],
    [
      'Anna is taller than her brother Luis.',
      'Luis is shorter than his sister.',
      'Luis is taller than his sister Anna.',
    ],
  ],
  'of two stretches side by side each has its own': [
    [
      'The blue folder has the will and the green one the tax returns.',
      'The blue folder contains the will.',
      'The will is in the green folder.',
    ],
    [
      'Tomas forgot to send the March invoice, but he did remember to chase the February one.',
      'Tomas chased the February invoice.',
      'Tomas forgot to chase the February invoice.',
    ],
  ],
  'with it or without it': [
    [
      "Tenants may leave with one month's notice.",
      "A month's notice is needed to move out.",
      'Tenants can move out without notice.',
    ],
    [
      'The power was cut without any warning.',
      'Nobody was told beforehand that the power would be cut.',
      'People were warned before the power was cut.',
    ],
  ],
}

describe.each(Object.entries(NOTES))('%s', (_, notes) => {
  test.each(notes)('%s → %s ↛ %s', (note, follows, doesNot) => {
    expect([verdict(note, follows), verdict(note, doesNot)]).toEqual(['faithful', 'unfaithful'])
  })
})
