import { describe, expect, it } from 'vitest'
import { claimsOf, derivableKeys } from '../../src/core/claims.ts'

const A = '01KBADQ7XF8K2M4N6P8R0T2V4W'
const B = '01KBADQ7XF8K2M4N6P8R0T2V4X'

describe('the claims of a text are its sentences', () => {
  it.each([
    ['It is open. It is closed.', ['It is open.', 'It is closed.']],
    [`It is open. [[${A}]] It is closed [[${B}]].`, [`It is open. [[${A}]]`, `It is closed [[${B}]].`]],
    [
      `- It is open [[${A}]]\n- It is closed.\n\n1. Third.`,
      [`It is open [[${A}]]`, 'It is closed.', 'Third.'],
    ],
    [`Dr. Smith approves. [[${A}]]`, [`Dr. Smith approves. [[${A}]]`]],
    [
      'J. R. Smith signed, e.g. Anna did. No. We stay.',
      ['J. R. Smith signed, e.g. Anna did.', 'No.', 'We stay.'],
    ],
    ['It takes approx. 5 km. See Fig. 3. Done.', ['It takes approx. 5 km.', 'See Fig. 3.', 'Done.']],
    ['Plan B. Then we go.', ['Plan B.', 'Then we go.']],
    ['Paper, pens, etc. Anna pays.', ['Paper, pens, etc.', 'Anna pays.']],
    [
      'Das kostet ca. 5 Euro, z. B. Anna zahlt. Am 3. Mai ziehen wir um. Nr. 5 bleibt.',
      ['Das kostet ca. 5 Euro, z. B. Anna zahlt.', 'Am 3. Mai ziehen wir um.', 'Nr. 5 bleibt.'],
    ],
    ['We pay 3.5 euros. really? yes. Good!', ['We pay 3.5 euros. really?', 'yes.', 'Good!']],
    ['', []],
  ])('%j', (text, claims) => {
    expect(claimsOf(text)).toEqual(claims)
  })
})

describe('the keys of a claim', () => {
  const text = `It is open on Monday. [[${A}]] It is closed on Sunday. [[${B}]]`

  it('are those it prints, and no others', () => {
    expect(derivableKeys(`It is closed on Sunday. [[${A}]]`, text)).toEqual([A])
  })

  it('are else those of the sentence that says it', () => {
    expect(derivableKeys('It is closed on Sunday', text)).toEqual([B])
    expect(derivableKeys('It is open on Monday.  It is closed on Sunday.', text)).toEqual([A, B])
    expect(derivableKeys('It is open on Tuesday.', text)).toEqual([])
    expect(derivableKeys(` [[see ${A}]] `, text)).toEqual([])
  })
})
