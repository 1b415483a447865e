import { isDeepStrictEqual } from 'node:util'
import type { Json } from '../../core/json.ts'
import type { Metric } from '../../core/model.ts'
import { isObject, type Parsed, type ParsedObject } from './body.ts'
import { invalid, misshapen } from './failure.ts'
import type { FieldType } from './metadata.ts'
import { ExactNumber } from './numbers.ts'

/*
 * Chroma keeps a collection's configuration twice, as `configuration_json` and inside its `schema`, and clients read
 * both back. Here the schema is kept, and the configuration is derived from it. Of all this only the space means
 * anything to the store, which has no HNSW graph to tune.
 */

type Plain = { [key: string]: Json }

const HNSW_DEFAULTS = {
  ef_construction: 100,
  max_neighbors: 16,
  ef_search: 100,
  num_threads: 2,
  batch_size: 100,
  sync_threshold: 1000,
  resize_factor: 1.2,
}

const ON = { enabled: true, config: {} }
const OFF = { enabled: false, config: {} }

const vectorIndex = (enabled: boolean, config: Plain): Plain => ({
  vector_index: { enabled, config },
})

const defaultSchema = (): Plain => ({
  defaults: {
    string: { fts_index: OFF, string_inverted_index: ON },
    float_list: vectorIndex(false, { space: 'l2', hnsw: { ...HNSW_DEFAULTS } }),
    sparse_vector: {
      sparse_vector_index: {
        enabled: false,
        config: { embedding_function: { type: 'unknown' }, bm25: false },
      },
    },
    int: { int_inverted_index: ON },
    float: { float_inverted_index: ON },
    bool: { bool_inverted_index: ON },
  },
  keys: {
    '#document': { string: { fts_index: ON, string_inverted_index: OFF } },
    '#embedding': {
      float_list: vectorIndex(true, {
        space: 'l2',
        source_key: '#document',
        hnsw: { ...HNSW_DEFAULTS },
      }),
    },
  },
})

/** A schema as it is stored and echoed. */
export interface CollectionSchema {
  readonly schema: Plain
  readonly space: Metric
}

interface Wanted {
  readonly space?: Metric
  readonly hnsw?: Plain
  readonly embedding_function?: Json
}

/** What a new collection is told. @throws ChromaFailure 400, 422 */
export function createdSchema(
  configuration: Parsed | undefined,
  schema: Parsed | undefined,
  metadata: ParsedObject | undefined,
): CollectionSchema {
  const given = configuration == null ? {} : wantedOf(configuration)
  const told = Object.keys({ ...given, ...wantedOfMetadata(metadata) }).length > 0
  const hnswGiven = isObject(configuration) && (configuration.hnsw != null || configuration.spann != null)
  const wanted = hnswGiven ? given : { ...wantedOfMetadata(metadata), ...given }
  const base = schema == null ? defaultSchema() : mergedSchema(schema, told)
  return withWanted(base, wanted)
}

/** `new_configuration`. @throws ChromaFailure 422 */
export function updatedSchema(schema: Plain, change: Parsed): CollectionSchema {
  const path = 'new_configuration'
  if (!isObject(change))
    throw misshapen(`${path}: invalid type, expected struct UpdateCollectionConfiguration`)
  const hnsw = hnswOf(change.hnsw, `${path}.hnsw`, UPDATED_HNSW)
  if (change.spann != null && !isObject(change.spann))
    throw misshapen(`${path}.spann: invalid type, expected struct UpdateSpannConfiguration`)
  const embedding = embeddingFunctionOf(change.embedding_function, `${path}.embedding_function`)
  return withWanted(structuredClone(schema), {
    ...(hnsw === undefined ? {} : { hnsw }),
    ...(embedding === undefined ? {} : { embedding_function: embedding }),
  })
}

const FIELD_INDEX: Readonly<Record<FieldType, Plain>> = {
  string: { fts_index: OFF, string_inverted_index: ON },
  bool: { bool_inverted_index: ON },
  int: { int_inverted_index: ON },
  float: { float_inverted_index: ON },
}

/** A schema with the fields that records have, as Chroma shows it. */
export function shownSchema(schema: Plain, fields: { readonly [name: string]: readonly FieldType[] }): Plain {
  const found = Object.entries(fields).map(
    ([name, types]) => [name, Object.fromEntries(types.map((type) => [type, FIELD_INDEX[type]]))] as const,
  )
  return { ...schema, keys: merged(Object.fromEntries(found), schema.keys as Plain) }
}

/** `configuration_json`. */
export function configurationOf(schema: Plain): Plain {
  const config = embeddingConfig(schema)
  const { ef_construction, ef_search, max_neighbors, resize_factor, sync_threshold } = config.hnsw as Plain
  return {
    hnsw: {
      space: config.space!,
      ef_construction: ef_construction!,
      ef_search: ef_search!,
      max_neighbors: max_neighbors!,
      resize_factor: resize_factor!,
      sync_threshold: sync_threshold!,
    },
    spann: null,
    embedding_function: config.embedding_function ?? null,
  }
}

// ── what is asked for ───────────────────────────────────────────────────────────────────────────────────────

const SPACES = ['l2', 'cosine', 'ip']
const CREATED_HNSW = ['space', ...Object.keys(HNSW_DEFAULTS)]
const UPDATED_HNSW = [
  'ef_search',
  'max_neighbors',
  'num_threads',
  'resize_factor',
  'sync_threshold',
  'batch_size',
]

function wantedOf(configuration: Parsed): Wanted {
  if (!isObject(configuration))
    throw misshapen('configuration: invalid type, expected struct CollectionConfiguration')
  const hnsw = hnswOf(configuration.hnsw, 'configuration.hnsw', CREATED_HNSW)
  const spann = configuration.spann
  if (spann != null && !isObject(spann))
    throw misshapen('configuration.spann: invalid type, expected struct SpannConfiguration')
  if (hnsw !== undefined && spann != null) throw invalid('Multiple vector index configurations provided')
  const { space, ...parameters } = hnsw ?? {}
  const chosen =
    space ?? (spann?.space == null ? undefined : spaceOf(spann.space, 'configuration.spann.space'))
  const embedding = embeddingFunctionOf(configuration.embedding_function, 'configuration.embedding_function')
  return {
    ...(chosen === undefined ? {} : { space: chosen as Metric }),
    ...(Object.keys(parameters).length === 0 ? {} : { hnsw: parameters }),
    ...(embedding === undefined ? {} : { embedding_function: embedding }),
  }
}

function spaceOf(value: Parsed, path: string): Metric {
  if (typeof value === 'string' && SPACES.includes(value)) return value as Metric
  throw misshapen(
    `${path}: unknown variant ${JSON.stringify(value)}, expected one of \`l2\`, \`cosine\`, \`ip\``,
  )
}

function hnswOf(value: Parsed | undefined, path: string, known: readonly string[]): Plain | undefined {
  if (value === undefined || value === null) return undefined
  if (!isObject(value)) throw misshapen(`${path}: invalid type, expected struct HnswConfiguration`)
  const hnsw: Plain = {}
  for (const [name, member] of Object.entries(value)) {
    const here = `${path}.${name}`
    if (!known.includes(name))
      throw misshapen(
        `${here}: unknown field \`${name}\`, expected one of ${known.map((one) => `\`${one}\``).join(', ')}`,
      )
    if (member === null) continue
    if (name === 'space') hnsw.space = spaceOf(member, here)
    else if (name === 'resize_factor') {
      const factor = plain(member)
      if (typeof factor !== 'number') throw misshapen(`${here}: invalid type, expected f64`)
      hnsw[name] = factor
    } else {
      if (typeof member !== 'number' || !Number.isInteger(member) || member < 0)
        throw misshapen(`${here}: invalid value: ${JSON.stringify(member)}, expected usize`)
      hnsw[name] = member
    }
  }
  return hnsw
}

function embeddingFunctionOf(value: Parsed | undefined, path: string): Json | undefined {
  if (value === undefined || value === null) return undefined
  if (!isObject(value)) throw misshapen(`${path}: invalid type, expected EmbeddingFunctionConfiguration`)
  const { type, name, config } = value
  if (type === 'legacy' || type === 'unknown') return { type }
  if (type !== 'known')
    throw misshapen(
      `${path}.type: unknown variant ${JSON.stringify(type)}, expected one of \`legacy\`, \`known\`, \`unknown\``,
    )
  if (typeof name !== 'string') throw misshapen(`${path}: missing field \`name\``)
  if (config === undefined) throw misshapen(`${path}: missing field \`config\``)
  return { type, name, config: plain(config) }
}

const FROM_METADATA: Readonly<Record<string, string>> = {
  'hnsw:M': 'max_neighbors',
  'hnsw:search_ef': 'ef_search',
  'hnsw:construction_ef': 'ef_construction',
  'hnsw:num_threads': 'num_threads',
  'hnsw:batch_size': 'batch_size',
  'hnsw:sync_threshold': 'sync_threshold',
  'hnsw:resize_factor': 'resize_factor',
}

/** How collections were configured before they had a configuration. */
function wantedOfMetadata(metadata: ParsedObject | undefined): Wanted {
  const unusable = () => invalid('Failed to parse hnsw parameters from segment metadata')
  const hnsw: Plain = {}
  let space: Metric | undefined
  for (const [name, member] of Object.entries(metadata ?? {})) {
    if (name === 'hnsw:space') {
      if (typeof member !== 'string' || !SPACES.includes(member)) throw unusable()
      space = member as Metric
    } else if (Object.hasOwn(FROM_METADATA, name)) {
      const value = plain(member)
      if (typeof value !== 'number' || value < 0) throw unusable()
      hnsw[FROM_METADATA[name]!] = value
    }
  }
  return {
    ...(space === undefined ? {} : { space }),
    ...(Object.keys(hnsw).length === 0 ? {} : { hnsw }),
  }
}

// ── schemas ─────────────────────────────────────────────────────────────────────────────────────────────────

/** Without what JavaScript's numbers cannot say. */
export function plain(value: Parsed): Json {
  if (value instanceof ExactNumber) return value.value
  if (Array.isArray(value)) return (value as readonly Parsed[]).map(plain)
  if (!isObject(value)) return value as Json
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, plain(member)]))
}

/** A client's schema over the default one. `told`: a configuration is given, too. */
function mergedSchema(schema: Parsed, told: boolean): Plain {
  if (!isObject(schema)) throw misshapen('schema: invalid type, expected struct Schema')
  for (const name of ['defaults', 'keys']) {
    if (schema[name] === undefined) throw misshapen(`schema: missing field \`${name}\``)
    if (!isObject(schema[name])) throw misshapen(`schema.${name}: invalid type, expected a map`)
  }
  const given = plain(schema) as { defaults: Plain; keys: Plain }
  const base = defaultSchema() as { defaults: Plain; keys: Plain }
  for (const name of Object.keys(given.defaults)) if (!(name in base.defaults)) delete given.defaults[name]
  if (enabledAt(given.defaults, 'string', 'fts_index'))
    throw invalid(
      'Validation error: schema: Full text search / regular expression index cannot be enabled by default. It can only be enabled on #document field.',
    )
  for (const [name, types] of [['defaults', given.defaults] as const, ...Object.entries(given.keys)]) {
    if (!isPlain(types)) throw misshapen(`schema.keys.${name}: invalid type, expected struct ValueTypes`)
    if (enabledAt(types, 'sparse_vector', 'sparse_vector_index'))
      throw invalid(
        'Failed to reconcile schema: Invalid schema input: Sparse vector indexing is not enabled in local',
      )
  }
  if (enabledAt(given.defaults, 'float_list', 'vector_index'))
    throw invalid(
      'Validation error: schema: Vector index cannot be enabled by default. It can only be enabled on #embedding field.',
    )
  for (const [name, types] of Object.entries(given.keys)) {
    const all = types as Plain
    if (name !== '#embedding' && enabledAt(all, 'float_list', 'vector_index'))
      throw invalid('Validation error: schema: Vector index can only be enabled on #embedding field.')
    const odd =
      name === '#embedding'
        ? Object.keys(all).some((type) => type !== 'float_list')
        : name === '#document' && enabledAt(all, 'string', 'string_inverted_index')
    if (odd) throw invalid(`Validation error: schema: ${name} cannot have that index`)
  }
  const vector = at(given.keys, '#embedding', 'float_list', 'vector_index', 'config')
  if (vector?.source_key != null && vector.source_key !== '#document')
    throw invalid('Validation error: schema: Vector index can only source from #document')
  for (const config of [vector, at(given.defaults, 'float_list', 'vector_index', 'config')]) {
    if (config === undefined) continue
    // Not kept on one machine; its space would be kept elsewhere.
    delete config.spann
    if (config.space === null) delete config.space
    if (config.space !== undefined) spaceOf(config.space as Parsed, 'schema: vector_index.config.space')
    if (config.hnsw === null) delete config.hnsw
    hnswOf(config.hnsw as Parsed | undefined, 'schema: vector_index.config.hnsw', CREATED_HNSW.slice(1))
  }
  const reconciled = merged(base, given)
  if (told && !isDeepStrictEqual(reconciled, defaultSchema()))
    throw invalid('Cannot set both collection config and schema at the same time')
  return reconciled
}

const isPlain = (value: Json | undefined): value is Plain =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function at(value: Plain, ...names: readonly string[]): Plain | undefined {
  let found: Json | undefined = value
  for (const name of names) found = isPlain(found) ? found[name] : undefined
  return isPlain(found) ? found : undefined
}

const enabledAt = (types: Plain, type: string, index: string): boolean =>
  at(types, type, index)?.enabled === true

function merged(base: Plain, over: Plain): Plain {
  const all: Plain = { ...base }
  for (const [name, value] of Object.entries(over)) {
    const below = Object.hasOwn(base, name) ? base[name] : undefined
    if (value === null && below !== undefined) continue
    Object.defineProperty(all, name, {
      value: isPlain(value) && isPlain(below) ? merged(below, value) : value,
      enumerable: true,
      writable: true,
      configurable: true,
    })
  }
  return all
}

const embeddingConfig = (schema: Plain): Plain =>
  at(schema, 'keys', '#embedding', 'float_list', 'vector_index', 'config')!

function withWanted(schema: Plain, { space, hnsw, embedding_function }: Wanted): CollectionSchema {
  for (const config of [
    at(schema, 'defaults', 'float_list', 'vector_index', 'config')!,
    embeddingConfig(schema),
  ]) {
    if (space !== undefined) config.space = space
    if (hnsw !== undefined) config.hnsw = { ...(config.hnsw as Plain), ...hnsw }
    if (embedding_function !== undefined) config.embedding_function = embedding_function
  }
  return { schema, space: embeddingConfig(schema).space as Metric }
}
