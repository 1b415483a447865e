/** One promise an implementation has to keep. `run` rejects, with an `AssertionError` mostly, where it does not. */
export interface ConformanceCase {
  readonly name: string
  run(): Promise<void>
}

/** Opens what is to be tested, empty, and closes it whatever happens. */
export function cases<Subject extends { close(): Promise<void> }>(
  open: () => Promise<Subject>,
  promises: Readonly<Record<string, (subject: Subject) => Promise<void>>>,
): readonly ConformanceCase[] {
  return Object.entries(promises).map(([name, keep]) => ({
    name,
    async run() {
      const subject = await open()
      try {
        await keep(subject)
      } finally {
        await subject.close()
      }
    },
  }))
}
