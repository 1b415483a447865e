import { describe, expect, test } from 'vitest'
import { checkFidelity } from '../../src/guarantees/fidelity/index.ts'

const verdict = (source: string, claim: string) => checkFidelity({ source, claim }).verdict

describe('a particle behind its object belongs to its verb', () => {
  test.each([
    ['Maria turned the heating off.', 'Maria turned on the heating.'],
    ['He switched it off at night.', 'He switched it on at night.'],
    ['She took her coat off before the meeting.', 'She put her coat on before the meeting.'],
    ['Ravi turned the job down.', 'Ravi accepted the job.'],
    ['I never throw away old laptops.', 'The user throws old laptops away.'],
  ])('%s ↛ %s', (source, claim) => {
    expect(verdict(source, claim)).toBe('unfaithful')
  })

  test.each([
    ['Maria turned the heating off.', 'The heating was switched off by Maria.'],
    ['Ravi turned the job down.', 'Ravi declined the job.'],
    ['The landlord paid the deposit back.', 'The landlord returned the deposit.'],
  ])('%s → %s', (source, claim) => {
    expect(verdict(source, claim)).toBe('faithful')
  })

  test('a preposition behind an object stays one', () => {
    expect(verdict('She runs the team on weekends.', 'The team is run by her on weekends.')).toBe('faithful')
    expect(verdict('Put the keys on the table.', 'The keys should be put on the table.')).toBe('faithful')
  })
})

describe('things of daily life of which a place holds one', () => {
  test.each([
    ['I booked the aisle seat.', 'The user booked a window seat.'],
    ['He ordered a latte.', 'He ordered a cappuccino.'],
    ['The bus was packed.', 'The bus was empty.'],
    ['The shop is shut on Mondays.', 'On Mondays the shop is open.'],
  ])('%s ↛ %s', (source, claim) => {
    expect(verdict(source, claim)).toBe('unfaithful')
  })
})
