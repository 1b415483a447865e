import type { Token } from './tokens.ts'

/*
 * What a configuration says: "new_checkout=off, log_level: debug" reads as "new checkout is off. log level is debug."
 */

const ON = /^(?:on|true|yes|enabled?)$/
const OFF = /^(?:off|false|no|disabled?)$/

const STATES = /^(?:on|off|true|false|enabled|disabled)$/

/** A name of several words: "max_retries", "retry.limit", "maxRetries". */
const isCompound = ({ text, kind }: Token): boolean =>
  kind === 'code' ? /^[A-Za-z]\w*(?:[._]\w+)+$/.test(text) : /^[a-z]+(?:[A-Z][a-z]+)+$/.test(text)

/** Whether what stands here is the name of a setting, with its sign and its value behind it. */
function isSetting(tokens: readonly Token[], at: number): boolean {
  const [key, sign, value, next] = [tokens[at]!, tokens[at + 1], tokens[at + 2], tokens[at + 3]]
  if (key.kind === 'mark' || key.kind === 'number' || value === undefined || value.kind === 'mark')
    return false
  if (sign?.norm === '=') return true
  if (sign?.norm !== ':' || sign.start !== key.end) return false
  // A value ends where the next setting begins; "note: five people came" is none.
  const isEnd = next === undefined || /^[,;.}\n]$/.test(next.norm)
  // "User: No, only the docs" is an answer.
  return isEnd && (isCompound(key) || (/^[a-z]/.test(key.text) && STATES.test(value.norm)))
}

const made = (
  { text }: Pick<Token, 'text'>,
  kind: Token['kind'],
  norm: string,
  start: number,
  end: number,
  first: boolean,
): Token => ({ text, norm, start, end, kind, proper: false, first })

/** The words of a name, each with its place. */
function wordsOf(key: Token): Token[] {
  if (!isCompound(key)) return [made(key, 'word', key.norm, key.start, key.end, true)]
  return [...key.text.matchAll(/[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+/g)].map((part, i) =>
    made(
      { text: part[0] },
      /^\d/.test(part[0]) ? 'number' : 'word',
      part[0].toLowerCase(),
      key.start + part.index,
      key.start + part.index + part[0].length,
      i === 0,
    ),
  )
}

const UNITS =
  /^(?:kb|mb|gb|tb|ms|s|secs?|seconds?|mins?|minutes?|hours?|days?|weeks?|months?|years?|percent|pct|px|km|kg)$/

/** First words of a switch, as its state tells them: "allow_guests=false". */
const DONE: ReadonlyMap<string, string> = new Map(
  Object.entries({
    allow: 'allowed',
    enable: 'enabled',
    disable: 'disabled',
    require: 'required',
    show: 'shown',
    hide: 'hidden',
    use: 'used',
    skip: 'skipped',
    send: 'sent',
    keep: 'kept',
    block: 'blocked',
  }),
)

/** A setting as a sentence. */
function told(key: Token, sign: Token, value: Token): Token[] {
  const words = wordsOf(key)
  const is = made(sign, 'word', 'is', sign.start, sign.end, false)
  const [first, last] = [words[0]!, words.at(-1)!]
  const state = ON.test(value.norm) ? true : OFF.test(value.norm) ? false : undefined
  if (state === undefined) {
    // "max_upload_mb=25"
    const isUnit = value.kind === 'number' && words.length > 1 && UNITS.test(last.norm)
    return isUnit
      ? [...words.slice(0, -1), is, value, made(value, 'word', last.norm, value.end, value.end, false)]
      : [...words, is, value]
  }
  const put = (norm: string) => made(value, 'word', norm, value.start, value.end, false)
  const not = state ? [] : [made(value, 'word', 'not', value.start, value.start, false)]
  const done = words.length > 1 ? DONE.get(first.norm) : undefined
  // "allow_guests=false": guests are not allowed. "tls_required: yes": TLS is required.
  if (done !== undefined) return [...words.slice(1), is, ...not, put(done)]
  if (words.length > 1 && last.norm.endsWith('ed')) return [...words.slice(0, -1), is, ...not, put(last.norm)]
  return [...words, is, put(state ? 'enabled' : 'disabled')]
}

export function settleSettings(tokens: readonly Token[]): readonly Token[] {
  if (!tokens.some((_, i) => isSetting(tokens, i))) return tokens
  const settled: Token[] = []
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i]!
    if (isSetting(tokens, i)) {
      settled.push(...told(token, tokens[i + 1]!, tokens[i + 2]!))
      i += 2
    } else if (token.norm === ',' && i + 1 < tokens.length && isSetting(tokens, i + 1))
      settled.push(made(token, 'mark', '.', token.start, token.end, false))
    else settled.push(token)
  }
  return settled
}
