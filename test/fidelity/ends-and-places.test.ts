import { describe, expect, test } from 'vitest'
import { checkFidelity } from '../../src/guarantees/fidelity/index.ts'

const verdict = (source: string, claim: string) => checkFidelity({ source, claim }).verdict

describe('a relation told from its other end has the same ends', () => {
  test.each([
    ['Norfield beat Easton in the cup.', 'The cup game was a win for Easton over Norfield.'],
    ['The mill supplies the bakery.', 'The mill gets its supplies from the bakery.'],
    ['The driver blamed the cyclist for the crash.', 'The cyclist blamed the driver for the crash.'],
    ['Tom is two years older than his sister.', 'His sister is older than Tom.'],
  ])('%s ↛ %s', (source, claim) => {
    expect(verdict(source, claim)).toBe('unfaithful')
  })

  test('and is faithful where they are', () => {
    expect(verdict('Norfield beat Easton in the cup.', 'Easton lost to Norfield in the cup.')).toBe(
      'faithful',
    )
    expect(verdict('Norfield beat Easton in the cup.', 'Norfield lost to Easton in the cup.')).toBe(
      'unfaithful',
    )
  })
})

describe('one of two places, settings or accounts is not the other', () => {
  test.each([
    ['The invoice was saved to the private folder.', 'The invoice was stored in the company folder.'],
    ['Store the paint while the heater is off.', 'The paint is stored while the heater is on.'],
    ['The scan found no cracks in the beam.', 'Cracks turned up in the beam.'],
  ])('%s ↛ %s', (source, claim) => {
    expect(verdict(source, claim)).toBe('unfaithful')
  })
})

test('what is denied to both is allowed to neither', () => {
  expect(verdict('Neither Ida nor Ken can swim.', "Ida can't swim, but Ken can.")).toBe('unfaithful')
  expect(verdict('Neither Ida nor Ken can swim.', "Ida can't swim, and Ken can't either.")).toBe('faithful')
})

test('what is forbidden is not fine', () => {
  expect(verdict("Don't park the van in the yard.", 'Parking the van in the yard is fine.')).toBe(
    'unfaithful',
  )
})
