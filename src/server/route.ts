import type { z } from 'zod'
import type { FetchResult } from '../core/model.ts'
import type { Collection, Store } from '../index.ts'
import type { RequestContext } from '../wire/mount.ts'
import type { Access } from '../wire/principal.ts'
import type { Metrics } from './metrics.ts'

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** Names of the `{parameters}` of a path. */
type Names<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Names<Rest>
  : never

/** One request, checked. */
export interface Call<Params extends string = string, Query = unknown, Body = unknown> {
  readonly request: Request
  /** Decoded. */
  readonly params: Readonly<Record<Params, string>>
  readonly query: Query
  readonly body: Body
  /** From `Idempotency-Key`, in the shape that writes take. */
  readonly command: { readonly commandId?: string }
  /** From `If-Match` or `If-None-Match: *`, in the shape that writes take. */
  readonly expected: { readonly expectedRevision?: number }
  /** Who asks, and when to stop. */
  readonly visit: RequestContext
  readonly server: Services
}

/** What handlers share. */
export interface Services {
  readonly store: Store
  readonly metrics: Metrics
  /** All that is served, for the OpenAPI document. */
  readonly routes: readonly Route[]
  /** A collection that is there; nothing a request names makes one. @throws COLLECTION_UNKNOWN, COLLECTION_RENAMED, COLLECTION_DROPPED */
  collection(name: string): Promise<Collection>
}

/** An answer that is more than a body with 200. */
export class Answer {
  readonly status: number
  readonly body: unknown
  readonly headers: Readonly<Record<string, string>>

  constructor(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}) {
    this.status = status
    this.body = body
    this.headers = headers
  }
}

export interface Described {
  readonly description: string
  /** Left out: no body. */
  readonly schema?: z.ZodType
  /** `application/json` unless given. */
  readonly type?: string
}

export interface Route {
  readonly method: Method
  /** Parameters in braces: `/v1/collections/{collection}/sources`. */
  readonly path: string
  /** Unique; the operation's name in the OpenAPI document. */
  readonly id: string
  readonly tag: string
  readonly summary: string
  readonly description?: string
  /**
   * What the caller must be allowed to. With `{collection}` in the path, there; else in the whole store, unless
   * `anywhere`: then the handler takes care that a confined caller learns nothing of other collections.
   * `public` routes ask for no token.
   */
  readonly access: Access | 'public'
  readonly anywhere?: boolean
  readonly query: z.ZodType | undefined
  readonly body: z.ZodType | undefined
  /** Takes `Idempotency-Key`. */
  readonly command: boolean
  /** Takes `If-Match` and `If-None-Match: *`. */
  readonly conditional: boolean
  /** The response stays open: neither the time limit nor the number of requests counts it. */
  readonly stream: boolean
  /** May take as long as it takes: it reads or rewrites much of the store. */
  readonly patient: boolean
  readonly answers: Readonly<Record<number, Described>>
  handle(call: Call): unknown
}

interface Definition<Path extends string, Query extends z.ZodType, Body extends z.ZodType> {
  readonly method: Method
  readonly path: Path
  readonly id: string
  readonly tag: string
  readonly summary: string
  readonly description?: string
  readonly access: Access | 'public'
  readonly anywhere?: boolean
  readonly query?: Query
  readonly body?: Body
  readonly command?: boolean
  readonly conditional?: boolean
  readonly stream?: boolean
  readonly patient?: boolean
  readonly answers: Readonly<Record<number, Described>>
  /** Answers a body for 200, an `Answer`, or a `Response` of its own. Throws what `problemOf` understands. */
  handle(call: Call<Names<Path>, z.output<Query>, z.output<Body>>): unknown
}

/** Declares a route: what it takes is checked by its schemas, and described by them in the OpenAPI document. */
export function route<
  const Path extends string,
  Query extends z.ZodType = z.ZodUndefined,
  Body extends z.ZodType = z.ZodUndefined,
>(definition: Definition<Path, Query, Body>): Route {
  return {
    query: undefined,
    body: undefined,
    command: false,
    conditional: false,
    stream: false,
    patient: false,
    ...definition,
    // The checked values fit the schemas they were checked by.
    handle: definition.handle as Route['handle'],
  }
}

/** The parameters of a path, in order. */
export const parametersOf = (path: string): string[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]!)

/** Counts what keys answered, for `/metrics`. */
export function counted<R extends FetchResult>({ metrics }: Services, result: R): R {
  metrics.fetched(result.status)
  return result
}
