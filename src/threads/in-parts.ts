/*
 * A large value on its way to another thread. Copying it costs about a tenth of a microsecond for each thing in it, in
 * one piece, so it is taken apart and sent in several messages.
 */

/** Things in one message: half a millisecond. */
const PART = 4_000

/** Characters that cost as much as one thing. */
const CHARACTERS = 200

/** Things that a vector of usual length costs. */
const ARRAY = 20

type Container = unknown[] | Record<string, unknown> | Map<unknown, unknown>

type Step =
  /** A whole value, or one that what follows is put into, until `close`. */
  | { readonly put: unknown; readonly at?: unknown; readonly open?: true }
  /** Of an array. */
  | { readonly items: readonly unknown[] }
  | 'close'

/** What one message says. */
export type Part = readonly Step[]

/** How many things a value is made of, as far as `limit`. */
function sizeOf(value: unknown, limit: number): number {
  if (typeof value === 'string') return 1 + value.length / CHARACTERS
  if (typeof value !== 'object' || value === null) return 1
  if (ArrayBuffer.isView(value)) return ARRAY + value.byteLength / (8 * CHARACTERS)
  let size = 1
  if (Array.isArray(value) || value instanceof Map)
    for (const inner of value.values()) {
      size += sizeOf(inner, limit - size)
      if (size > limit) return size
    }
  else
    for (const key in value) {
      size += sizeOf((value as Record<string, unknown>)[key], limit - size)
      if (size > limit) return size
    }
  return size
}

const entriesOf = (container: Container): Iterable<readonly [unknown, unknown]> =>
  container instanceof Map || Array.isArray(container) ? container.entries() : Object.entries(container)

/** Takes a value of plain objects, arrays, maps and typed arrays apart. `InParts` puts it together again. */
export function* partsOf(value: unknown): Generator<Part> {
  let steps: Step[] = []
  let room = PART
  function* say(step: Step, size: number): Generator<Part> {
    steps.push(step)
    room -= size
    if (room > 0) return
    yield steps
    steps = []
    room = PART
  }
  function* put(inner: unknown, at: unknown): Generator<Part> {
    const size = sizeOf(inner, PART)
    if (size <= PART || typeof inner !== 'object' || inner === null || ArrayBuffer.isView(inner))
      return yield* say({ put: inner, at }, size)
    const container = inner as Container
    yield* say({ put: emptyLike(container), at, open: true }, 1)
    if (Array.isArray(container)) yield* items(container)
    else for (const [key, one] of entriesOf(container)) yield* put(one, key)
    yield* say('close', 1)
  }
  function* items(all: readonly unknown[]): Generator<Part> {
    let some: unknown[] = []
    let weight = 0
    for (const item of all) {
      const size = sizeOf(item, PART)
      if (size <= PART) {
        some.push(item)
        weight += size
        if (weight < room) continue
      }
      yield* say({ items: some }, weight)
      some = []
      weight = 0
      if (size > PART) yield* put(item, undefined)
    }
    yield* say({ items: some }, weight)
  }
  yield* put(value, undefined)
  if (steps.length > 0) yield steps
}

const emptyLike = (container: Container): Container =>
  container instanceof Map ? new Map() : Array.isArray(container) ? [] : {}

/** Puts a value together from its parts, given in order. */
export class InParts {
  readonly #open: Container[] = []
  #value: unknown
  #parts = 0

  /** So many parts were added. */
  get parts(): number {
    return this.#parts
  }

  get value(): unknown {
    return this.#value
  }

  add(part: Part): void {
    this.#parts++
    for (const step of part) {
      const container = this.#open.at(-1)
      if (step === 'close') this.#open.pop()
      else if ('items' in step) for (const item of step.items) (container as unknown[]).push(item)
      else {
        if (container === undefined) this.#value = step.put
        else if (container instanceof Map) container.set(step.at, step.put)
        else if (Array.isArray(container)) container.push(step.put)
        else container[step.at as string] = step.put
        if (step.open) this.#open.push(step.put as Container)
      }
    }
  }
}
