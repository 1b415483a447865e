/*
 * Inner products of one vector of 16-bit integers with many of 8-bit integers, sixteen numbers at a time: the one
 * loop that decides how fast vectors in memory are searched. It is WebAssembly, because JavaScript has no instruction
 * for it, and so small that it is spelled out here.
 */

/** LEB128, as WebAssembly writes numbers. */
function unsigned(value: number): number[] {
  const bytes: number[] = []
  for (let rest = value; ; rest >>>= 7) {
    if (rest < 128) return [...bytes, rest]
    bytes.push((rest & 127) | 128)
  }
}

const section = (id: number, ...body: number[]): number[] => [id, ...unsigned(body.length), ...body]
const name = (text: string): number[] => [text.length, ...new TextEncoder().encode(text)]
const simd = (code: number): number[] => [0xfd, ...unsigned(code)]

const I32 = 0x7f
const V128 = 0x7b
const EMPTY = 0x40

const get = (local: number): number[] => [0x20, local]
const set = (local: number): number[] => [0x21, local]
const number = (value: number): number[] => [0x41, value]
const ADD = 0x6a
const SHIFT_LEFT = 0x74
const END = 0x0b
/** Unaligned, at an offset from the address on the stack. */
const load = (offset: number): number[] => [...simd(0x00), 0, offset]
const add = (local: number, value: number): number[] => [...get(local), ...number(value), ADD, ...set(local)]
const lane = (index: number): number[] => [...get(SUM), ...simd(0x1b), index]

const [QUERY, DATA, ROWS, WIDTH, OUT, AT, SUM, PART] = [0, 1, 2, 3, 4, 5, 6, 7] as const
const LOW_HALF = simd(0x87)
const HIGH_HALF = simd(0x88)
const DOT = simd(0xba)
const ADD_LANES = simd(0xae)

const queryHalf = (offset: number): number[] => [
  ...get(QUERY),
  ...get(AT),
  ...number(1),
  SHIFT_LEFT,
  ADD,
  ...load(offset),
]

const BODY: readonly number[] = [
  2,
  ...[1, I32],
  ...[2, V128],
  ...[0x02, EMPTY],
  ...[0x03, EMPTY],
  // Until no row is left:
  ...get(ROWS),
  0x45,
  ...[0x0d, 1],
  ...simd(0x0c),
  ...new Array<number>(16).fill(0),
  ...set(SUM),
  ...number(0),
  ...set(AT),
  ...[0x03, EMPTY],
  // sum += low half · query; sum += high half · query
  ...get(DATA),
  ...load(0),
  ...set(PART),
  ...get(SUM),
  ...get(PART),
  ...LOW_HALF,
  ...queryHalf(0),
  ...DOT,
  ...ADD_LANES,
  ...get(PART),
  ...HIGH_HALF,
  ...queryHalf(16),
  ...DOT,
  ...ADD_LANES,
  ...set(SUM),
  ...add(DATA, 16),
  ...add(AT, 16),
  ...get(AT),
  ...get(WIDTH),
  0x49,
  ...[0x0d, 0],
  END,
  // *out = the four lanes together
  ...get(OUT),
  ...lane(0),
  ...lane(1),
  ADD,
  ...lane(2),
  ADD,
  ...lane(3),
  ADD,
  ...[0x36, 2, 0],
  ...add(OUT, 4),
  ...get(ROWS),
  ...number(1),
  0x6b,
  ...set(ROWS),
  ...[0x0c, 0],
  END,
  END,
  END,
]

const MODULE = new Uint8Array([
  ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
  ...section(1, 1, 0x60, 5, I32, I32, I32, I32, I32, 0),
  ...section(2, 1, ...name('here'), ...name('memory'), 0x02, 0, 1),
  ...section(3, 1, 0),
  ...section(7, 1, ...name('dots'), 0x00, 0),
  ...section(10, 1, ...unsigned(BODY.length), ...BODY),
])

/** Addresses in bytes; `width` in numbers, a multiple of 16. Writes one 32-bit integer per row. */
export type Dots = (query: number, data: number, rows: number, width: number, out: number) => void

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
  ) => { readonly exports: { readonly dots: Dots } }
}

const wasm = (): Wasm => (globalThis as unknown as { readonly WebAssembly: Wasm }).WebAssembly

let compiled: object | undefined

/** A memory of so many pages of 64 KiB, and the function over it. @throws where this engine has no WebAssembly with SIMD */
export function dotsMemory(pages: number): { readonly memory: SharedMemory; readonly dots: Dots } {
  const { Memory, Module, Instance } = wasm()
  compiled ??= new Module(MODULE)
  const memory = new Memory({ initial: pages })
  return { memory, dots: new Instance(compiled, { here: { memory } }).exports.dots }
}
