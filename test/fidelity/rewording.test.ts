import { describe, expect, test } from 'vitest'
import { checkFidelity } from '../../src/guarantees/fidelity/index.ts'

const verdict = (source: string, claim: string) => checkFidelity({ source, claim }).verdict

describe('a denial put in other words is the same denial', () => {
  test.each([
    [
      'The outage was traced to the lack of spare capacity for the northern warehouses.',
      'The outage was traced to insufficient spare capacity for the northern warehouses.',
    ],
    [
      'Despite the lack of cooling equipment the team kept the second hall running.',
      'Despite the shortage of cooling equipment the team kept the second hall running.',
    ],
    [
      'The clinic moved to the new wing in May, but the old records are not in the shared archive.',
      'The clinic moved to the new wing in May, but the old records are outside the shared archive.',
    ],
    [
      'The inspector called the two complaints nothing but noise during a busy week.',
      'The inspector called the two complaints only noise during a busy week.',
    ],
    [
      'The old ferry is rarely used in winter, although it is kept in good order.',
      'The old ferry is only occasionally used in winter, although it is kept in good order.',
    ],
  ])('%s / %s', (source, claim) => {
    expect(verdict(source, claim)).toBe('faithful')
  })

  test.each([
    [
      'The outage was traced to the lack of spare capacity for the northern warehouses.',
      'The outage was traced to ample spare capacity for the northern warehouses.',
    ],
    [
      'The old ferry is rarely used in winter, although it is kept in good order.',
      'The old ferry is always used in winter, although it is kept in good order.',
    ],
    [
      'The clinic moved to the new wing in May, but the old records are not in the shared archive.',
      'The clinic moved to the new wing in May, and the old records are in the shared archive.',
    ],
  ])('and without one it is none: %s / %s', (source, claim) => {
    expect(verdict(source, claim)).toBe('unfaithful')
  })
})

describe('what is said without a verb, or by understatement, is compared all the same', () => {
  test.each([
    ['Yes, not bad.', 'Yes, not good.'],
    ['Right, cheap.', 'Right, not cheap.'],
    ['It was a different room.', 'It was the same room.'],
    ['Their answers are not unlike.', 'Their answers are not the same.'],
  ])('%s ≠ %s', (source, claim) => {
    expect(verdict(source, claim)).toBe('unfaithful')
  })

  test.each([
    ['We have much time.', 'We have not little time.'],
    ['No, it is the same.', 'No, it is not unlike.'],
    ['I think that is a good plan.', 'I do not think that is a bad plan.'],
  ])('%s = %s', (source, claim) => {
    expect(verdict(source, claim)).toBe('faithful')
  })
})

test('two turns in one clause do not make up for each other', () => {
  const source =
    'The supplier reported a profit for the year, raised its outlook for the summer quarter and spoke of good demand in the north.'
  expect(
    verdict(
      source,
      'The supplier reported a profit for the year, lowered its outlook for the summer quarter and spoke of bad demand in the north.',
    ),
  ).toBe('unfaithful')
})
