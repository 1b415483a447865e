import { SpanstoreClient } from '../../client/index.ts'
import { isSpanStoreError } from '../../core/errors.ts'
import type { EventType, StoreApi, StoreEvent, SubscribeOptions } from '../../index.ts'
import { type Context, typedKey } from '../context.ts'
import { EXIT } from '../exit.ts'
import { safe } from '../terminal.ts'

export async function run(
  context: Context,
  _: readonly string[],
  options: {
    readonly from: string
    readonly type?: readonly string[]
    readonly source?: readonly string[]
    readonly key?: readonly string[]
    readonly consumer?: string
    readonly once?: boolean
    readonly url?: string
  },
): Promise<number> {
  const store = await followed(context, options.url)
  const subscription: SubscribeOptions = {
    from: /^\d+$/.test(options.from) ? Number(options.from) : options.from,
    follow: options.once !== true,
    signal: context.signal,
    ...(context.collectionGiven ? { collections: [context.collectionName] } : {}),
    ...(options.type === undefined ? {} : { types: options.type as EventType[] }),
    ...(options.source === undefined ? {} : { sources: options.source }),
    ...(options.key === undefined ? {} : { keys: options.key.map(typedKey) }),
    ...(options.consumer === undefined ? {} : { consumer: options.consumer }),
  }
  try {
    for await (const event of store.subscribe(subscription)) {
      if (context.json) context.printJson(event)
      else context.print(line(context, event))
      await event.ack()
    }
  } catch (error) {
    // Interrupting is how a watch ends.
    if (!isSpanStoreError(error, 'ABORTED')) throw error
  } finally {
    // A store of this machine is the context's to close.
    if (options.url !== undefined) await store.close()
  }
  return EXIT.ok
}

/** The store of this machine, or one behind a server. */
async function followed(context: Context, url: string | undefined): Promise<StoreApi> {
  if (url !== undefined) {
    const token = process.env.SPANSTORE_TOKEN
    return await SpanstoreClient.connect(url, token === undefined ? {} : { token })
  }
  if (context.collectionGiven) await context.collection()
  return await context.existing()
}

const MARKS: Readonly<Record<string, 'green' | 'red' | 'yellow' | 'cyan'>> = {
  'span.added': 'green',
  'span.retired': 'red',
  'span.erased': 'red',
  'source.removed': 'red',
  'summary.stale': 'red',
  'summary.current': 'green',
  'summary.registered': 'green',
  'span.moved': 'cyan',
  'span.updated': 'cyan',
}

/** An event on one line: when, where, what, which key, and what it says. */
export function line(context: Context, event: StoreEvent): string {
  const { colors } = context
  const mark = MARKS[event.type]
  const type = event.type.padEnd(18)
  return [
    colors.dim(event.time.slice(11, 19)),
    colors.dim(`${safe(event.collection)} ${event.position}`),
    mark === undefined ? type : colors[mark](type),
    event.subject ?? '',
    told(event),
  ]
    .filter((part) => part !== '')
    .join('  ')
}

function told({ type, data }: StoreEvent): string {
  const of = (place: { source?: string; session?: string }) =>
    place.source === undefined ? `session ${place.session}` : safe(place.source)
  switch (type) {
    case 'span.added':
    case 'span.moved':
      return `${of(data)}, revision ${data.revision}`
    case 'span.updated':
      return `${of(data)}: ${data.fields.join(', ')}`
    case 'span.retired':
      return `${of(data)}: ${data.reason}${data.successors.length > 0 ? `, now ${data.successors.join(' ')}` : ''}`
    case 'span.erased':
      return of(data)
    case 'source.revised':
      return `${of(data)}, revision ${data.revision}: ${data.kept} kept, ${data.added} added, ${data.retired} retired`
    case 'source.removed':
      return `${of(data)}, revision ${data.revision}`
    case 'collection.created':
    case 'collection.dropped':
      return safe(data.name)
    case 'collection.renamed':
      return `${safe(data.from)} → ${safe(data.to)}`
    case 'summary.registered':
      return `${of(data)}, epoch ${data.epoch}${data.replaces === undefined ? '' : `, in the place of ${data.replaces}`}`
    case 'summary.stale':
      return `${of(data)}: ${data.state}, because of ${data.cause}`
    case 'summary.superseded':
      return `${of(data)}, now ${data.successor}`
    case 'summary.current':
    case 'session.resumed':
      return of(data)
    case 'session.frozen':
      return `${of(data)}: ${safe(data.reason)}`
    case 'epoch.discarded':
      return `${of(data)}, epoch ${data.epoch}`
    case 'index.rebuilt':
      return data.embedder
  }
}
