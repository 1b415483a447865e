import { checkAnchorIsolation, type Language } from '../../index.ts'
import type { Context } from '../context.ts'
import { EXIT, UsageError } from '../exit.ts'
import { count } from '../terminal.ts'
import { readText } from './put.ts'

const LANGUAGES: readonly Language[] = ['en', 'de']

export async function run(
  context: Context,
  [file]: readonly string[],
  options: { readonly minDensity: string; readonly language?: readonly string[] },
): Promise<number> {
  const floor = Number(options.minDensity)
  if (options.minDensity.trim() === '' || !(floor >= 0 && floor <= 1))
    throw new UsageError(`--min-density is ${JSON.stringify(options.minDensity)}; give a number from 0 to 1`)
  const unknown = options.language?.find((code) => !LANGUAGES.includes(code as Language))
  if (unknown !== undefined)
    throw new UsageError(`--language is ${JSON.stringify(unknown)}; there are ${LANGUAGES.join(', ')}`)
  const summary = await readText(file)
  const store = await context.existing()
  const within = context.collectionGiven ? await context.collection() : store
  const found = await checkAnchorIsolation(summary, (key) => within.fetch(key), {
    minAnchorDensity: floor,
    ...(options.language === undefined ? {} : { languages: options.language as Language[] }),
  })
  if (context.json) context.printJson(found)
  else {
    const { colors } = context
    context.print(
      `${found.holds ? colors.green('holds') : colors.red('broken')}  ${count(found.anchors.length, 'anchor')}, ${count(
        found.elisions.length,
        'elision',
      )}, density ${found.density.toFixed(2)}`,
      ...found.violations.map(({ code, message }) => `${colors.bold(code)}  ${message}`),
      ...found.orphans.map(({ text, at }) =>
        colors.dim(`"${text}" at ${at} stands in a sentence that prints no key`),
      ),
    )
  }
  return found.holds ? EXIT.ok : EXIT.refused
}
