/** One line of a server's log. Values are what JSON can hold; no text, no token, no query is among them. */
export interface LogEntry {
  readonly level: 'info' | 'error'
  /** What happened: `request`, `failure`; of a command line, `embedder`. */
  readonly event: string
  readonly [member: string]: string | number | boolean | undefined
}

/** A log of one JSON object a line. */
export const jsonLines =
  (write: (line: string) => void, clock: () => number = Date.now) =>
  (entry: LogEntry): void =>
    write(`${JSON.stringify({ time: new Date(clock()).toISOString(), ...entry })}\n`)
