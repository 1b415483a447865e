import { describe, expect, test } from 'vitest'
import { quantitiesOf } from '../../src/guarantees/fidelity/quantities/quantities.ts'
import { read } from '../../src/guarantees/fidelity/reading/clauses.ts'
import { effectOf } from '../../src/guarantees/fidelity/reading/operators.ts'
import { scopesOf } from '../../src/guarantees/fidelity/reading/scopes.ts'
import { areDerived, lemmaOf, relationOf } from '../../src/guarantees/fidelity/words/relations.ts'
import { tokenize } from '../../src/guarantees/fidelity/words/tokens.ts'

const norms = (text: string) => tokenize(text).map(({ norm }) => norm)

describe('tokens', () => {
  test.each([
    ["I can't, he won't, they don't", 'i can not , he will not , they do not'],
    ["Let's see: it's Ana's", "let us see : it is ana 's"],
    ['We no longer turn off the cache', 'we no_longer turn_off the cache'],
    ['a 45-minute call at 12.5k', 'a 45 - minute call at 12.5 k'],
    ['replica-2 runs v1.4.2 of foo.bar/baz', 'replica - 2 runs v1.4.2 of foo.bar/baz'],
  ])('%s', (text, expected) => {
    expect(norms(text).join(' ')).toBe(expected)
  })

  test('every token lies where it says, in order, without overlap', () => {
    const text = "“They can’t” — e.g. Dr. Wu's 3:30pm call… (won't move!) 👍🏽 $1,200.50"
    let end = 0
    for (const token of tokenize(text)) {
      expect(token.start).toBeGreaterThanOrEqual(end)
      expect(token.end).toBeGreaterThan(token.start)
      end = token.end
    }
    expect(end).toBeLessThanOrEqual(text.length)
  })
})

describe('quantities', () => {
  const values = (text: string) =>
    quantitiesOf(tokenize(text)).map(
      ({ kind, value, bound }) => `${kind} ${bound}${Math.round(value * 1000) / 1000}`,
    )

  test.each([
    ['$12,500', ['money =12500']],
    ['12.5k dollars', ['money =12500']],
    ['a 30 second backoff', ['duration =30']],
    ['three quarters of an hour', ['duration =2700']],
    ['half an hour', ['duration =1800']],
    ['2 GB', ['bytes =2147483648']],
    ['at most 40 mg', ['mass <=0.04']],
    ['must not exceed 40 mg', ['mass <=0.04']],
    ['fewer than 10% of requests', ['share <0.1']],
    ['two hundred and five', ['count =205']],
    ['twenty-five users', ['count =25']],
    ['twice', ['times =2']],
    ['3pm', ['clock =900']],
    ['2026-06-05', ['day =605']],
    ['5th of June', ['day =605']],
    ['from 30 to 45 seconds', ['duration =30', 'duration =45']],
    ['one of those things', []],
  ])('%s', (text, expected) => {
    expect(values(text)).toEqual(expected)
  })

  test('the whole of a part is told from the part', () => {
    expect(quantitiesOf(tokenize('two of the five nodes')).map(({ value, whole }) => [value, whole])).toEqual(
      [
        [2, false],
        [5, true],
      ],
    )
  })
})

describe('relations', () => {
  test.each([
    ['spaniel', 'dog', 'N', 'wider'],
    ['dog', 'spaniel', 'N', 'narrower'],
    ['guitar', 'violin', 'N', 'sister'],
    ['shy', 'confident', 'A', 'antonym'],
    ['encrypted', 'unencrypted', 'A', 'antonym'],
    ['careful', 'careless', 'A', 'antonym'],
    ['raise', 'lower', 'V', 'antonym'],
    ['buy', 'purchase', 'V', 'synonym'],
    ['table', 'gratitude', 'N', 'none'],
  ] as const)('%s, %s', (a, b, wordClass, expected) => {
    expect(relationOf(a, b, wordClass)).toBe(expected)
  })

  test.each([
    ['went', 'V', 'go'],
    ['children', 'N', 'child'],
    ['studies', 'V', 'study'],
    ['bigger', 'A', 'big'],
    ['stopped', 'V', 'stop'],
    ['qwxyz', 'N', undefined],
  ] as const)('%s is a form of its lemma', (form, wordClass, expected) => {
    expect(lemmaOf(form, wordClass)).toBe(expected)
  })

  test('derivation joins words of different classes', () => {
    expect(areDerived('migration', 'migrate')).toBe(true)
    expect(areDerived('decision', 'decide')).toBe(true)
    expect(areDerived('migration', 'mitigate')).toBe(false)
  })
})

/** Each word with ⁻ where it is denied, ↓ where only narrower words may replace it. */
function marks(text: string): string {
  const reading = read(text)
  const { signs, directions } = scopesOf(reading)
  return reading.words
    .flatMap(({ norm, tag }, i) =>
      tag === '.' ? [] : [`${norm}${signs[i] === -1 ? '⁻' : ''}${directions[i] === -1 ? '↓' : ''}`],
    )
    .join(' ')
}

describe('scopes', () => {
  test.each([
    ['The man does not own a dog.', 'the⁻ man⁻ does⁻ not⁻ own⁻↓ a⁻↓ dog⁻↓'],
    ['My children refuse to eat fish.', 'my children refuse to⁻↓ eat⁻↓ fish⁻↓'],
    ['Every node that failed restarts.', 'every node↓ that↓ failed↓ restarts'],
    ['Run it without the cache.', 'run it without the⁻↓ cache⁻↓'],
    ['A boy not wearing a hat is here.', 'a boy not⁻ wearing⁻↓ a⁻↓ hat⁻↓ is here'],
  ])('%s', (text, expected) => {
    expect(marks(text)).toBe(expected)
  })

  test('two denials cancel each other', () => {
    const reading = read("We can't not tell them.")
    expect(scopesOf(reading).stances.map(({ sign }) => sign)).toEqual([1])
  })

  test('"no need to" leaves open whether it is done', () => {
    const reading = read("There's no need to migrate the table.")
    expect(scopesOf(reading).stances.map(({ duty, sign }) => [duty, sign])).toContainEqual([
      'not required',
      0,
    ])
  })
})

describe('operators', () => {
  test.each([
    ['manage', 'affirms'],
    ['fail', 'denies'],
    ['regret', 'presupposes'],
    ['think', 'raises'],
    ['wonder', 'leaves open'],
    ['table', undefined],
  ])('%s', (verb, expected) => {
    expect(effectOf(verb)).toBe(expected)
  })
})

describe('clauses', () => {
  test('what hangs on what', () => {
    const { clauses, words } = read("If the vendor agrees, we'll sign the contract that Ana drafted.")
    expect(clauses.map(({ head, link, parent }) => [words[head]!.norm, link, parent])).toEqual([
      ['agrees', 'condition', 1],
      ['sign', 'main', -1],
      ['drafted', 'relative', 1],
    ])
  })

  test('a subject that has clauses of its own', () => {
    const { clauses, words } = read('The man, who is not very kind, owns a dog.')
    expect(clauses.map(({ head, link }) => [words[head]!.norm, link])).toEqual([
      ['kind', 'relative'],
      ['owns', 'main'],
    ])
  })
})
