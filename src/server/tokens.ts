import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SpanStoreError } from '../core/errors.ts'
import { invalid } from '../core/given.ts'
import { ACCESSES, type Access, type Principal } from '../wire/principal.ts'

export interface TokenInfo {
  readonly id: string
  /** What it is for. */
  readonly name: string
  readonly access: Access
  /** Names of collections; a `*` at the end of one stands for any ending. Missing: all. */
  readonly collections?: readonly string[]
  /** Milliseconds since the epoch. */
  readonly createdAt: number
  readonly expiresAt?: number
  readonly revokedAt?: number
}

interface StoredToken extends TokenInfo {
  /** SHA-256 of the secret. It is 256 random bits, so that no slower hash is needed. */
  readonly hash: string
}

/** Whatever has become of a file: what does not read as a token opens nothing. */
function isToken(value: unknown): value is StoredToken {
  if (typeof value !== 'object' || value === null) return false
  const { id, name, access, collections, createdAt, expiresAt, revokedAt, hash } =
    value as Partial<StoredToken>
  const time = (at: unknown) => at === undefined || typeof at === 'number'
  return (
    typeof id === 'string' &&
    typeof name === 'string' &&
    ACCESSES.includes(access as Access) &&
    (collections === undefined ||
      (Array.isArray(collections) && collections.every((one) => typeof one === 'string'))) &&
    typeof createdAt === 'number' &&
    time(expiresAt) &&
    time(revokedAt) &&
    /^[0-9a-f]{64}$/.test(hash ?? '')
  )
}

const TOKEN = /^spanstore_([0-9a-f]{12})_([A-Za-z0-9_-]{43})$/
const ID = /^[0-9a-f]{12}$/

/** How long a process goes on believing what it read of a token, in milliseconds. */
const BELIEF = 1000

/**
 * Bearer tokens in a directory, one small file each, named by the token's id, so that creating and revoking need no
 * lock. Files hold a hash of the secret, never the secret. A revoked token keeps its file: a store that ever had a
 * token goes on asking for one.
 */
export class Tokens {
  readonly #directory: string
  readonly #clock: () => number
  #any = false
  #looked = Number.NEGATIVE_INFINITY
  readonly #known = new Map<string, { readonly at: number; readonly token: StoredToken | undefined }>()

  constructor(directory: string, clock: () => number = Date.now) {
    this.#directory = directory
    this.#clock = clock
  }

  /** Makes a token. The secret is told this once. @throws INVALID_ARGUMENT */
  create(options: {
    readonly name: string
    readonly access: Access
    readonly collections?: readonly string[]
    readonly expiresAt?: number
  }): { readonly token: string; readonly info: TokenInfo } {
    const { name, access, collections, expiresAt } = options
    if (name.trim() === '' || name.length > 200) throw invalid('name', name, 'give 1 to 200 characters')
    if (!ACCESSES.includes(access)) throw invalid('access', access, "give 'read', 'write' or 'admin'")
    if (collections?.length === 0)
      throw invalid('collections', collections, 'name at least one, or leave it out to reach all')
    const id = randomBytes(6).toString('hex')
    const secret = randomBytes(32).toString('base64url')
    const info: TokenInfo = {
      id,
      name,
      access,
      createdAt: this.#clock(),
      ...(collections === undefined ? {} : { collections }),
      ...(expiresAt === undefined ? {} : { expiresAt }),
    }
    mkdirSync(this.#directory, { recursive: true, mode: 0o700 })
    this.#write({ ...info, hash: hashOf(secret) })
    this.#any = true
    return { token: `spanstore_${id}_${secret}`, info }
  }

  /** Oldest first, the revoked ones too. */
  list(): readonly TokenInfo[] {
    return this.#ids()
      .flatMap((id) => this.#read(id) ?? [])
      .sort((a, b) => a.createdAt - b.createdAt)
      .map(({ hash: _, ...info }) => info)
  }

  /** Servers learn of it within a second. @throws INVALID_ARGUMENT for an id that is not there */
  revoke(id: string): TokenInfo {
    const token = ID.test(id) ? this.#read(id) : undefined
    if (token === undefined) throw invalid('id', id, 'give the id of a token, as the list shows it')
    const revoked = { ...token, revokedAt: token.revokedAt ?? this.#clock() }
    this.#write(revoked)
    this.#known.delete(id)
    const { hash: _, ...info } = revoked
    return info
  }

  /** Whether there ever was one, as far as this process has looked within a second. */
  get any(): boolean {
    if (!this.#any && this.#clock() - this.#looked > BELIEF) {
      this.#looked = this.#clock()
      this.#any = this.#ids().length > 0
    }
    return this.#any
  }

  /** Whose token this is; undefined for one that was never made, has expired, or was revoked. */
  find(text: string): Principal | undefined {
    const [, id, secret] = TOKEN.exec(text) ?? []
    if (id === undefined || secret === undefined) return undefined
    const now = this.#clock()
    let known = this.#known.get(id)
    if (known === undefined || now - known.at > BELIEF) {
      known = { at: now, token: this.#read(id) }
      // Ids that are not there are not remembered: anybody can make them up.
      if (known.token !== undefined) this.#known.set(id, known)
    }
    const { token } = known
    if (token === undefined || token.revokedAt !== undefined) return undefined
    if (token.expiresAt !== undefined && token.expiresAt <= now) return undefined
    if (!timingSafeEqual(Buffer.from(hashOf(secret)), Buffer.from(token.hash))) return undefined
    const { name, access, collections } = token
    return { name, access, ...(collections === undefined ? {} : { collections }) }
  }

  #ids(): string[] {
    let names: string[]
    try {
      names = readdirSync(this.#directory)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
      throw unreadable(this.#directory, error)
    }
    return names.flatMap((name) => {
      const id = name.slice(0, -'.json'.length)
      return name.endsWith('.json') && ID.test(id) ? [id] : []
    })
  }

  /** `id` has been checked: it is twelve hexadecimal digits. */
  #read(id: string): StoredToken | undefined {
    const path = join(this.#directory, `${id}.json`)
    let text: string
    try {
      text = readFileSync(path, 'utf8')
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
      throw unreadable(path, error)
    }
    try {
      const token: unknown = JSON.parse(text)
      if (isToken(token)) return token
    } catch (error) {
      throw unreadable(path, error)
    }
    throw unreadable(path, new Error('it is no token'))
  }

  /** By rename, so that no reader sees half a file. */
  #write(token: StoredToken): void {
    const path = join(this.#directory, `${token.id}.json`)
    const draft = `${path}.${process.pid}.new`
    try {
      writeFileSync(draft, `${JSON.stringify(token, undefined, 2)}\n`, { mode: 0o600, flush: true })
      renameSync(draft, path)
    } catch (error) {
      throw unreadable(path, error)
    }
  }
}

const hashOf = (secret: string): string => createHash('sha256').update(secret).digest('hex')

const unreadable = (path: string, error: unknown) =>
  new SpanStoreError(
    'STORAGE_FAILED',
    `${path} cannot be used (${(error as Error).message}); check its owner and permissions`,
    { reason: (error as Error).message },
    { cause: error },
  )
