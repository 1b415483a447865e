import type { Connection } from './statements.ts'

/** Answers kept: one for each place in the log where many stand. */
const KEPT = 64

/**
 * Reads that many ask for at the same place: every stream of a server reads each event once, most of them right after
 * the commit that wrote it. An answer is given again until something was committed, here or elsewhere.
 */
export class SharedReads {
  readonly #connection: Connection
  readonly #answers = new Map<string, unknown>()
  #version = ''

  constructor(connection: Connection) {
    this.#connection = connection
  }

  get<T>(key: string, read: () => T): T {
    const version = this.#now()
    if (version !== this.#version) {
      this.#answers.clear()
      this.#version = version
    }
    const known = this.#answers.get(key)
    if (known !== undefined) return known as T
    const answer = read()
    if (this.#answers.size >= KEPT) this.#answers.delete(this.#answers.keys().next().value!)
    this.#answers.set(key, answer)
    return answer
  }

  /** The first number changes by what others commit, the second by what this connection writes. */
  #now(): string {
    return `${this.#connection.value<number>('PRAGMA data_version')} ${this.#connection.value<number>('SELECT total_changes()')}`
  }
}
