import { describe, expect, test } from 'vitest'
import { checkFidelity } from '../../src/guarantees/fidelity/index.ts'

const verdict = (source: string, claim: string) => checkFidelity({ source, claim }).verdict

describe('counting the members of the source', () => {
  const servers =
    'There are eight servers. Five blue servers, a red server and a green server run in the old rack.'
  test.each([
    ['At least six servers run.', 'faithful'],
    ['At least eight servers run.', 'unfaithful'],
    ['More than half of the servers run.', 'faithful'],
    ['Less than half of the servers run.', 'unfaithful'],
    ['Between six and eight servers run.', 'faithful'],
    ['Most servers run.', 'faithful'],
    ['Between one and two red servers run.', 'faithful'],
    ['Two red servers run.', 'unfaithful'],
    ['All servers run.', 'unfaithful'],
  ])('eight servers of which seven run: "%s" is %s', (claim, expected) => {
    expect(verdict(servers, claim)).toBe(expected)
  })

  const tents =
    'There are nine guests standing near a tall fence. Two thirds wear blue hats and one third wear grey.'
  test.each([
    ['Six guests wear blue hats.', 'faithful'],
    ['More than half of the guests wear grey hats.', 'unfaithful'],
    ['All of the guests wear hats.', 'faithful'],
    ['Most guests do not wear pink hats.', 'faithful'],
    ['Between 7 and 8 guests wear blue hats.', 'unfaithful'],
  ])('shares of nine guests: "%s" is %s', (claim, expected) => {
    expect(verdict(tents, claim)).toBe(expected)
  })

  test('members named one by one are counted together', () => {
    const source = 'Three women in white stand at a desk while another woman in black stands behind it.'
    expect(verdict(source, 'Most women wear white.')).toBe('faithful')
    expect(verdict(source, 'Most women wear black.')).toBe('unfaithful')
    expect(verdict(source, 'Some women do not wear white.')).toBe('faithful')
  })

  test('a number told with its share gives the whole, and so the rest', () => {
    const source = 'There are 30 million people in Peru living in big cities, or 75% of the population.'
    expect(verdict(source, 'More than 1/5 of the people in Peru do not live in big cities.')).toBe('faithful')
    expect(verdict(source, 'At least 12 million people in Peru do not live in big cities.')).toBe(
      'unfaithful',
    )
  })

  test('of a whole of which some are down, the rest is up', () => {
    expect(verdict('Three of the seven nodes are down.', 'Four of the seven nodes are up.')).toBe('faithful')
    expect(verdict('Three of the seven nodes are down.', 'Five of the seven nodes are up.')).toBe(
      'unfaithful',
    )
  })

  test('of a whole of which some are not up, the rest is', () => {
    expect(verdict('Three of the five nodes are not up.', 'Two nodes are up.')).toBe('faithful')
    expect(verdict('Three of the five nodes are not up.', 'Three nodes are up.')).toBe('unfaithful')
    expect(verdict('Three of the five nodes are not up.', 'Most nodes are up.')).toBe('unfaithful')
  })

  test('what the whole is called is no part of it', () => {
    const source = 'Two of the four garden chairs are broken.'
    expect(verdict(source, 'Half of the garden chairs are broken.')).toBe('faithful')
    expect(verdict(source, 'Two of the garden chairs are not broken.')).toBe('faithful')
    expect(verdict(source, 'All of the garden chairs are broken.')).toBe('unfaithful')
    expect(verdict(source, 'Most of the garden chairs are broken.')).toBe('unfaithful')
  })
})
