import { describe, expect, test } from 'vitest'
import { checkFidelity } from '../../src/guarantees/fidelity/index.ts'

const verdict = (source: string, claim: string) => checkFidelity({ source, claim }).verdict

describe('a number that the source does not have but comes to is no mismatch', () => {
  test.each([
    ['The gallery opens on 6 June, the shop a week later.', 'The shop opens on 13 June.'],
    ['Return the forms before Tuesday.', 'The forms can be returned until Monday.'],
    ['Lifts under five persons need no attendant.', 'A four-person lift needs no attendant.'],
    [
      'Pressure never rose above 40% in the trial.',
      'In the trial the pressure stayed at 40 percent or less.',
    ],
    ['An answer should take no longer than a working day.', 'An answer should take at most one working day.'],
    ['We have swimming lessons every Monday.', 'We have swimming lessons once a week.'],
    ['It is not rare for the job to take over an hour.', 'The job sometimes takes more than an hour.'],
    [
      'Only one of nine pumps in the old hall leaked.',
      'Eight of the pumps in the old hall stayed free of leaks.',
    ],
  ])('%s ⇒ %s', (source, claim) => {
    expect(verdict(source, claim)).toBe('faithful')
  })
})

describe('a number that the source measures otherwise is one', () => {
  test.each([
    ['The gallery opens on 6 June.', 'The gallery opens on 13 June.'],
    ['Take the drops twice a day with food.', 'Take the drops once a day with food.'],
    ['An answer should take no longer than a working day.', 'An answer should take at least a working day.'],
    ['Pressure never rose above 40% in the trial.', 'In the trial the pressure rose above 40%.'],
    ['The lease runs for five years.', 'The lease runs for three years.'],
  ])('%s ≠ %s', (source, claim) => {
    expect(verdict(source, claim)).toBe('unfaithful')
  })
})

describe('a denial in other words, or of something else, is no flip', () => {
  test.each([
    [
      'The ferry no longer returns a ticket stub; it returns a token.',
      'The ferry now returns a token rather than a ticket stub.',
    ],
    ['The fair is in Nantes this year; its days stay the same.', 'The days of the fair have not changed.'],
  ])('%s ⇒ %s', (source, claim) => {
    expect(verdict(source, claim)).toBe('faithful')
  })
})

test.each([
  ['Bake it for an hour and a quarter.', 'Bake it for 75 minutes.', 'Bake it for 65 minutes.'],
  [
    'The ride takes two hours and three quarters.',
    'The ride takes 165 minutes.',
    'The ride takes 150 minutes.',
  ],
  ['The train leaves at 7:45 in the evening.', 'The train leaves at 19:45.', 'The train leaves at 18:45.'],
])('quarters behind an hour and halves of the day are read: %s', (source, right, wrong) => {
  expect(checkFidelity({ source, claim: right }).verdict).toBe('faithful')
  expect(checkFidelity({ source, claim: wrong }).verdict).toBe('unfaithful')
})
