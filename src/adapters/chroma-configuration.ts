import { ChromaValueError } from './chroma-errors.ts'

/*
 * What Chroma's client 3.5 tells of a collection's embedding function and space, besides what it was given. Another
 * client that opens the collection later picks its embedding function by it.
 */

export type Space = 'cosine' | 'l2' | 'ip'

/** Turns texts into vectors, as Chroma's embedding functions do. */
export interface EmbeddingFunction {
  readonly name?: string
  generate(texts: string[]): Promise<number[][]>
  generateForQueries?(texts: string[]): Promise<number[][]>
  /** With `name` and a static `buildFromConfig`: what another client needs to make the same function. */
  getConfig?(): { readonly [name: string]: unknown }
  /** Throws when the configuration cannot be. */
  validateConfig?(config: { readonly [name: string]: unknown }): void
  defaultSpace?(): Space
  supportedSpaces?(): Space[]
}

export interface CollectionConfiguration {
  readonly [name: string]: unknown
  readonly hnsw?: { readonly [name: string]: unknown } | null | undefined
  readonly spann?: { readonly [name: string]: unknown } | null | undefined
  readonly embeddingFunction?: EmbeddingFunction | null | undefined
}

/** A `Schema` of Chroma's client, or what it serializes to. */
export interface SchemaLike {
  readonly defaults?: unknown
  readonly keys?: unknown
  serializeToJSON?(): unknown
  resolveEmbeddingFunction?(): EmbeddingFunction | null | undefined
}

type FunctionConfiguration =
  | { readonly type: 'legacy' }
  | { readonly type: 'known'; readonly name: string; readonly config: object }

/** `legacy` where another client could not make the function from what it tells of itself. */
function functionConfiguration(made: EmbeddingFunction): FunctionConfiguration {
  const buildFromConfig = (made.constructor as { readonly buildFromConfig?: unknown } | undefined)
    ?.buildFromConfig
  if (made.getConfig === undefined || !made.name || buildFromConfig === undefined) return { type: 'legacy' }
  const config = made.getConfig()
  made.validateConfig?.(config)
  return { type: 'known', name: made.name, config }
}

/**
 * `configuration` of a new collection. Without any embedding function the configuration names Chroma's default, as its
 * client does; null, a schema with a function of its own, and `standing` (the client's embedder) keep that away.
 * @throws ChromaValueError where two things say the same.
 */
export function createdConfiguration(args: {
  readonly configuration?: CollectionConfiguration | undefined
  readonly embeddingFunction?: EmbeddingFunction | null | undefined
  readonly metadata?: { readonly [name: string]: unknown } | undefined
  readonly schema?: SchemaLike | undefined
  readonly standing?: EmbeddingFunction | undefined
}): object {
  const { embeddingFunction, metadata, schema, standing } = args
  const { embeddingFunction: configured, ...given } = args.configuration ?? {}
  if (embeddingFunction && configured)
    throw new ChromaValueError(
      'Embedding function provided when already defined in the collection configuration',
    )
  if (given.hnsw && given.spann)
    throw new ChromaValueError('Cannot specify both HNSW and SPANN configurations')
  const own = embeddingFunction ?? configured ?? undefined
  // A serialized schema says itself which function it has: a configuration beside it is refused.
  const silent =
    embeddingFunction === null ||
    (schema !== undefined && schema.resolveEmbeddingFunction?.() !== undefined) ||
    (schema !== undefined && schema.resolveEmbeddingFunction === undefined)
  const told = own ?? (silent ? undefined : standing)
  const standard = silent ? undefined : { type: 'known', name: 'default', config: {} }
  return {
    ...withSpace(given, own, metadata?.['hnsw:space']),
    embedding_function: told === undefined ? standard : functionConfiguration(told),
  }
}

/** `new_configuration` of a collection that is there. */
export function changedConfiguration({ embeddingFunction, ...given }: CollectionConfiguration): object {
  return embeddingFunction == null
    ? given
    : { ...given, embedding_function: functionConfiguration(embeddingFunction) }
}

/** The function's own space where none was asked for; one that it does not support is warned of and taken. */
function withSpace(
  given: CollectionConfiguration,
  made: EmbeddingFunction | undefined,
  ofMetadata: unknown,
): CollectionConfiguration {
  if (made?.defaultSpace === undefined || made.supportedSpaces === undefined) return given
  const space = made.defaultSpace()
  const { hnsw, spann } = given
  let chosen = given
  if (hnsw === undefined && spann === undefined) {
    if (ofMetadata === undefined) chosen = { ...given, hnsw: { space } }
  } else {
    if (hnsw) chosen = { ...chosen, hnsw: { ...hnsw, space: hnsw.space ?? space } }
    if (spann) chosen = { ...chosen, spann: { ...spann, space: spann.space ?? space } }
  }
  const wanted = (chosen.hnsw ?? chosen.spann)?.space ?? ofMetadata
  const supported = made.supportedSpaces()
  if (wanted !== undefined && !supported.includes(wanted as Space))
    process.emitWarning(
      `Space '${String(wanted)}' is not supported by embedding function '${made.name ?? 'unknown'}'. Supported spaces: ${supported.join(', ')}`,
    )
  return chosen
}
