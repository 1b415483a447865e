import { type Context, parseNumber } from '../context.ts'
import { EXIT } from '../exit.ts'

export async function run(
  context: Context,
  _: readonly string[],
  options: { readonly repair?: boolean; readonly embeddings?: string },
): Promise<number> {
  if (options.embeddings !== undefined)
    return await compareEmbeddings(context, parseNumber('--embeddings', options.embeddings))
  const store = await context.existing()
  const problems = await store.verify(options.repair === true ? { repair: true } : {})
  const open = problems.filter((problem) => !problem.repaired)
  if (context.json) context.printJson({ ok: open.length === 0, problems })
  else {
    const { colors } = context
    for (const { code, what, repaired } of problems)
      context.print(`${repaired ? colors.green('repaired') : colors.red('wrong')}  ${code}  ${what}`)
    if (open.length === 0) context.print(colors.green('All is well.'))
    else if (options.repair !== true)
      context.print(
        'Set right what can be derived: spanstore verify --repair; restore a backup for the rest.',
      )
  }
  return open.length === 0 ? EXIT.ok : EXIT.failure
}

/** Below this, rounding and other hardware do not explain it. */
const SAME = 0.999

async function compareEmbeddings(context: Context, count: number): Promise<number> {
  const collection = await context.collection()
  const check = await collection.checkEmbeddings(count, { signal: context.signal })
  const same = check.least >= SAME
  if (context.json) context.printJson({ ok: same, ...check })
  else {
    const { colors } = context
    const figures = `${check.compared} compared, cosine ${check.least.toFixed(4)} at least, ${check.mean.toFixed(4)} on average`
    context.print(`${same ? colors.green('the same') : colors.red('changed')}  ${check.embedder}: ${figures}`)
    if (!same) {
      for (const { key, cosine } of check.furthest.filter((one) => one.cosine < SAME))
        context.print(`${cosine.toFixed(4)}  ${key}`)
      context.print(
        'The model is not what it was: queries are compared with vectors of another. Switch to it under another name.',
      )
    }
  }
  return same ? EXIT.ok : EXIT.failure
}
