import { describe, expect, test } from 'vitest'
import { checkFidelity } from '../../src/guarantees/fidelity/index.ts'

const verdict = (source: string, claim: string) => checkFidelity({ source, claim }).verdict

/** What is said of the wider is said of the narrower: deny fruit, and pears are denied. */
const DOWNWARD: readonly (readonly [frame: string, wider: string, narrower: string])[] = [
  ['No # barked.', 'dog', 'black dog'],
  ['Nobody who owns # came.', 'a dog', 'a big dog'],
  ['Everyone who # was fined.', 'parked here', 'parked here yesterday'],
  ['Anyone who # will be fined.', 'parks here', 'parks here overnight'],
  ['Those who # were punished.', 'lied', 'lied twice'],
  ['Any # can join.', 'student', 'foreign student'],
  ['At most three customers bought #.', 'shoes', 'red shoes'],
  ['Fewer than five guests drank #.', 'wine', 'white wine'],
  ['He left without #.', 'money', 'foreign money'],
  ['She never travels without #.', 'a red hat', 'a hat'],
  ['Whenever #, he laughs.', 'I sing', 'I sing loudly'],
  ['If #, we will stay home.', 'it rains', 'it rains heavily'],
  ['He is too tired to #.', 'walk', 'walk home'],
  ['It is hard to find #.', 'a house', 'a cheap house'],
  ['She is against #.', 'hunting', 'fox hunting'],
  ['I doubt that he owns #.', 'a car', 'a fast car'],
  ['Nobody ate #.', 'fruit', 'pears'],
]

/** And the reverse: who owns a puppy owns a dog. */
const UPWARD: readonly (readonly [frame: string, wider: string, narrower: string])[] = [
  ['Some # barked.', 'dog', 'black dog'],
  ['Every student saw #.', 'birds', 'small birds'],
  ['At least three customers bought #.', 'shoes', 'red shoes'],
  ['Not every # likes cake.', 'child', 'small child'],
  ['He forgot that he had #.', 'a car', 'a fast car'],
  ['He left town #.', 'early', 'early with no luggage'],
  ['He left town #.', 'early', 'early without saying goodbye'],
  ['She has #.', 'a dog', 'a puppy'],
]

const filled = (frame: string, words: string) => frame.replace('#', words)

describe('where less is said of more, more is said of less', () => {
  test.each(DOWNWARD)('%s %s → %s', (frame, wider, narrower) => {
    expect(verdict(filled(frame, wider), filled(frame, narrower))).toBe('faithful')
    expect(verdict(filled(frame, narrower), filled(frame, wider))).toBe('unfaithful')
  })

  test.each(UPWARD)('%s %s ← %s', (frame, wider, narrower) => {
    expect(verdict(filled(frame, narrower), filled(frame, wider))).toBe('faithful')
    expect(verdict(filled(frame, wider), filled(frame, narrower))).toBe('unfaithful')
  })
})
