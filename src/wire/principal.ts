import { Problem } from './problem.ts'

/** What a caller may do. Each includes those before it. */
export type Access = 'read' | 'write' | 'admin'

export const ACCESSES: readonly Access[] = ['read', 'write', 'admin']

/** Who is asking, and how far they may reach. */
export interface Principal {
  /** For logs; never a secret. */
  readonly name: string
  readonly access: Access
  /** Names of the collections it is confined to; a `*` at the end of one stands for any ending. Missing: all. */
  readonly collections?: readonly string[]
}

/** Everything: who asks a server that has no tokens. */
export const ANYONE: Principal = { name: 'anyone', access: 'admin' }

export function reaches({ collections }: Principal, collection: string): boolean {
  if (collections === undefined) return true
  return collections.some((pattern) =>
    pattern.endsWith('*') ? collection.startsWith(pattern.slice(0, -1)) : collection === pattern,
  )
}

/**
 * Refuses what the principal may not do. `{ collection }`: in that collection. `'store'`: to the whole store, which a
 * principal confined to collections never may. `'anywhere'`: in whatever it reaches; the caller of this function takes
 * care that it learns nothing of the rest.
 * @throws Problem FORBIDDEN (403)
 */
export function requireAccess(
  principal: Principal,
  access: Access,
  where: 'store' | 'anywhere' | { readonly collection: string },
): void {
  const { name, collections } = principal
  const token = `the token ${JSON.stringify(name)}`
  if (ACCESSES.indexOf(principal.access) < ACCESSES.indexOf(access))
    throw forbidden(`this needs ${access} access, and ${token} has ${principal.access}`)
  if (where === 'anywhere') return
  if (where === 'store') {
    if (collections !== undefined)
      throw forbidden(`this concerns the whole store, and ${token} is confined to ${collections.join(', ')}`)
  } else if (!reaches(principal, where.collection))
    throw forbidden(`${token} does not reach collection ${JSON.stringify(where.collection)}`)
}

const forbidden = (why: string) => new Problem(403, 'FORBIDDEN', why)
