const waiting: (() => void)[] = []
let asked = false

/**
 * The next turn of the event loop that nobody else here works in: whoever goes on after it does a step of a few
 * milliseconds. Timers and sockets come between any two steps of this process, however many things are under way;
 * with a `setImmediate` of its own each, all of them would take their steps in one turn.
 */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve)
    ask()
  })
}

function ask(): void {
  if (asked) return
  asked = true
  setImmediate(give)
}

function give(): void {
  const next = waiting.shift()!
  asked = false
  if (waiting.length > 0) ask()
  next()
}

/** Works through steps, with turns for others after every few milliseconds of them. */
export async function inTurns<T>(steps: Generator<unknown, T>, milliseconds = 6): Promise<T> {
  for (let until = performance.now() + milliseconds; ; ) {
    const { done, value } = steps.next()
    if (done) return value
    if (performance.now() < until) continue
    await nextTurn()
    until = performance.now() + milliseconds
  }
}

/** Lets others have their turns in a loop that may take long. */
export class Turns {
  readonly #milliseconds: number
  #until: number

  constructor(milliseconds = 6) {
    this.#milliseconds = milliseconds
    this.#until = performance.now() + milliseconds
  }

  /** Between two steps: waits only where these have taken long enough since the last turn. */
  async step(): Promise<void> {
    if (performance.now() < this.#until) return
    await nextTurn()
    this.#until = performance.now() + this.#milliseconds
  }
}

/** Works through steps in one go. */
export function atOnce<T>(steps: Generator<unknown, T>): T {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}
