import { aborted } from './failure.ts'

/** A failure that may pass. `after`: how long the other side asked to wait, in milliseconds. */
export class Transient extends Error {
  readonly failure: Error
  readonly after: number | undefined

  constructor(failure: Error, after?: number) {
    super(failure.message)
    this.failure = failure
    this.after = after
  }
}

const FIRST_WAIT = 500
const LONGEST_WAIT = 30_000
/** Somebody who asks for more patience than this is out of quota: better to fail now and say so. */
export const LONGEST_ASKED_WAIT = 60_000

/** Tries again after a `Transient`, at most `retries` times, waiting twice as long each time. */
export async function retrying<T>(
  attempt: () => Promise<T>,
  retries: number,
  signal: AbortSignal | undefined,
): Promise<T> {
  for (let failures = 0; ; failures++) {
    if (signal?.aborted) throw aborted(signal)
    try {
      return await attempt()
    } catch (error) {
      if (!(error instanceof Transient)) throw error
      const { failure, after } = error
      if (failures >= retries || (after ?? 0) > LONGEST_ASKED_WAIT) throw failure
      const backoff = Math.min(FIRST_WAIT * 2 ** failures, LONGEST_WAIT) * (0.75 + Math.random() / 2)
      await pause(after ?? backoff, signal)
    }
  }
}

function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(aborted(signal))
    const onAbort = () => {
      clearTimeout(timer)
      reject(aborted(signal!))
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort)
      resolve()
    }, milliseconds)
    signal?.addEventListener('abort', onAbort, { once: true })
  })
}

/** What `Retry-After` (seconds or a date) or `retry-after-ms` asks for, in milliseconds. */
export function retryAfter(headers: Headers, now: number): number | undefined {
  const milliseconds = Number(headers.get('retry-after-ms') ?? Number.NaN)
  if (Number.isFinite(milliseconds)) return Math.max(0, milliseconds)
  const value = headers.get('retry-after')
  if (value === null) return undefined
  if (/^\s*\d+(\.\d+)?\s*$/.test(value)) return Number(value) * 1000
  const date = Date.parse(value)
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}
