/*
 * Regular expressions as Chroma has them: the syntax of Rust's `regex` (Unicode, no look-around, no back references),
 * answered in time linear in the text. JavaScript's own engine goes back and forth, and a pattern such as `(a+)+$`
 * would stop the server; this one walks the text once, through states that are made when they are first needed.
 */

/** The pattern is no regular expression; the message says why. */
export class RegexSyntaxError extends Error {
  override readonly name = 'RegexSyntaxError'
}

/** Whether a code point belongs. */
type Class = (point: number) => boolean

type Assertion = 'start' | 'end' | 'lineStart' | 'lineEnd' | 'word' | 'notWord'

type Node =
  | { readonly is: 'class'; readonly class: Class }
  | { readonly is: 'assert'; readonly what: Assertion }
  | { readonly is: 'all' | 'one'; readonly parts: readonly Node[] }
  | { readonly is: 'repeat'; readonly part: Node; readonly least: number; readonly most: number }

interface Flags {
  readonly i: boolean
  readonly m: boolean
  readonly s: boolean
  readonly x: boolean
}

const NEWLINE = 10

const memo = (pattern: string): Class => {
  const expression = new RegExp(`^${pattern}$`, 'u')
  const known = new Map<number, boolean>()
  return (point) => {
    let answer = known.get(point)
    if (answer === undefined) {
      answer = expression.test(String.fromCodePoint(point))
      if (known.size < 10_000) known.set(point, answer)
    }
    return answer
  }
}

const WORD = memo('[\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\p{Join_Control}]')
const DIGIT = memo('\\p{Nd}')
const SPACE = memo('\\p{White_Space}')

const not =
  (one: Class): Class =>
  (point) =>
    !one(point)

const exactly =
  (wanted: number): Class =>
  (point) =>
    point === wanted

/** A class and the other cases of what is in it. */
function foldCase(one: Class): Class {
  return (point) => {
    if (one(point)) return true
    const text = String.fromCodePoint(point)
    const [lower, upper] = [text.toLowerCase(), text.toUpperCase()]
    return [lower, upper, upper.toLowerCase(), lower.toUpperCase()].some(
      (other) => [...other].length === 1 && one(other.codePointAt(0)!),
    )
  }
}

/** Names of POSIX classes, which are ASCII. */
const POSIX: Readonly<Record<string, string>> = {
  alnum: '[0-9A-Za-z]',
  alpha: '[A-Za-z]',
  ascii: '[\\x00-\\x7F]',
  blank: '[\\t ]',
  cntrl: '[\\x00-\\x1F\\x7F]',
  digit: '[0-9]',
  graph: '[!-~]',
  lower: '[a-z]',
  print: '[ -~]',
  punct: '[!-\\/:-@\\[-`{-~]',
  space: '[\\t\\n\\v\\f\\r ]',
  upper: '[A-Z]',
  word: '[0-9A-Za-z_]',
  xdigit: '[0-9A-Fa-f]',
}

const CONTROLS: Readonly<Record<string, number>> = { n: 10, t: 9, r: 13, f: 12, v: 11, a: 7 }

/** Nested groups, and instructions of a program: more is a mistake, or hostile. */
const DEEPEST = 200
const LONGEST = 4_000

class Parser {
  readonly #points: readonly string[]
  #at = 0
  #depth = 0

  constructor(pattern: string) {
    this.#points = [...pattern]
  }

  parse(): Node {
    const node = this.#alternatives({ i: false, m: false, s: false, x: false }).node
    if (this.#at < this.#points.length) throw this.#error('unopened group')
    return node
  }

  #error(why: string): RegexSyntaxError {
    return new RegexSyntaxError(`regex parse error at character ${this.#at}: ${why}`)
  }

  #peek(): string | undefined {
    return this.#points[this.#at]
  }

  #take(text: string): boolean {
    const points = [...text]
    if (!points.every((point, i) => this.#points[this.#at + i] === point)) return false
    this.#at += points.length
    return true
  }

  /** Flags set in the middle of a group hold until its end. */
  #alternatives(outer: Flags): { readonly node: Node } {
    if (++this.#depth > DEEPEST)
      throw this.#error(`exceeded the maximum number of nested groups (${DEEPEST})`)
    let flags = outer
    const branches: Node[][] = [[]]
    for (let next = this.#peek(); next !== undefined && next !== ')'; next = this.#peek()) {
      const parts = branches.at(-1)!
      if (flags.x && /[\s]/.test(next)) this.#at++
      else if (flags.x && next === '#') {
        while (this.#peek() !== undefined && this.#peek() !== '\n') this.#at++
      } else if (next === '|') {
        this.#at++
        branches.push([])
      } else if ('*+?'.includes(next) || (next === '{' && parts.length > 0)) {
        this.#repetition(parts)
      } else if (next === '{') throw this.#error('repetition operator missing expression')
      else if (next === '(') {
        const group = this.#group(flags)
        if ('flags' in group) flags = group.flags
        else parts.push(group.node)
      } else parts.push(this.#atom(flags))
    }
    this.#depth--
    const all = branches.map((parts): Node => ({ is: 'all', parts }))
    return { node: all.length === 1 ? all[0]! : { is: 'one', parts: all } }
  }

  #group(flags: Flags): { readonly node: Node } | { readonly flags: Flags } {
    this.#at++
    if (['?=', '?!', '?<=', '?<!'].some((sign) => this.#take(sign)))
      throw this.#error('look-around, including look-ahead and look-behind, is not supported')
    let inner = flags
    if (this.#take('?P<') || this.#take('?<')) {
      const from = this.#at
      while (this.#peek() !== undefined && this.#peek() !== '>') this.#at++
      const name = this.#points.slice(from, this.#at).join('')
      if (!/^[\p{Alphabetic}_][\p{Alphabetic}\p{Nd}_.[\]]*$/u.test(name))
        throw this.#error('invalid group name')
      this.#at++
    } else if (this.#take('?')) {
      inner = this.#flags(flags)
      if (this.#take(')')) return { flags: inner }
      if (!this.#take(':')) throw this.#error('unrecognized flag')
    }
    const group = this.#alternatives(inner)
    if (!this.#take(')')) throw this.#error('unclosed group')
    return group
  }

  #flags(before: Flags): Flags {
    const flags: Record<string, boolean> = { ...before }
    let on = true
    for (let next = this.#peek(); next !== undefined && next !== ')' && next !== ':'; next = this.#peek()) {
      if (next === '-') on = false
      else if ('imsx'.includes(next)) flags[next] = on
      else if (next === 'u' ? !on : next !== 'U') throw this.#error('unrecognized flag')
      this.#at++
    }
    return flags as unknown as Flags
  }

  #repetition(parts: Node[]): void {
    const part = parts.pop()
    if (part === undefined) throw this.#error('repetition operator missing expression')
    const sign = this.#points[this.#at++]!
    let [least, most] = sign === '*' ? [0, Infinity] : sign === '+' ? [1, Infinity] : [0, 1]
    if (sign === '{') {
      const end = this.#points.indexOf('}', this.#at)
      if (end < 0) throw this.#error('unclosed counted repetition')
      const counts = /^\s*(\d+)\s*(?:(,)\s*(\d*)\s*)?$/.exec(this.#points.slice(this.#at, end).join(''))
      if (counts === null) throw this.#error('repetition quantifier expects a valid decimal')
      least = Number(counts[1])
      most = counts[2] === undefined ? least : counts[3] === '' ? Infinity : Number(counts[3])
      if (least > most) throw this.#error('invalid repetition count range, the start must be <= the end')
      this.#at = end + 1
    }
    // Lazy or not, the answer to "does it match" is the same.
    this.#take('?')
    parts.push({ is: 'repeat', part, least, most })
  }

  #atom(flags: Flags): Node {
    const point = this.#points[this.#at]!
    if (point === '[') return this.#classNode(this.#bracket(flags), flags)
    this.#at++
    switch (point) {
      case '.':
        return { is: 'class', class: flags.s ? () => true : not(exactly(NEWLINE)) }
      case '^':
        return { is: 'assert', what: flags.m ? 'lineStart' : 'start' }
      case '$':
        return { is: 'assert', what: flags.m ? 'lineEnd' : 'end' }
      case '\\': {
        const next = this.#peek()
        const what = next === undefined ? undefined : ASSERTIONS[next]
        if (what !== undefined) {
          this.#at++
          if (this.#peek() === '{' && (next === 'b' || next === 'B'))
            throw this.#error('special word boundaries are not supported here')
          return { is: 'assert', what }
        }
        const escaped = this.#escape()
        return this.#classNode(typeof escaped === 'number' ? exactly(escaped) : escaped, flags)
      }
      default:
        return this.#classNode(exactly(point.codePointAt(0)!), flags)
    }
  }

  #classNode(one: Class, flags: Flags): Node {
    return { is: 'class', class: flags.i ? foldCase(one) : one }
  }

  /** After a backslash: a code point, or a class. */
  #escape(): number | Class {
    const next = this.#points[this.#at++]
    if (next === undefined)
      throw this.#error('incomplete escape sequence, reached end of pattern prematurely')
    const control = CONTROLS[next]
    if (control !== undefined) return control
    switch (next) {
      case 'd':
        return DIGIT
      case 'D':
        return not(DIGIT)
      case 'w':
        return WORD
      case 'W':
        return not(WORD)
      case 's':
        return SPACE
      case 'S':
        return not(SPACE)
      case 'p':
      case 'P':
        return this.#property(next === 'P')
      case 'x':
      case 'u':
      case 'U':
        return this.#hexadecimal(next === 'x' ? 2 : next === 'u' ? 4 : 8)
    }
    if (/\d/.test(next)) throw this.#error('backreferences are not supported')
    if (/[\p{L}_<>]/u.test(next) || next.codePointAt(0)! > 127)
      throw this.#error(`unrecognized escape sequence \\${next}`)
    return next.codePointAt(0)!
  }

  #hexadecimal(digits: number): number {
    let text: string
    if (this.#take('{')) {
      const end = this.#points.indexOf('}', this.#at)
      if (end < 0) throw this.#error('incomplete escape sequence')
      text = this.#points.slice(this.#at, end).join('')
      this.#at = end + 1
    } else {
      text = this.#points.slice(this.#at, this.#at + digits).join('')
      this.#at += digits
      if (text.length < digits) throw this.#error('incomplete escape sequence')
    }
    const point = /^[0-9A-Fa-f]{1,8}$/.test(text) ? Number.parseInt(text, 16) : Number.NaN
    if (!(point <= 0x10ffff) || (point >= 0xd800 && point <= 0xdfff))
      throw this.#error(`hexadecimal literal ${text} is not a Unicode scalar value`)
    return point
  }

  #property(negated: boolean): Class {
    let name = this.#points[this.#at++] ?? ''
    let inverted = negated
    if (name === '{') {
      const end = this.#points.indexOf('}', this.#at)
      if (end < 0) throw this.#error('incomplete Unicode class')
      name = this.#points.slice(this.#at, end).join('')
      this.#at = end + 1
      if (name.startsWith('^')) {
        inverted = !inverted
        name = name.slice(1)
      }
    }
    const words = name.replaceAll(' ', '_').split('_')
    const titled = words.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1).toLowerCase()).join('_')
    for (const spelled of [name, titled])
      for (const pattern of [`\\p{${spelled}}`, `\\p{Script=${spelled}}`]) {
        if (!/^[\w=]+$/.test(spelled)) continue
        try {
          const found = memo(pattern)
          return inverted ? not(found) : found
        } catch {
          // Not under this name.
        }
      }
    throw this.#error(`Unicode property not found: ${name}`)
  }

  /** `[…]`, with ranges, classes inside, and the operators `&&`, `--` and `~~` between. */
  #bracket(flags: Flags): Class {
    if (++this.#depth > DEEPEST) throw this.#error('classes are nested too deep')
    this.#at++
    const negated = this.#take('^')
    let left: Class | undefined
    let combine: ((a: Class, b: Class) => Class) | undefined
    let items: Class[] = []
    const close = () => {
      const parts = items
      const right: Class = (point) => parts.some((part) => part(point))
      left = left === undefined ? right : combine!(left, right)
      items = []
    }
    for (let first = true; ; first = false) {
      const next = this.#peek()
      if (next === undefined) throw this.#error('unclosed character class')
      if (next === ']' && !first) break
      if (flags.x && /\s/.test(next)) {
        this.#at++
        continue
      }
      const operator = SET_OPERATORS.find(([sign]) => this.#take(sign))
      if (operator !== undefined) {
        close()
        combine = operator[1]
      } else items.push(this.#item(flags))
    }
    this.#at++
    close()
    this.#depth--
    return negated ? not(left!) : left!
  }

  #item(flags: Flags): Class {
    if (this.#peek() === '[') {
      const posix = /^\[:(\^?)(\w+):\]/.exec(this.#points.slice(this.#at, this.#at + 16).join(''))
      if (posix === null) return this.#bracket(flags)
      const pattern = POSIX[posix[2]!]
      if (pattern === undefined) throw this.#error('unrecognized POSIX class')
      this.#at += posix[0].length
      const found = memo(pattern)
      return posix[1] === '' ? found : not(found)
    }
    const from = this.#limit()
    if (typeof from !== 'number') return from
    if (this.#peek() !== '-' || ['-', ']', undefined].includes(this.#points[this.#at + 1]))
      return exactly(from)
    this.#at++
    const to = this.#limit()
    if (typeof to !== 'number') throw this.#error('invalid range boundary, must be a literal')
    if (to < from) throw this.#error('invalid character class range, the start must be <= the end')
    return (point) => point >= from && point <= to
  }

  #limit(): number | Class {
    const point = this.#points[this.#at++]!
    return point === '\\' ? this.#escape() : point.codePointAt(0)!
  }
}

const ASSERTIONS: Readonly<Record<string, Assertion>> = { A: 'start', z: 'end', b: 'word', B: 'notWord' }

const SET_OPERATORS: readonly (readonly [string, (a: Class, b: Class) => Class])[] = [
  ['&&', (a, b) => (point) => a(point) && b(point)],
  ['--', (a, b) => (point) => a(point) && !b(point)],
  ['~~', (a, b) => (point) => a(point) !== b(point)],
]

// ── the machine ─────────────────────────────────────────────────────────────────────────────────────────────

type Instruction =
  | { readonly do: 'class'; readonly class: Class }
  | { readonly do: 'assert'; readonly what: Assertion }
  | { do: 'split'; a: number; b: number }
  | { readonly do: 'match' }

function compile(node: Node): Instruction[] {
  const program: Instruction[] = []
  const add = (instruction: Instruction): number => {
    if (program.length >= LONGEST) throw new RegexSyntaxError('regex exceeds its size limit')
    return program.push(instruction) - 1
  }
  const emit = (one: Node): void => {
    switch (one.is) {
      case 'class':
        add({ do: 'class', class: one.class })
        return
      case 'assert':
        add({ do: 'assert', what: one.what })
        return
      case 'all':
        for (const part of one.parts) emit(part)
        return
      case 'one': {
        const ends: number[] = []
        one.parts.forEach((part, i) => {
          const last = i === one.parts.length - 1
          const split = last ? undefined : add({ do: 'split', a: 0, b: 0 })
          if (split !== undefined) at(split).a = split + 1
          emit(part)
          if (last) return
          ends.push(add({ do: 'split', a: 0, b: 0 }))
          at(split!).b = program.length
        })
        for (const end of ends) at(end).a = at(end).b = program.length
        return
      }
      case 'repeat': {
        for (let i = 0; i < one.least; i++) emit(one.part)
        if (one.most === Infinity) {
          const split = add({ do: 'split', a: 0, b: 0 })
          emit(one.part)
          add({ do: 'split', a: split, b: split })
          at(split).a = split + 1
          at(split).b = program.length
          return
        }
        const splits: number[] = []
        for (let i = one.least; i < one.most; i++) {
          const split = add({ do: 'split', a: 0, b: 0 })
          at(split).a = split + 1
          splits.push(split)
          emit(one.part)
        }
        for (const split of splits) at(split).b = program.length
      }
    }
  }
  const at = (index: number) => program[index] as { a: number; b: number }
  emit(node)
  add({ do: 'match' })
  return program
}

/** What stands beside a position: nothing, a line feed, a word's character, or another. */
type Beside = 0 | 1 | 2 | 3

const besideOf = (point: number): Beside => (point === NEWLINE ? 1 : WORD(point) ? 2 : 3)

function holds(what: Assertion, before: Beside, after: Beside): boolean {
  switch (what) {
    case 'start':
      return before === 0
    case 'end':
      return after === 0
    case 'lineStart':
      return before <= 1
    case 'lineEnd':
      return after <= 1
    case 'word':
      return (before === 2) !== (after === 2)
    case 'notWord':
      return (before === 2) === (after === 2)
  }
}

/** Instructions that may come next, and what stood before. */
interface State {
  readonly kernel: readonly number[]
  readonly before: Beside
  /** By code point; `true`: the pattern matched before it. */
  readonly next: Map<number, State | true>
  atEnd: boolean | undefined
}

/** States and steps kept; beyond, they are forgotten and made again. */
const STATES = 1_000
const STEPS = 50_000

/** A compiled pattern that says whether it occurs in a text. */
export class Regex {
  readonly #program: readonly Instruction[]
  #states = new Map<string, State>()
  #steps = 0

  /** @throws RegexSyntaxError */
  constructor(pattern: string) {
    this.#program = compile(new Parser(pattern).parse())
  }

  test(text: string): boolean {
    let state = this.#state([0], 0)
    for (let i = 0; i < text.length; i++) {
      const point = text.codePointAt(i)!
      if (point > 0xffff) i++
      const next = state.next.get(point) ?? this.#step(state, point)
      if (next === true) return true
      state = next
    }
    state.atEnd ??= this.#closure(state.kernel, state.before, 0) === true
    return state.atEnd
  }

  #state(kernel: readonly number[], before: Beside): State {
    const name = `${before} ${kernel.join(' ')}`
    let state = this.#states.get(name)
    if (state === undefined) {
      if (this.#states.size >= STATES || this.#steps >= STEPS) {
        this.#states = new Map()
        this.#steps = 0
      }
      state = { kernel, before, next: new Map(), atEnd: undefined }
      this.#states.set(name, state)
    }
    return state
  }

  #step(state: State, point: number): State | true {
    const after = besideOf(point)
    const reached = this.#closure(state.kernel, state.before, after)
    let next: State | true = true
    if (reached !== true) {
      // A match may begin anywhere.
      const kernel = new Set<number>([0])
      for (const index of reached)
        if ((this.#program[index] as { class: Class }).class(point)) kernel.add(index + 1)
      next = this.#state(
        [...kernel].sort((a, b) => a - b),
        after,
      )
    }
    this.#steps++
    state.next.set(point, next)
    return next
  }

  /** The classes that can be asked now, or that the pattern has matched. */
  #closure(kernel: readonly number[], before: Beside, after: Beside): readonly number[] | true {
    const program = this.#program
    const seen = new Set<number>()
    const classes: number[] = []
    const open = [...kernel]
    for (let index = open.pop(); index !== undefined; index = open.pop()) {
      if (seen.has(index)) continue
      seen.add(index)
      const instruction = program[index]!
      switch (instruction.do) {
        case 'match':
          return true
        case 'class':
          classes.push(index)
          break
        case 'split':
          open.push(instruction.a, instruction.b)
          break
        case 'assert':
          if (holds(instruction.what, before, after)) open.push(index + 1)
      }
    }
    return classes
  }
}
