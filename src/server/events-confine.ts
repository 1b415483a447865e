import type { EventFilter } from '../index.ts'
import { type Principal, reaches, requireAccess } from '../wire/principal.ts'
import { Problem } from '../wire/problem.ts'

/**
 * Refuses a filter that admits events of collections out of reach: whoever is confined must name those it wants.
 * @throws Problem FORBIDDEN (403)
 */
export function requireReach(principal: Principal, { collections }: EventFilter): void {
  if (collections === undefined) requireAccess(principal, 'read', 'store')
  for (const collection of collections ?? []) requireAccess(principal, 'read', { collection })
}

/** Whether every event a filter admits is within reach. */
export const withinReach = (principal: Principal, { collections }: EventFilter): boolean =>
  principal.collections === undefined ||
  (collections?.every((collection) => reaches(principal, collection)) ?? false)

/**
 * A collection admitted by a name it had may be out of reach by the one it has, which is not told.
 * @throws Problem FORBIDDEN (403)
 */
export function requireVisible(principal: Principal, { collection }: { readonly collection: string }): void {
  if (reaches(principal, collection)) return
  throw new Problem(
    403,
    'FORBIDDEN',
    `a collection that is read here was renamed, and the token ${JSON.stringify(principal.name)} does not reach its new name`,
  )
}
