import type { Context } from '../context.ts'
import { EXIT, UsageError } from '../exit.ts'
import { count, safe, table, when } from '../terminal.ts'

export async function run(
  context: Context,
  [name]: readonly string[],
  options: { readonly reset?: string; readonly replay?: boolean; readonly delete?: boolean },
): Promise<number> {
  const chosen = [options.reset, options.replay, options.delete].filter((option) => option !== undefined)
  if (chosen.length > 1) throw new UsageError('give one of --reset, --replay and --delete')
  if (chosen.length > 0 && name === undefined) throw new UsageError('name the consumer')
  const consumers = (await context.existing()).consumers()
  if (options.delete === true) {
    await consumers.delete(name!)
    if (context.json) context.printJson({ deleted: name })
    else context.print(`${safe(name!)} is forgotten, with its cursors and dead letters.`)
    return EXIT.ok
  }
  if (options.replay === true) {
    const { replayed } = await consumers.replay(name!, 'all')
    if (context.json) context.printJson({ consumer: name, replayed })
    else context.print(`${count(replayed, 'dead letter')} will be delivered again.`)
    return EXIT.ok
  }
  if (options.reset !== undefined) {
    const { reset } = options
    await consumers.reset(name!, /^\d+$/.test(reset) ? Number(reset) : reset)
    if (context.json) context.printJson({ consumer: name, reset })
    else context.print(`${safe(name!)} reads on from ${reset}.`)
    return EXIT.ok
  }
  const infos = (await consumers.list()).filter((info) => name === undefined || info.name === name)
  // An unknown name is an error, not an empty list.
  if (name !== undefined && infos.length === 0) await consumers.lag(name)
  const lags = await Promise.all(infos.map((info) => consumers.lag(info.name)))
  const letters = name === undefined ? [] : await consumers.deadLetters(name)
  const shown = infos.map((info, i) => ({ ...info, lag: lags[i]! }))
  if (context.json) {
    context.printJson(name === undefined ? shown : { ...shown[0], deadLetters: letters })
    return EXIT.ok
  }
  const { colors } = context
  if (infos.length === 0) {
    context.print('Nobody reads the events of this store durably: spanstore watch --consumer NAME')
    return EXIT.ok
  }
  context.print(
    ...table(
      colors,
      [
        { title: 'consumer' },
        { title: 'behind', right: true },
        { title: 'for' },
        { title: 'dead letters', right: true },
        { title: 'held until' },
        { title: 'filter' },
      ],
      shown.map((info) => [
        safe(info.name),
        String(info.lag.events),
        info.lag.events === 0 ? '' : `${Math.round(info.lag.age / 1000)} s`,
        String(info.deadLetters),
        info.leasedUntil === undefined ? '' : when(info.leasedUntil),
        Object.keys(info.filter).length === 0 ? 'everything' : safe(JSON.stringify(info.filter)),
      ]),
    ),
  )
  for (const { collection, position, attempts, error, at } of letters)
    context.print(
      `${colors.red('dead')}  ${safe(collection)} ${position}  ${when(at)}  ${count(attempts, 'attempt')}${
        error === undefined ? '' : `: ${safe(error)}`
      }`,
    )
  return EXIT.ok
}
