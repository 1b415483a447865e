import { confirmed } from '../confirm.ts'
import { type Context, parseNumber } from '../context.ts'
import { embedderOf } from '../embedder.ts'
import { EXIT } from '../exit.ts'
import { Progress } from '../progress.ts'
import { count } from '../terminal.ts'

export async function run(
  context: Context,
  [name]: readonly string[],
  options: { readonly estimate?: boolean; readonly perMinute?: string; readonly yes?: boolean },
): Promise<number> {
  const perMinute =
    options.perMinute === undefined ? undefined : parseNumber('--per-minute', options.perMinute)
  const collection = await context.collection()
  const embedder = await embedderOf(name!)
  try {
    const estimate = await collection.estimateSwitch(embedder)
    const { texts, characters, tokens } = estimate
    const amount = `${count(texts, 'text')} of ${characters} characters, about ${tokens} tokens`
    if (options.estimate === true) {
      if (context.json) context.printJson({ estimate })
      else context.print(`${amount}, would be embedded by ${embedder.id}`)
      return EXIT.ok
    }
    if (texts > 0 && options.yes !== true && !(await confirmed(`Embed ${amount}, by ${embedder.id}?`)))
      return EXIT.failure
    const progress = await Progress.start()
    const switched = await collection
      .switchEmbedder(embedder, {
        signal: context.signal,
        onProgress: (embedded) => progress.update('embedding', embedded, texts),
        ...(perMinute === undefined ? {} : { perMinute }),
      })
      .finally(() => progress.stop())
    if (context.json) context.printJson({ estimate, ...switched })
    else
      context.print(
        `${collection.name} uses ${embedder.id} now; ${count(switched.embedded, 'text')} embedded  ${context.colors.dim(`position ${switched.position}`)}`,
      )
    return EXIT.ok
  } finally {
    await embedder.close?.()
  }
}
