/**
 * What a word is. `unicode61` cuts at everything that is not of these categories; combining marks are counted in,
 * because Devanagari, Thai, Hebrew or Arabic words would fall to pieces without them, and symbols, so that an emoji
 * can be found. Case and diacritics are folded. (What SQLite's Unicode tables do not know yet counts as `Co`.)
 */
export const TOKENIZER = `unicode61 remove_diacritics 2 categories 'L* M* N* Co So'`

/** Characters that are words of their own: those of scripts written without spaces, and symbols. Hangul has spaces. */
const ALONE =
  '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}\\u30fc\\uff70\\p{So}'

const ANY = new RegExp(`[${ALONE}]`, 'u')
const ONE = new RegExp(`(?!\\p{M})[${ALONE}]\\p{M}*`, 'gu')
const ONLY = new RegExp(`^[${ALONE}\\p{M}]+$`, 'u')

/** Says only how a symbol is drawn. */
const VARIATION = /\uFE0F/g

/**
 * The text with a separator around every character that is a word of its own: a run of them is found as a phrase,
 * wherever it stands in a longer run. All else keeps its place; other texts come back as they are.
 */
export const spaced = (text: string, separator: string): string =>
  ANY.test(text) ? text.replace(VARIATION, ' ').replace(ONE, `${separator}$&${separator}`) : text

/** Whether a token is such a character. */
export const isAlone = (token: string): boolean => ONLY.test(token)
