import { MULTIWORD } from './phrases.ts'

export type TokenKind = 'word' | 'number' | 'code' | 'mark'

export interface Token {
  /** As written. */
  readonly text: string
  /** Lower case, one spelling per word: `n't` is `not`, `no longer` is one token `no_longer`. */
  readonly norm: string
  readonly start: number
  readonly end: number
  readonly kind: TokenKind
  /** Written with a capital where no sentence begins. */
  readonly proper: boolean
  /** First word of a sentence. */
  readonly first: boolean
}

const PIECE =
  /(?<code>https?:\/\/\S+[\w/]|v\d+(?:\.\d+)*\b|(?:[A-Za-z_]\w*[./\\@:_]+)+\w+|\d+(?!(?:k|m|mm|mn|bn|b|ms|s|secs?|mins?|h|hrs?|d|days?|w|wks?|weeks?|months?|hours?|minutes?|seconds?|years?|y|yrs?|x|[kmgt]i?b|kg|mg|g|cm|km|lbs?|in|ft|am|pm|st|nd|rd|th|pct)\b)[A-Za-z][A-Za-z\d]*\b|[A-Z]+-\d+|[A-Za-z]+\d[\w.]*|[A-Za-z]+_\w+)|(?<number>[$€£¥]?\d+(?:,\d{3})+(?:\.\d+)?|[$€£¥]?\d+(?:[.:/-]\d+)*(?:st|nd|rd|th)?|[$€£¥]?\.\d+)|(?<word>\p{L}[\p{L}\p{M}]*(?:['’.&-]\p{L}[\p{L}\p{M}]*)*['’]?)|(?<mark>\.\.\.|--|[^\s])/gu

/** How the parts of a contraction read. `'s` and `'d` are settled by what follows. */
const CONTRACTED: Readonly<Record<string, readonly string[]>> = {
  "can't": ['can', 'not'],
  "won't": ['will', 'not'],
  "shan't": ['shall', 'not'],
  "ain't": ['is', 'not'],
  cannot: ['can', 'not'],
  dont: ['do', 'not'],
  doesnt: ['does', 'not'],
  didnt: ['did', 'not'],
  isnt: ['is', 'not'],
  wasnt: ['was', 'not'],
  cant: ['can', 'not'],
  wont: ['will', 'not'],
  "let's": ['let', 'us'],
  gonna: ['going', 'to'],
  gotta: ['got', 'to'],
  wanna: ['want', 'to'],
  "y'all": ['you', 'all'],
}

const ENDINGS: readonly (readonly [RegExp, string])[] = [
  [/n't$/, 'not'],
  [/'re$/, 'are'],
  [/'ve$/, 'have'],
  [/'ll$/, 'will'],
  [/'m$/, 'am'],
  [/'d$/, 'would'],
]

const SUBJECTS = new Set(
  'i you he she it we they that there this what who where how when here everything nothing everyone nobody somebody someone everybody one'.split(
    ' ',
  ),
)
const ABBREVIATIONS = new Set([
  'mr',
  'mrs',
  'ms',
  'dr',
  'st',
  'vs',
  'e.g',
  'i.e',
  'etc',
  'approx',
  'no',
  'inc',
  'jr',
  'sr',
])
const NUMBER_WORDS =
  /^(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|half|multi|single|double)$/

/** Cuts a text into words, numbers, names of things, and marks, each with its place. */
export function tokenize(text: string): readonly Token[] {
  const tokens: Token[] = []
  let opens = true
  const push = (kind: TokenKind, norm: string, start: number, end: number): void => {
    const written = text.slice(start, end)
    const capital = kind !== 'mark' && /^\p{Lu}/u.test(written)
    const inner = /\p{Ll}\p{Lu}|^\p{Lu}{2}/u.test(written)
    tokens.push({ text: written, norm, start, end, kind, proper: capital && (!opens || inner), first: opens })
    if (kind !== 'mark') opens = false
    else if (/[.!?\n;:•]/.test(written)) opens = true
  }
  for (const match of text.matchAll(PIECE)) {
    const start = match.index
    const whole = match[0]
    const groups = match.groups!
    if (groups.word !== undefined) pushWord(whole, start, push)
    else if (groups.number !== undefined) push('number', whole.toLowerCase(), start, start + whole.length)
    else if (groups.code !== undefined) {
      // A sentence's last word with its full stop is no name of a thing.
      const trimmed = whole.replace(/[.:]+$/, '')
      push('code', trimmed.toLowerCase(), start, start + trimmed.length)
      if (trimmed !== whole) push('mark', '.', start + trimmed.length, start + trimmed.length + 1)
    } else if (!(whole === '.' && ABBREVIATIONS.has(tokens.at(-1)?.norm ?? '')))
      push('mark', whole === '…' ? '...' : whole, start, start + whole.length)
  }
  return joinPhrases(settleAnswers(settleContractions(tokens)))
}

type Push = (kind: TokenKind, norm: string, start: number, end: number) => void

function pushWord(written: string, start: number, push: Push): void {
  const word = written.toLowerCase().replaceAll('’', "'")
  const fixed = Object.hasOwn(CONTRACTED, word) ? CONTRACTED[word] : undefined
  if (fixed) {
    const [first, second] = fixed as [string, string]
    const cut =
      start +
      (word.endsWith('not')
        ? 3
        : word.includes("'")
          ? word.indexOf("'") - (word.endsWith("n't") ? 1 : 0)
          : first.length)
    const middle = Math.max(start + 1, Math.min(cut, start + written.length - 1))
    push('word', first, start, middle)
    push('word', second, middle, start + written.length)
    return
  }
  for (const [ending, norm] of ENDINGS) {
    const found = word.search(ending)
    if (found <= 0) continue
    push('word', word.slice(0, found), start, start + found)
    push('word', norm, start + found, start + written.length)
    return
  }
  if (/'s?$/.test(word)) {
    const found = word.lastIndexOf("'")
    push('word', word.slice(0, found), start, start + found)
    push('word', "'s", start + found, start + written.length)
    return
  }
  const dash = word.indexOf('-')
  if (
    dash > 0 &&
    (NUMBER_WORDS.test(word.slice(0, dash)) ||
      /-(?:old|based|only|free|day|week|month|year|minute|hour)$/.test(word))
  ) {
    pushWord(written.slice(0, dash), start, push)
    pushWord(written.slice(dash + 1), start + dash + 1, push)
    return
  }
  push('word', word.replace(/\.$/, ''), start, start + written.length)
}

/** `'s` after a pronoun, or before a participle, an article or `not`, is a verb; else it marks an owner. */
function settleContractions(tokens: readonly Token[]): readonly Token[] {
  return tokens.map((token, i) => {
    if (token.norm !== "'s") return token
    const before = tokens[i - 1]?.norm ?? ''
    const after = tokens[i + 1]?.norm ?? ''
    if (before === 'let') return { ...token, norm: 'us' }
    const verb = SUBJECTS.has(before) || /^(?:not|a|an|the|been|no|going|[a-z]+ing)$/.test(after)
    if (!verb) return token
    return { ...token, norm: after === 'been' || after === 'got' ? 'has' : 'is' }
  })
}

/** "No, the server stays": an answer speaks of what was asked, and denies nothing in its own sentence. */
function settleAnswers(tokens: readonly Token[]): readonly Token[] {
  const answers = ({ norm, first }: Token, i: number) =>
    first &&
    /^(?:no|nope|nah|yes|yeah|yep|yup)$/.test(norm) &&
    /^(?:,|-|--|–|—)$/.test(tokens[i + 1]?.norm ?? '')
  if (!tokens.some(answers)) return tokens
  return tokens.map((token, i) => (answers(token, i) ? { ...token, kind: 'mark' as const } : token))
}

/** Joins phrases that act as one word. */
function joinPhrases(tokens: readonly Token[]): readonly Token[] {
  const joined: Token[] = []
  for (let i = 0; i < tokens.length; ) {
    const longest = MULTIWORD.get(tokens[i]!.norm)
    const phrase = longest?.find((words) => words.every((word, k) => tokens[i + k]?.norm === word))
    if (phrase === undefined) {
      joined.push(tokens[i++]!)
      continue
    }
    const first = tokens[i]!
    const last = tokens[i + phrase.length - 1]!
    joined.push({
      ...first,
      text: `${first.text} ${last.text}`,
      norm: phrase.join('_'),
      end: last.end,
      kind: 'word',
      proper: false,
    })
    i += phrase.length
  }
  return joined
}
