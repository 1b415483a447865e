/*
 * The loops that decide how fast vectors in memory are searched, in WebAssembly, because JavaScript has no
 * instructions for several numbers at a time. They are so small that they are spelled out here; what each instruction
 * does stands beside it.
 */

// ── the assembler ───────────────────────────────────────────────────────────────────────────────────────────

type Code = readonly number[]

/** LEB128, as WebAssembly writes numbers. */
function unsigned(value: number): number[] {
  const bytes: number[] = []
  for (let rest = value; ; rest >>>= 7) {
    if (rest < 128) return [...bytes, rest]
    bytes.push((rest & 127) | 128)
  }
}

const code = (...parts: readonly (number | Code)[]): number[] => parts.flat()
const section = (id: number, ...body: number[]): number[] => [id, ...unsigned(body.length), ...body]
const list = (items: readonly Code[]): number[] => code(unsigned(items.length), ...items)
const name = (text: string): number[] => [text.length, ...new TextEncoder().encode(text)]
const simd = (operation: number): number[] => [0xfd, ...unsigned(operation)]

const I32 = 0x7f
const F32 = 0x7d
const V128 = 0x7b

const get = (local: number): number[] => [0x20, local]
const set = (local: number): number[] => [0x21, local]
/** Up to 63: one byte, and not a negative number. */
const constant = (value: number): number[] => [0x41, value]
const ADD = [0x6a]
const SUBTRACT = [0x6b]
const SHIFT_LEFT = [0x74]
const DOUBLE = code(constant(1), SHIFT_LEFT)
const LESS = [0x49]
const IS_ZERO = [0x45]
/** `local += value` */
const advance = (local: number, value: number): number[] => code(get(local), constant(value), ADD, set(local))
const block = (...body: readonly (number | Code)[]): number[] => code(0x02, 0x40, ...body, 0x0b)
const loop = (...body: readonly (number | Code)[]): number[] => code(0x03, 0x40, ...body, 0x0b)
const branch = (depth: number): number[] => [0x0c, depth]
const branchIf = (depth: number): number[] => [0x0d, depth]

/** Memory is read and written unaligned, `offset` bytes after the address on the stack. */
const LOAD = (offset: number): number[] => code(simd(0x00), 0, offset)
/** Eight bytes, each made a 16-bit integer. */
const LOAD_BYTES = (offset: number): number[] => code(simd(0x01), 0, offset)
const STORE = code(simd(0x0b), 0, 0)
const ZERO = code(simd(0x0c), new Array<number>(16).fill(0))
const SPLAT_F32 = simd(0x13)
const LANE_F32 = (lane: number): number[] => code(simd(0x1f), lane)
const ADD_I32 = simd(0xae)
/** Products of 16-bit integers, each two neighbours added: four 32-bit sums. */
const DOT_I16 = simd(0xba)
const TO_F32 = simd(0xfa)
const ADD_F32 = simd(0xe4)
const SUBTRACT_F32 = simd(0xe5)
const MULTIPLY_F32 = simd(0xe6)
const ADD_ONE_F32 = [0x92]
const STORE_ONE_F32 = [0x38, 2, 0]
/** A 32-bit integer, `offset` bytes after the address on the stack. */
const LOAD_ONE = (offset: number): number[] => [0x28, 2, offset]
const GREATER_F32 = simd(0x44)
const NOT = simd(0x4d)
/** A bit for each of four lanes that is all ones. */
const BITS = simd(0xa4)
const STORE_ONE = [0x36, 2, 0]
const SHIFT_RIGHT = [0x76]
const AND = [0x71]

/** Four 32-bit lanes, chosen among the four of the first vector (0–3) and of the second (4–7). */
const shuffle = (...lanes: readonly number[]): number[] =>
  code(
    simd(0x0d),
    lanes.flatMap((lane) => [4 * lane, 4 * lane + 1, 4 * lane + 2, 4 * lane + 3]),
  )

/** The lanes of both, each two neighbours added: a0+a1, a2+a3, b0+b1, b2+b3. */
const pairs = (a: Code, b: Code): number[] =>
  code(a, b, shuffle(0, 2, 4, 6), a, b, shuffle(1, 3, 5, 7), ADD_I32)

/** Products of the 16-bit integers at `query` with the 8-bit ones of four rows, in four lanes each. Rows are moved on. */
const products = (
  { query, width, at, end, low, high }: Record<'query' | 'width' | 'at' | 'end' | 'low' | 'high', number>,
  rows: readonly (readonly [row: number, sum: number])[],
): number[] =>
  code(
    ...rows.map(([, sum]) => code(ZERO, set(sum))),
    code(get(query), set(at)),
    code(get(query), get(width), DOUBLE, ADD, set(end)),
    loop(
      // sixteen numbers of the query with sixteen of each row
      code(get(at), LOAD(0), set(low)),
      code(get(at), LOAD(16), set(high)),
      ...rows.map(([row, sum]) =>
        code(
          get(sum),
          code(get(row), LOAD_BYTES(0), get(low), DOT_I16, ADD_I32),
          code(get(row), LOAD_BYTES(8), get(high), DOT_I16, ADD_I32),
          set(sum),
          advance(row, 16),
        ),
      ),
      advance(at, 32),
      code(get(at), get(end), LESS, branchIf(0)),
    ),
  )

/** Four times four lanes, each four added: one lane each. `x` and `y` are overwritten. */
const fourSums = (a: number, b: number, c: number, d: number, x: number, y: number): number[] =>
  code(code(pairs(get(a), get(b)), set(x)), code(pairs(get(c), get(d)), set(y)), pairs(get(x), get(y)))

// ── bounds ──────────────────────────────────────────────────────────────────────────────────────────────────

const BOUNDS = (() => {
  const [QUERY, ROWS, SIDE, COUNT, WIDTH, OUT] = [0, 1, 2, 3, 4, 5] as const
  const [CONSTANT, SIZE, SCALE, REST, ERROR] = [6, 7, 8, 9, 10] as const
  const [ROW0, ROW1, ROW2, ROW3, AT, END] = [11, 12, 13, 14, 15, 16] as const
  const [SUM0, SUM1, SUM2, SUM3, LOW, HIGH, X, Y] = [17, 18, 19, 20, 21, 22, 23, 24] as const
  const rows = [
    [ROW0, SUM0],
    [ROW1, SUM1],
    [ROW2, SUM2],
    [ROW3, SUM3],
  ] as const
  const times = (parameter: number, offset: number) =>
    code(get(parameter), SPLAT_F32, get(SIDE), LOAD(offset), MULTIPLY_F32)
  const body = block(
    loop(
      // Until no row is left:
      get(COUNT),
      IS_ZERO,
      branchIf(1),
      // four rows, one after the other
      code(get(ROWS), set(ROW0)),
      code(get(ROW0), get(WIDTH), ADD, set(ROW1)),
      code(get(ROW1), get(WIDTH), ADD, set(ROW2)),
      code(get(ROW2), get(WIDTH), ADD, set(ROW3)),
      products({ query: QUERY, width: WIDTH, at: AT, end: END, low: LOW, high: HIGH }, rows),
      // the four products, one a lane
      code(fourSums(SUM0, SUM1, SUM2, SUM3, X, Y), TO_F32, set(X)),
      // *out = constant + size·its size − scale·its scale·product − rest·its rest − error·its error
      get(OUT),
      code(get(CONSTANT), SPLAT_F32),
      code(times(SIZE, 16), ADD_F32),
      code(times(SCALE, 0), get(X), MULTIPLY_F32, SUBTRACT_F32),
      code(times(REST, 32), SUBTRACT_F32),
      code(times(ERROR, 48), SUBTRACT_F32),
      STORE,
      code(get(ROW3), set(ROWS)),
      code(get(SIDE), constant(32), ADD, constant(32), ADD, set(SIDE)),
      advance(OUT, 16),
      code(get(COUNT), constant(4), SUBTRACT, set(COUNT)),
      branch(0),
    ),
  )
  return code(2, 6, I32, 8, V128, body, 0x0b)
})()

// ── products of some rows ───────────────────────────────────────────────────────────────────────────────────

const SOME = (() => {
  const [QUERY, LIST, COUNT, WIDTH, OUT] = [0, 1, 2, 3, 4] as const
  const [ROW0, ROW1, ROW2, ROW3, AT, END] = [5, 6, 7, 8, 9, 10] as const
  const [SUM0, SUM1, SUM2, SUM3, LOW, HIGH] = [11, 12, 13, 14, 15, 16] as const
  const rows = [
    [ROW0, SUM0],
    [ROW1, SUM1],
    [ROW2, SUM2],
    [ROW3, SUM3],
  ] as const
  const body = block(
    loop(
      code(get(COUNT), IS_ZERO, branchIf(1)),
      // four rows at a time: while one is on its way from memory, so are the others
      ...rows.map(([row], i) => code(get(LIST), LOAD_ONE(4 * i), set(row))),
      products({ query: QUERY, width: WIDTH, at: AT, end: END, low: LOW, high: HIGH }, rows),
      get(OUT),
      code(fourSums(SUM0, SUM1, SUM2, SUM3, LOW, HIGH), TO_F32, STORE),
      advance(LIST, 16),
      advance(OUT, 16),
      code(get(COUNT), constant(4), SUBTRACT, set(COUNT)),
      branch(0),
    ),
  )
  return code(2, 6, I32, 6, V128, body, 0x0b)
})()

// ── projections ─────────────────────────────────────────────────────────────────────────────────────────────

const PROJECT = (() => {
  const [VECTOR, MATRIX, COUNT, BYTES, OUT] = [0, 1, 2, 3, 4] as const
  const [AT, END] = [5, 6] as const
  const sums = [7, 8, 9, 10] as const
  const body = block(
    loop(
      code(get(COUNT), IS_ZERO, branchIf(1)),
      ...sums.map((sum) => code(ZERO, set(sum))),
      code(get(VECTOR), set(AT)),
      code(get(VECTOR), get(BYTES), ADD, set(END)),
      loop(
        // sixteen numbers of the vector with sixteen of the matrix's row
        ...sums.map((sum, i) =>
          code(get(AT), LOAD(16 * i), get(MATRIX), LOAD(16 * i), MULTIPLY_F32, get(sum), ADD_F32, set(sum)),
        ),
        advance(AT, 32),
        advance(AT, 32),
        advance(MATRIX, 32),
        advance(MATRIX, 32),
        code(get(AT), get(END), LESS, branchIf(0)),
      ),
      // *out = all of it together
      code(get(sums[0]), get(sums[1]), ADD_F32, get(sums[2]), get(sums[3]), ADD_F32, ADD_F32, set(sums[0])),
      get(OUT),
      code(get(sums[0]), LANE_F32(0)),
      ...[1, 2, 3].map((lane) => code(get(sums[0]), LANE_F32(lane), ADD_ONE_F32)),
      STORE_ONE_F32,
      advance(OUT, 4),
      code(get(COUNT), constant(1), SUBTRACT, set(COUNT)),
      branch(0),
    ),
  )
  return code(2, 2, I32, 4, V128, body, 0x0b)
})()

// ── rows under a threshold ──────────────────────────────────────────────────────────────────────────────────

const UNDER = (() => {
  const [VALUES, COUNT, OUT, THRESHOLD] = [0, 1, 2, 3] as const
  const [ROW, FOUND, AT] = [4, 5, 6] as const
  const body = block(
    code(get(OUT), set(AT)),
    loop(
      code(get(COUNT), IS_ZERO, branchIf(1)),
      // which of four values are not above it
      code(get(VALUES), LOAD(0), get(THRESHOLD), SPLAT_F32, GREATER_F32, NOT, BITS, set(FOUND)),
      block(
        code(get(FOUND), IS_ZERO, branchIf(0)),
        // each lane's row is written, and stays where it is one of them
        ...[0, 1, 2, 3].map((lane) =>
          code(
            code(get(AT), get(ROW), constant(lane), ADD, STORE_ONE),
            code(get(AT), get(FOUND), constant(lane), SHIFT_RIGHT, constant(1), AND),
            code(constant(2), SHIFT_LEFT, ADD, set(AT)),
          ),
        ),
      ),
      advance(VALUES, 16),
      advance(ROW, 4),
      code(get(COUNT), constant(4), SUBTRACT, set(COUNT)),
      branch(0),
    ),
  )
  return code(1, 3, I32, body, code(get(AT), get(OUT), SUBTRACT, constant(2), SHIFT_RIGHT), 0x0b)
})()

// ── the module ──────────────────────────────────────────────────────────────────────────────────────────────

const functions = [
  {
    name: 'bounds',
    parameters: [...new Array<number>(6).fill(I32), ...new Array<number>(5).fill(F32)],
    results: [],
    body: BOUNDS,
  },
  { name: 'project', parameters: new Array<number>(5).fill(I32), results: [], body: PROJECT },
  { name: 'under', parameters: [I32, I32, I32, F32], results: [I32], body: UNDER },
  { name: 'some', parameters: new Array<number>(5).fill(I32), results: [], body: SOME },
]

const MODULE = new Uint8Array([
  ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
  ...section(
    1,
    ...list(
      functions.map(({ parameters, results }) => [
        0x60,
        ...list(parameters.map((p) => [p])),
        ...list(results.map((r) => [r])),
      ]),
    ),
  ),
  ...section(2, 1, ...name('here'), ...name('memory'), 0x02, 0, 1),
  ...section(3, ...list(functions.map((_, i) => [i]))),
  ...section(7, ...list(functions.map((one, i) => [...name(one.name), 0x00, i]))),
  ...section(10, ...list(functions.map(({ body }) => [...unsigned(body.length), ...body]))),
])

/** Addresses are in bytes. */
export interface Loops {
  /**
   * For each of `count` rows (a multiple of 4) of `width` 8-bit integers (a multiple of 16) one 32-bit float at `out`:
   * `constant + size·S − scale·C·P − rest·R − error·E`, where P is the inner product with the 16-bit integers at
   * `query`, which must fit into 32 bits. For every four rows there are four C, four S, four R and four E at `side`.
   */
  bounds(
    query: number,
    rows: number,
    side: number,
    count: number,
    width: number,
    out: number,
    constant: number,
    size: number,
    scale: number,
    rest: number,
    error: number,
  ): void
  /** Inner products of a vector of 32-bit floats with `count` rows of a matrix, `bytes` each (a multiple of 64). */
  project(vector: number, matrix: number, count: number, bytes: number, out: number): void
  /**
   * Which of `count` 32-bit floats (a multiple of 4) at `values` are not above `threshold`, as 32-bit integers at `out`,
   * in order; those that are no numbers are among them. Answers how many. One integer beyond them is overwritten.
   */
  under(values: number, count: number, out: number, threshold: number): number
  /**
   * Inner products of the 16-bit integers at `query` with `count` rows (a multiple of 4) of `width` 8-bit integers (a
   * multiple of 16), whose addresses are at `list`, as 32-bit floats at `out`. They must fit into 32 bits.
   */
  some(query: number, list: number, count: number, width: number, out: number): void
}

/** Memory that WebAssembly works in. `buffer` is another one after growing. */
export interface SharedMemory {
  readonly buffer: ArrayBuffer
  grow(pages: number): number
}

/** As much of it as is used here; the compiler knows it only where it knows a browser. */
interface Wasm {
  readonly Memory: new (size: { readonly initial: number }) => SharedMemory
  readonly Module: new (bytes: Uint8Array) => object
  readonly Instance: new (
    module: object,
    imports: { readonly here: { readonly memory: SharedMemory } },
  ) => { readonly exports: Loops }
}

const wasm = (): Wasm => (globalThis as unknown as { readonly WebAssembly: Wasm }).WebAssembly

let compiled: object | undefined

/** A memory of so many pages of 64 KiB, and the loops over it. @throws where this engine has no WebAssembly with SIMD */
export function loopsOver(pages: number): { readonly memory: SharedMemory; readonly loops: Loops } {
  const { Memory, Module, Instance } = wasm()
  compiled ??= new Module(MODULE)
  const memory = new Memory({ initial: pages })
  return { memory, loops: new Instance(compiled, { here: { memory } }).exports }
}
