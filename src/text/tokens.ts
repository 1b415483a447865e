/**
 * What a word is. `unicode61` cuts at everything that is not a letter, a number or private use; combining marks are
 * counted in, because Devanagari, Thai, Hebrew or Arabic words would fall to pieces without them. Case and diacritics
 * are folded.
 */
export const TOKENIZER = `unicode61 remove_diacritics 2 categories 'L* M* N* Co'`

/** Characters of scripts written without spaces. Hangul is not among them: Korean has spaces. */
const UNSPACED =
  '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}\\u30fc\\uff70'

const ANY = new RegExp(`[${UNSPACED}]`, 'u')
const ONE = new RegExp(`(?!\\p{M})[${UNSPACED}]\\p{M}*`, 'gu')
const ONLY = new RegExp(`^[${UNSPACED}\\p{M}]+$`, 'u')

/**
 * The text with a separator around every character of a script written without spaces: each becomes a token of its
 * own, and a run of them is found as a phrase, wherever it stands in a longer run. Other texts come back as they are.
 */
export const spaced = (text: string, separator: string): string =>
  ANY.test(text) ? text.replace(ONE, `${separator}$&${separator}`) : text

/** Whether a token is such a character. */
export const isUnspaced = (token: string): boolean => ONLY.test(token)
