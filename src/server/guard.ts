import { Problem } from '../wire/problem.ts'
import type { Visitor } from './visit.ts'

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/i

/** `127.0.0.1`, `localhost`, `::1`: addresses that only this machine reaches. */
export const isLoopback = (host: string): boolean => LOOPBACK.test(host) || host === '::1'

/**
 * Which names a request may have been sent to. A page of another site can make a browser send requests here under a
 * name of its own (DNS rebinding); it cannot make it call the server by one of these.
 */
export function checkHost(visitor: Visitor, hosts: readonly string[] | undefined): void {
  const given = visitor.header('host') ?? new URL(visitor.url).host
  const name = given.replace(/:\d*$/, '').toLowerCase()
  if (hosts === undefined ? isLoopback(name) : hosts.includes(name) || hosts.includes(given.toLowerCase()))
    return
  throw new Problem(
    403,
    'HOST_REFUSED',
    `this server is not called ${JSON.stringify(name.slice(0, 80))}; call it by its address, or have the name added to its hosts`,
  )
}

/**
 * Refuses a page of another origin, unless it was named. Answers whether the response may be read by it.
 */
export function checkOrigin(visitor: Visitor, origins: readonly string[]): string | undefined {
  const origin = visitor.header('origin')
  if (origin === undefined) return undefined
  if (origins.includes(origin)) return origin
  const host = visitor.header('host') ?? new URL(visitor.url).host
  if (origin === `http://${host}` || origin === `https://${host}`) return undefined
  throw new Problem(
    403,
    'ORIGIN_REFUSED',
    `pages of ${JSON.stringify(origin.slice(0, 80))} may not use this server; have the origin added to its origins`,
  )
}

/** What a browser asks before it lets a page of a named origin send its request. */
export const preflight = (origin: string): Response =>
  new Response(null, {
    status: 204,
    headers: {
      ...shared(origin),
      'Access-Control-Allow-Methods': 'GET, POST, PUT, PATCH, DELETE',
      'Access-Control-Allow-Headers':
        'Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID, Spanstore-Strict, X-Chroma-Token',
      'Access-Control-Max-Age': '600',
    },
  })

/** Lets a page of a named origin read the answer. */
export const shared = (origin: string): Record<string, string> => ({
  'Access-Control-Allow-Origin': origin,
  'Access-Control-Expose-Headers':
    'ETag, Link, Retry-After, Spanstore-Status, Spanstore-Missing, Spanstore-Request',
  Vary: 'Origin',
})
