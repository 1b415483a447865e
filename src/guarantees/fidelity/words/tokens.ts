import { anyOf } from './cues.ts'
import { withoutIdioms } from './idioms.ts'
import { particlesOf, phrasesFrom } from './phrases.ts'
import { settleSettings } from './settings.ts'

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

/** Pieces of a text by kind: code, number, word, mark. */
const piece = (letter: string, mark: string, flags: string) =>
  new RegExp(
    String.raw`(https?:\/\/\S+[\w/]|v\d+(?:\.\d+)*\b|(?:[A-Za-z_]\w*[./\\@:_]+)+\w+|\d+(?!(?:k|m|mm|mn|bn|b|ms|s|secs?|mins?|h|hrs?|d|days?|w|wks?|weeks?|months?|hours?|minutes?|seconds?|years?|y|yrs?|x|[kmgt]i?b|kg|mg|g|cm|km|lbs?|in|ft|am|pm|st|nd|rd|th|pct)\b)[A-Za-z][A-Za-z\d]*\b|[A-Z]+-\d+|[A-Za-z]+\d[\w.]*|[A-Za-z]+_\w+)|([$€£¥]?\d+(?:,\d{3})+(?:\.\d+)?|[$€£¥]?\d+(?:[.:/-]\d+)*(?:st|nd|rd|th)?|[$€£¥]?\.\d+)|(${letter}${mark}*(?:['’.&-]${letter}${mark}*)*['’]?)|(\.\.\.|--|[^\s])`,
    flags,
  )
/** Compiling the classes of Unicode takes a thousand times as long as reading a sentence: only texts that have such letters need them. */
let plainPiece: RegExp | undefined
let anyPiece: RegExp | undefined

/** Marks beyond ASCII that are no letters, and common. */
const PLAIN = '’‘“”–—…€£¥•·°\u00a0'

function isPlain(text: string): boolean {
  for (let i = 0; i < text.length; i++)
    if (text.charCodeAt(i) > 127 && !PLAIN.includes(text[i]!)) return false
  return true
}

/** How the parts of a contraction read. `'s` and `'d` are settled by what follows. */
const CONTRACTED: ReadonlyMap<string, readonly [string, string]> = new Map(
  Object.entries({
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
  }),
)

const ENDINGS: readonly (readonly [string, string])[] = [
  ["n't", 'not'],
  ["'re", 'are'],
  ["'ve", 'have'],
  ["'ll", 'will'],
  ["'m", 'am'],
  ["'d", 'would'],
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
const NUMBER_WORDS = anyOf(
  'one two three four five six seven eight nine ten eleven twelve fifteen twenty thirty forty fifty sixty seventy eighty ninety hundred half multi single double',
)

/** Another token at the same place. Spelled out, as every token is: the engine then knows but one shape of tokens. */
const replaced = (token: Token, norm: string, kind = token.kind, end = token.end): Token => ({
  text: token.text,
  norm,
  start: token.start,
  end,
  kind,
  proper: token.proper,
  first: token.first,
})

/** Cuts a text into words, numbers, names of things, and marks, each with its place. */
export function tokenize(text: string): readonly Token[] {
  const tokens: Token[] = []
  let opens = true
  const push = (kind: TokenKind, norm: string, start: number, end: number): void => {
    const written = text.slice(start, end)
    tokens.push({
      text: written,
      norm,
      start,
      end,
      kind,
      proper: kind !== 'mark' && isProper(written, opens),
      first: opens,
    })
    if (kind !== 'mark') opens = false
    else if (OPENERS.includes(written[0]!)) opens = true
  }
  let pattern: RegExp | undefined
  for (let at = 0; at < text.length; ) {
    const end = plainWordAt(text, at)
    if (end > at) {
      pushWord(text.slice(at, end), at, push)
      at = end
      continue
    }
    if (isSpace(text.charCodeAt(at))) {
      at++
      continue
    }
    pattern ??= patternFor(text)
    pattern.lastIndex = at
    const match = pattern.exec(text)
    if (match === null) break
    const whole = match[0]
    at = match.index + whole.length
    const start = match.index
    if (match[3] !== undefined) pushWord(whole, start, push)
    else if (match[2] !== undefined) push('number', whole.toLowerCase(), start, at)
    else if (match[1] !== undefined) {
      // A sentence's last word with its full stop is no name of a thing.
      const trimmed = whole.replace(/[.:]+$/, '')
      push('code', trimmed.toLowerCase(), start, start + trimmed.length)
      if (trimmed !== whole) push('mark', '.', start + trimmed.length, start + trimmed.length + 1)
    } else if (!(whole === '.' && ABBREVIATIONS.has(tokens.at(-1)?.norm ?? '')))
      push('mark', whole === '…' ? '...' : whole, start, at)
  }
  return joinApart(
    joinPhrases(
      withoutIdioms(
        settleNarrowly(
          settleCausatives(settleAnswers(settleContractions(settlePercents(settleSettings(tokens))))),
        ),
      ),
    ),
  )
}

/** Marks after which a sentence begins. */
const OPENERS = '.!?;:•'

function patternFor(text: string): RegExp {
  if (isPlain(text)) {
    plainPiece ??= piece('[A-Za-z]', '[A-Za-z]', 'g')
    return plainPiece
  }
  anyPiece ??= piece(String.raw`\p{L}`, String.raw`[\p{L}\p{M}]`, 'gu')
  return anyPiece
}

const isSpace = (code: number) => code === 32 || (code >= 9 && code <= 13)
const isLetter = (code: number) => (code >= 97 && code <= 122) || (code >= 65 && code <= 90)
const isCapital = (code: number) => code >= 65 && code <= 90

/** Where a word of letters alone ends that begins here and has nothing behind it that could belong to it; else `at`. */
function plainWordAt(text: string, at: number): number {
  let end = at
  while (isLetter(text.charCodeAt(end))) end++
  if (end === at || end === text.length) return end
  const next = text.charCodeAt(end)
  if (isSpace(next)) return end
  // , ! ? ; ) " never belong to a word; . and : do where letters follow.
  if (next === 44 || next === 33 || next === 63 || next === 59 || next === 41 || next === 34) return end
  if ((next === 46 || next === 58) && (end + 1 === text.length || isSpace(text.charCodeAt(end + 1))))
    return end
  return at
}

/** Written as a name: with a capital inside, two at the start, or one where no sentence begins. */
function isProper(written: string, opens: boolean): boolean {
  const first = written.charCodeAt(0)
  for (let i = 0; i < written.length; i++)
    if (written.charCodeAt(i) > 127)
      return /^\p{Lu}/u.test(written) && (!opens || /\p{Ll}\p{Lu}|^\p{Lu}{2}/u.test(written))
  if (!isCapital(first)) return false
  if (!opens || isCapital(written.charCodeAt(1))) return true
  for (let i = 2; i < written.length; i++) {
    const before = written.charCodeAt(i - 1)
    if (isCapital(written.charCodeAt(i)) && before >= 97 && before <= 122) return true
  }
  return false
}

type Push = (kind: TokenKind, norm: string, start: number, end: number) => void

function pushWord(written: string, start: number, push: Push): void {
  const lower = written.toLowerCase()
  const word = lower.includes('’') ? lower.replaceAll('’', "'") : lower
  const fixed = CONTRACTED.get(word)
  if (fixed !== undefined) {
    const [first, second] = fixed
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
  if (word.includes("'")) {
    for (const [ending, norm] of ENDINGS) {
      const found = word.length - ending.length
      if (found <= 0 || !word.endsWith(ending)) continue
      push('word', word.slice(0, found), start, start + found)
      push('word', norm, start + found, start + written.length)
      return
    }
    if (word.endsWith("'") || word.endsWith("'s")) {
      const found = word.lastIndexOf("'")
      push('word', word.slice(0, found), start, start + found)
      push('word', "'s", start + found, start + written.length)
      return
    }
  }
  const dash = word.indexOf('-')
  if (
    dash > 0 &&
    (NUMBER_WORDS.has(word.slice(0, dash)) ||
      /-(?:old|based|only|free|day|week|month|year|minute|hour)$/.test(word))
  ) {
    pushWord(written.slice(0, dash), start, push)
    pushWord(written.slice(dash + 1), start + dash + 1, push)
    return
  }
  push('word', word.endsWith('.') ? word.slice(0, -1) : word, start, start + written.length)
}

/** `'s` after a pronoun, or before a participle, an article or `not`, is a verb; else it marks an owner. */
function settleContractions(tokens: readonly Token[]): readonly Token[] {
  if (!tokens.some(({ norm }) => norm === "'s")) return tokens
  return tokens.map((token, i) => {
    if (token.norm !== "'s") return token
    const before = tokens[i - 1]?.norm ?? ''
    const after = tokens[i + 1]?.norm ?? ''
    if (before === 'let') return replaced(token, 'us')
    const verb = SUBJECTS.has(before) || /^(?:not|a|an|the|been|no|going|[a-z]+ing)$/.test(after)
    if (!verb) return token
    return replaced(token, after === 'been' || after === 'got' ? 'has' : 'is')
  })
}

const ANSWERS = new Set(['no', 'nope', 'nah', 'yes', 'yeah', 'yep', 'yup'])

/** "No, the server stays": an answer speaks of what was asked, and denies nothing in its own sentence. */
function settleAnswers(tokens: readonly Token[]): readonly Token[] {
  const answers = ({ norm, first }: Token, i: number) =>
    (first || (/^(?:and|but|:)$/.test(tokens[i - 1]?.norm ?? '') && /^(?:yes|no)$/.test(norm))) &&
    ANSWERS.has(norm) &&
    /^(?:,|-|--|–|—)$/.test(tokens[i + 1]?.norm ?? '')
  if (!tokens.some(answers)) return tokens
  return tokens.map((token, i) => (answers(token, i) ? replaced(token, token.norm, 'mark') : token))
}

const OBJECT = /^(?:the|a|an|my|your|his|her|its|our|their|this|that|it|him|them|me|us|you)$/

/** "Have Benno call the plumber", "Get Anna to email them": Benno must call, Anna must. */
function settleCausatives(tokens: readonly Token[]): readonly Token[] {
  const causes = ({ norm, first }: Token, i: number): number => {
    if (!first || !/^(?:have|get|let)$/.test(norm)) return 0
    const [who, next, then] = [tokens[i + 1], tokens[i + 2], tokens[i + 3]]
    if (who?.proper !== true || next?.kind !== 'word' || then === undefined) return 0
    if (norm === 'get') return next.norm === 'to' ? 2 : 0
    return !next.proper &&
      /^[a-z]+$/.test(next.text) &&
      !/(?:ed|ing|s)$/.test(next.norm) &&
      (OBJECT.test(then.norm) || then.proper)
      ? 1
      : 0
  }
  if (!tokens.some((token, i) => causes(token, i) > 0)) return tokens
  return tokens.flatMap((token, i) => {
    if (causes(token, i) > 0) return []
    const before = i > 0 ? causes(tokens[i - 1]!, i - 1) : 0
    if (before > 0) return [token, replaced(token, 'must')]
    return i > 1 && causes(tokens[i - 2]!, i - 2) === 2 ? [] : [token]
  })
}

const ACHIEVED =
  /^(?:miss|caught|catch|made|make|makes|won|win|wins|pass|survive|escape|avoid|fit|fits|qualif|beat|clear|reach|arriv|afford|surviv)(?:e|ed|es|s|ied|y|ies)?$/

/** "barely caught the train": it was caught. "If only we had": we wish we had. */
function settleNarrowly(tokens: readonly Token[]): readonly Token[] {
  const narrowly = ({ norm }: Token, i: number) =>
    norm === 'barely' && ACHIEVED.test(tokens[i + 1]?.norm ?? '')
  const wished = ({ norm, first }: Token, i: number) =>
    norm === 'if' && first && tokens[i + 1]?.norm === 'only' && SUBJECTS.has(tokens[i + 2]?.norm ?? '')
  // "Should you need more, ask": if you do. A question ends in its mark.
  const supposed = ({ norm, first }: Token, i: number) =>
    norm === 'should' &&
    first &&
    !/^(?:not|[,?.!])$/.test(tokens[i + 1]?.norm ?? '.') &&
    /^[,]$/.test(tokens.slice(i).find((other) => /^[,.?!;]$/.test(other.norm))?.norm ?? '') &&
    tokens.slice(i).find((other) => /^[.?!;]$/.test(other.norm))?.norm !== '?'
  if (!tokens.some((token, i) => narrowly(token, i) || wished(token, i) || supposed(token, i))) return tokens
  return tokens.flatMap((token, i) => {
    if (narrowly(token, i)) return []
    if (supposed(token, i)) return [replaced(token, 'if')]
    if (wished(token, i)) return [replaced(token, 'i')]
    return [i > 0 && wished(tokens[i - 1]!, i - 1) ? replaced(token, 'wish') : token]
  })
}

/** "70 percent" and "70 per cent" read as "70%" does. */
function settlePercents(tokens: readonly Token[]): readonly Token[] {
  const counted = (i: number) =>
    tokens[i - 1]?.kind === 'number' || NUMBER_WORDS.has(tokens[i - 1]?.norm ?? '')
  const parted = (i: number) =>
    i >= 0 && tokens[i]?.norm === 'per' && tokens[i + 1]?.norm === 'cent' && counted(i)
  const isSign = ({ norm }: Token, i: number) =>
    ((norm === 'percent' || norm === 'pct') && counted(i)) || parted(i)
  if (!tokens.some(isSign)) return tokens
  return tokens.flatMap((token, i) => {
    if (parted(i - 1)) return []
    if (!isSign(token, i)) return [token]
    const { end } = parted(i) ? tokens[i + 1]! : token
    return [replaced(token, '%', 'mark', end)]
  })
}

/** The longest phrase that begins here. */
function phraseAt(tokens: readonly Token[], at: number): readonly string[] | undefined {
  for (const words of phrasesFrom(tokens[at]!.norm)) {
    let k = 1
    while (k < words.length && tokens[at + k]?.norm === words[k]) k++
    if (k === words.length && !(words[0] === 'as' && isMeasuring(tokens, at))) return words
  }
  return undefined
}

/** "is as long as the first" */
const isMeasuring = (tokens: readonly Token[], at: number) =>
  tokens[at + 2]?.norm === 'as' &&
  /^(?:is|are|was|were|not|be|been|nearly|almost|twice|half)$/.test(tokens[at - 1]?.norm ?? '')

/** Joins phrases that act as one word. */
function joinPhrases(tokens: readonly Token[]): readonly Token[] {
  const joined: Token[] = []
  for (let i = 0; i < tokens.length; ) {
    const phrase = i + 1 < tokens.length ? phraseAt(tokens, i) : undefined
    if (phrase === undefined) {
      joined.push(tokens[i++]!)
      continue
    }
    const first = tokens[i]!
    const last = tokens[i + phrase.length - 1]!
    joined.push({
      text: `${first.text} ${last.text}`,
      norm: phrase.join('_'),
      start: first.start,
      end: last.end,
      kind: 'word',
      proper: false,
      first: first.first,
    })
    i += phrase.length
  }
  return joined
}

/** Words that no object of a verb goes over. */
const BREAKS = anyOf(`
  and or but nor so then if unless when while because although though whether that which who whom whose how why where than as
  to at by for from with into onto about over under above below between among through during within without against toward towards across behind beside since until till before after via per
  is are was were be been being am has have had do does did can could may might must shall should will would not never no_longer
`)
/** What may stand behind a particle that is no preposition. */
const BEHIND = anyOf(`
  and or but so then if unless when while because although though after before until till since by for to from with at during within without
  today tomorrow yesterday tonight now again soon later afterwards early immediately already yet too this last next every each once twice
  monday tuesday wednesday thursday friday saturday sunday
`)
/** Particles that are seldom prepositions: a noun may follow them. */
const PURE = anyOf('back away aside together forward')
const FARTHEST = 6

/** "turned the heating off" is read as "turned off the heating" is. */
function joinApart(tokens: readonly Token[]): readonly Token[] {
  let changed: (Token | undefined)[] | undefined
  for (let i = 0; i + 2 < tokens.length; i++) {
    const verb = tokens[i]!
    if (verb.kind !== 'word' || verb.proper || verb.norm.includes('_')) continue
    const particles = particlesOf(verb.norm)
    if (particles.length === 0) continue
    const found = particleAfter(tokens, i, particles)
    if (found === undefined) continue
    changed ??= [...tokens]
    changed[i] = {
      text: `${verb.text} ${found.words.join(' ')}`,
      norm: `${verb.norm}_${found.words.join('_')}`,
      start: verb.start,
      end: verb.end,
      kind: verb.kind,
      proper: verb.proper,
      first: verb.first,
    }
    changed.fill(undefined, found.at, found.at + found.words.length)
  }
  return changed?.filter((token) => token !== undefined) ?? tokens
}

function particleAfter(
  tokens: readonly Token[],
  verb: number,
  particles: readonly (readonly string[])[],
): { readonly at: number; readonly words: readonly string[] } | undefined {
  for (let at = verb + 1; at < tokens.length && at <= verb + FARTHEST; at++) {
    const { norm, kind } = tokens[at]!
    if (kind === 'mark') return undefined
    const words =
      at > verb + 1
        ? particles.find((one) => one.every((word, k) => tokens[at + k]?.norm === word))
        : undefined
    if (words !== undefined) {
      const next = tokens[at + words.length]
      if (words.length > 1) return next?.norm.endsWith('ing') === true ? { at, words } : undefined
      if (next === undefined || next.kind === 'mark' || BEHIND.has(next.norm) || PURE.has(norm))
        return { at, words }
    }
    if (BREAKS.has(norm) || norm.includes('_')) return undefined
  }
  return undefined
}
