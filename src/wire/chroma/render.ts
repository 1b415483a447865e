import type { LiveRecord } from '../../core/record.ts'
import { metadataText, uriOf } from './metadata.ts'
import { floatText, vectorText } from './numbers.ts'
import type { QueryHit } from './query.ts'
import type { Include } from './records.ts'
import type { SearchAnswer, SearchHit } from './search.ts'

/*
 * Answers in JSON, put together from texts: metadata are stored as they are printed, and vectors are printed in a way
 * of their own.
 */

const documentText = ({ text }: LiveRecord): string => (text === undefined ? 'null' : JSON.stringify(text))
const embeddingText = ({ vector }: LiveRecord): string => (vector === undefined ? 'null' : vectorText(vector))
const uriText = ({ metadata }: LiveRecord): string => JSON.stringify(uriOf(metadata))

/** One column, or null where it was not asked for. */
const column = <T>(wanted: boolean, items: readonly T[], text: (item: T) => string): string =>
  wanted ? `[${items.map(text).join(',')}]` : 'null'

export function getText(records: readonly LiveRecord[], include: readonly Include[]): string {
  const wants = (name: Include) => include.includes(name)
  return `{"ids":${JSON.stringify(records.map(({ source }) => source))},"embeddings":${column(
    wants('embeddings'),
    records,
    embeddingText,
  )},"documents":${column(wants('documents'), records, documentText)},"uris":${column(
    wants('uris'),
    records,
    uriText,
  )},"metadatas":${column(wants('metadatas'), records, ({ metadata }) => metadataText(metadata))},"include":${JSON.stringify(include)}}`
}

export function queryText(answers: readonly (readonly QueryHit[])[], include: readonly Include[]): string {
  const columns = (wanted: boolean, text: (hit: QueryHit) => string) =>
    column(wanted, answers, (hits) => `[${hits.map(text).join(',')}]`)
  const wants = (name: Include) => include.includes(name)
  return `{"ids":${JSON.stringify(answers.map((hits) => hits.map(({ record }) => record.source)))},"embeddings":${columns(
    wants('embeddings'),
    ({ record }) => embeddingText(record),
  )},"documents":${columns(wants('documents'), ({ record }) => documentText(record))},"uris":${columns(
    wants('uris'),
    ({ record }) => uriText(record),
  )},"metadatas":${columns(wants('metadatas'), ({ record }) => metadataText(record.metadata))},"distances":${columns(
    wants('distances'),
    ({ distance }) => floatText(distance),
  )},"include":${JSON.stringify(include)}}`
}

const KEYS: Readonly<Record<string, string>> = {
  '#document': 'Document',
  '#embedding': 'Embedding',
  '#metadata': 'Metadata',
  '#score': 'Score',
}

/** Names of metadata asked for one by one. */
const fieldsOf = (select: readonly string[]): readonly string[] =>
  select.filter((key) => !key.startsWith('#'))

function selectedMetadata(hit: SearchHit, select: readonly string[]): string {
  const text = metadataText(hit.record.metadata)
  if (select.includes('#metadata')) return text
  const fields = fieldsOf(select)
  const all = JSON.parse(text) as Record<string, unknown> | null
  const chosen = fields.filter((name) => all !== null && Object.hasOwn(all, name))
  return JSON.stringify(Object.fromEntries(chosen.map((name) => [name, all![name]])))
}

export function searchText(answers: readonly SearchAnswer[]): string {
  const columns = (
    wanted: (select: readonly string[]) => boolean,
    text: (hit: SearchHit, select: readonly string[]) => string,
  ) =>
    `[${answers
      .map(({ hits, select }) => column(wanted(select), hits, (hit) => text(hit, select)))
      .join(',')}]`
  const select = answers.map((one) => one.select.map((key) => KEYS[key] ?? { MetadataField: key }))
  return `{"ids":${JSON.stringify(answers.map(({ hits }) => hits.map(({ record }) => record.source)))},"documents":${columns(
    (keys) => keys.includes('#document'),
    ({ record }) => documentText(record),
  )},"embeddings":${columns(
    (keys) => keys.includes('#embedding'),
    ({ record }) => embeddingText(record),
  )},"metadatas":${columns(
    (keys) => keys.includes('#metadata') || fieldsOf(keys).length > 0,
    selectedMetadata,
  )},"scores":${columns(
    (keys) => keys.includes('#score'),
    ({ score }) => (score === undefined ? 'null' : floatText(score)),
  )},"select":${JSON.stringify(select)}}`
}
