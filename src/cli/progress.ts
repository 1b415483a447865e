import type { SingleBar } from 'cli-progress'

/** A bar on stderr, when that is a terminal; otherwise nothing. */
export class Progress {
  #bar: SingleBar | undefined
  #phase = ''

  static async start(): Promise<Progress> {
    const progress = new Progress()
    if (process.stderr.isTTY === true) {
      const { default: bars } = await import('cli-progress')
      progress.#bar = new bars.SingleBar(
        {
          format: '{phase} {bar} {value}/{total}',
          hideCursor: true,
          clearOnComplete: true,
          stream: process.stderr,
        },
        bars.Presets.shades_classic,
      )
    }
    return progress
  }

  readonly update = (phase: string, done: number, total: number): void => {
    const bar = this.#bar
    if (bar === undefined || total === 0) return
    if (phase !== this.#phase) {
      if (this.#phase !== '') bar.stop()
      this.#phase = phase
      bar.start(total, done, { phase })
    } else {
      bar.setTotal(total)
      bar.update(done, { phase })
    }
  }

  stop(): void {
    if (this.#phase !== '') this.#bar?.stop()
    this.#phase = ''
  }
}
