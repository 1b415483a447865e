import { describe, expect, test } from 'vitest'
import { checkFidelity } from '../../src/guarantees/fidelity/index.ts'

const verdict = (source: string, claim: string) => checkFidelity({ source, claim }).verdict

describe('a turn of phrase is read as what it says', () => {
  test.each([
    [
      'Jo tried in vain to restore the backup.',
      'Jo failed to restore the backup.',
      'Jo managed to restore the backup.',
    ],
    [
      'Wendy is toying with the idea of moving to Linear.',
      'Wendy is considering a move to Linear.',
      'Wendy has decided to move to Linear.',
    ],
    ['We never got around to cleaning the filter.', 'The filter was not cleaned.', 'The filter was cleaned.'],
    ['Tom talked Mia out of selling the car.', 'Mia did not sell the car.', 'Mia sold the car.'],
    ['If only we had kept the receipts.', 'The receipts were not kept.', 'We kept the receipts.'],
    ['He should have told the landlord.', 'He did not tell the landlord.', 'He told the landlord.'],
    ['She stopped short of calling it fraud.', 'She did not call it fraud.', 'She called it fraud.'],
    ['We had no choice but to cancel the trip.', 'We had to cancel the trip.', 'We did not cancel the trip.'],
    [
      'The jury agreed to disagree about the budget.',
      'The jury disagreed about the budget.',
      'The jury agreed on the budget.',
    ],
    ['Nadia barely caught the train.', 'Nadia caught the train.', 'Nadia did not catch the train.'],
  ])('%s', (source, right, wrong) => {
    expect(verdict(source, right)).toBe('faithful')
    expect(verdict(source, wrong)).toBe('unfaithful')
  })

  test('what is only rumoured, or without evidence, is not so', () => {
    expect(verdict('Rumor has it that the office is closing.', 'The office is closing.')).toBe('unfaithful')
    expect(verdict('There is no evidence that the drug works.', 'The drug works.')).toBe('unfaithful')
  })
})

describe('what holds whether or not a condition is met', () => {
  test.each([
    [
      'If it rains on Saturday, the barbecue moves to the hall.',
      'The barbecue moves to the hall whatever the weather.',
    ],
    [
      'Seeds are fine for the hamster as long as they are unsalted.',
      'Salted or unsalted, seeds are fine for the hamster.',
    ],
    [
      'Children can use the wall only when a parent is holding the rope.',
      'Children can use the wall even when no parent is holding the rope.',
    ],
    [
      'Everyone on the boat has to wear a life jacket.',
      'Wearing a life jacket on the boat is up to each person.',
    ],
  ])('%s ↛ %s', (source, claim) => {
    expect(verdict(source, claim)).toBe('unfaithful')
  })
})

test('what was left without being done was not done', () => {
  expect(verdict('Lena left without paying the bill.', 'Lena paid the bill.')).toBe('unfaithful')
  expect(verdict('Lena left without paying the bill.', 'Lena did not pay the bill.')).toBe('faithful')
})
