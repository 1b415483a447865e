import { createHmac } from 'node:crypto'
import { SpanStoreError } from '../../core/errors.ts'
import type { NewSpan } from '../../ports/planned.ts'
import { type Connection, insertInto } from './statements.ts'

const INSERT_REFUSAL = `${insertInto('refusal', ['source', 'code'])} ON CONFLICT DO NOTHING`

function refusalCode(connection: Connection, text: string): string {
  const secret = connection.value<string>('SELECT secret FROM store')!
  return createHmac('sha256', secret).update(text).digest('base64url')
}

export function rememberErased(connection: Connection, source: number, text: string): void {
  connection.run(INSERT_REFUSAL, source, refusalCode(connection, text))
}

export function refuseErased(
  connection: Connection,
  source: number,
  name: string,
  spans: readonly (NewSpan | undefined)[],
  readmit: boolean,
) {
  if (readmit || connection.value('SELECT 1 FROM refusal WHERE source = ? LIMIT 1', source) === undefined)
    return
  const ordinals = spans.flatMap((span, i) =>
    span?.text !== undefined &&
    connection.value(
      'SELECT 1 FROM refusal WHERE source = ? AND code = ?',
      source,
      refusalCode(connection, span.text),
    ) !== undefined
      ? [i]
      : [],
  )
  if (ordinals.length === 0) return
  throw new SpanStoreError(
    'ERASED_TEXT',
    `source ${JSON.stringify(name)}: ${ordinals.length === 1 ? `chunk ${ordinals[0]} was` : `chunks ${ordinals.join(', ')} were`} erased from it; leave the text out, or take it back with readmit: true`,
    { source: name, ordinals },
  )
}
