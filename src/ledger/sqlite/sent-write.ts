import type { RecordChange } from '../../core/record.ts'
import type { WriteOptions } from '../../ports/planned.ts'
import { nextTurn } from '../../threads/turn.ts'
import { CURRENT_METADATA } from './heads.ts'
import { readRecord } from './records.ts'
import type { Connection } from './statements.ts'
import { OUTDATED, type Patch, type WriteCommand } from './write-command.ts'

/*
 * A write as a thread is told of it. What new metadata are is decided by functions of the store, which cannot be sent;
 * so they are asked before, here, for what the metadata are now, and the thread is given their answers. Should the
 * metadata be others by then, the write is made anew.
 */

type Answer = readonly [before: string | undefined, after: string | undefined]

type SentChange = Omit<RecordChange, 'metadata'> & { readonly answer?: Answer }

type Update = Extract<WriteCommand, { verb: 'update' }>
type Records = Extract<WriteCommand, { verb: 'records' }>

type SentCommand =
  | Exclude<WriteCommand, Update | Records>
  | (Omit<Update, 'patch'> & { readonly answers: readonly Answer[] })
  | (Omit<Records, 'changes'> & { readonly changes: readonly SentChange[] })

export interface Sent {
  readonly command: SentCommand
  readonly options: WriteOptions
}

/** Whose metadata are asked for. */
export type Sought = { readonly keys: readonly string[] } | { readonly sources: readonly string[] }

/** Functions answered at a stretch. */
const ANSWERED = 250

/**
 * Asks a command's functions about what `read` says. Undefined: it has to be carried out where the functions are,
 * because one of them refuses, or two changes concern one record.
 */
export async function withAnswers(
  command: WriteCommand,
  read: (sought: Sought) => Promise<readonly (string | undefined)[]>,
): Promise<SentCommand | undefined> {
  if (command.verb === 'update') {
    const { patch, ...rest } = command
    const answers = await answered(await read({ keys: command.keys }), () => patch)
    return answers && { ...rest, answers }
  }
  if (command.verb !== 'records') return command
  const sources = command.changes.map(({ source }) => source)
  if (new Set(sources).size < sources.length) return undefined
  const patches = command.changes.map(({ metadata }) => metadata)
  const before = patches.some((patch) => patch !== undefined) ? await read({ sources }) : []
  const answers = await answered(
    patches.map((_, i) => before[i]),
    (i) => patches[i],
  )
  if (answers === undefined) return undefined
  const changes = command.changes.map(({ metadata, ...change }, i) =>
    metadata === undefined ? change : { ...change, answer: answers[i]! },
  )
  return { ...command, changes }
}

async function answered(
  before: readonly (string | undefined)[],
  patchOf: (i: number) => Patch | undefined,
): Promise<readonly Answer[] | undefined> {
  const answers: Answer[] = []
  for (const metadata of before) {
    if (answers.length % ANSWERED === ANSWERED - 1) await nextTurn()
    try {
      answers.push([metadata, patchOf(answers.length)?.(metadata)])
    } catch {
      // Whatever is wrong with it is said where it is carried out, unless something else is wrong before.
      return undefined
    }
  }
  return answers
}

/** What the metadata of keys, each kind once, or of records, each in its place, are now. */
export function metadataBefore(
  connection: Connection,
  collection: number,
  sought: Sought,
): (string | undefined)[] {
  if ('sources' in sought)
    return sought.sources.map((source) => {
      const found = readRecord(connection, collection, source, false)
      return found.status === 'ok' ? found.record.metadata : undefined
    })
  const rows = connection.rows<[string | null]>(
    `SELECT DISTINCT ${CURRENT_METADATA} FROM json_each(?) j CROSS JOIN span s ON s.key = j.value WHERE s.collection = ?`,
    JSON.stringify(sought.keys),
    collection,
  )
  return [...new Set(rows.map(([metadata]) => (metadata === '{}' ? undefined : (metadata ?? undefined))))]
}

/** The command as it was, its functions made of the answers. */
export function received(command: SentCommand): WriteCommand {
  if ('answers' in command) {
    const { answers, ...rest } = command
    return { ...rest, patch: patchOf(answers) }
  }
  if (command.verb !== 'records') return command
  const changes = command.changes.map(({ answer, ...change }: SentChange) =>
    answer === undefined ? change : { ...change, metadata: patchOf([answer]) },
  )
  return { ...command, changes }
}

function patchOf(answers: readonly Answer[]): Patch {
  const known = new Map(answers)
  return (before) => {
    if (!known.has(before)) throw OUTDATED
    return known.get(before)
  }
}
