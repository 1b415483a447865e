/*
 * What two threads say to each other: calls by name, and one answer, or error, for each.
 */

/** Calls that a thread answers, by name. What goes in and comes out must survive being copied. */
// biome-ignore lint/suspicious/noExplicitAny: any function; what it takes is checked where it is called.
export type Calls = Readonly<Record<string, (...given: any[]) => unknown>>

export type ToThread =
  | { readonly id: number; readonly call: string; readonly given: readonly unknown[] }
  | { readonly cancel: number }
  | 'close'

export type FromThread =
  | { readonly id: number; readonly answer: unknown }
  | { readonly id: number; readonly progress: readonly unknown[] }
  | { readonly id: number; readonly error: PlainError }

/** A thrown error does not cross between threads as what it is. */
export interface PlainError {
  readonly code?: string
  readonly message: string
  readonly detail?: unknown
}
