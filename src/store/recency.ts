import type { CollectionInfo } from '../ports/ledger.ts'
import type { Hit, SearchOptions, SearchResult } from './search-options.ts'
import type { SessionContext } from './session-context.ts'

/** Hits read at once while those outside the window are left out. */
const PAGE = 200

/**
 * A search of the session: spans older than its recency window are left out, and every hit counts as a read that
 * came from a query.
 */
export async function searchRecent(
  { ledger, observer, search }: SessionContext,
  info: CollectionInfo,
  session: string,
  options: SearchOptions,
): Promise<SearchResult> {
  const { recencyWindow } = await ledger.sessions.knobs(info.ref, session)
  const result =
    recencyWindow === undefined
      ? await search(options)
      : await within(search, options, await ledger.sessions.since(info.ref, session, recencyWindow))
  for (const { key, span } of result.hits)
    observer.rehydrated(
      info.ref,
      session,
      { status: 'ok', key, kind: 'span', span },
      { cited: 'external', purpose: 'agent', queried: true },
    )
  return result
}

/** Reads the ranking on until it has as many hits of after the position as were asked for, or ends. */
async function within(
  search: SessionContext['search'],
  options: SearchOptions,
  since: number,
): Promise<SearchResult> {
  const { k = 10, offset = 0 } = options
  const hits: Hit[] = []
  for (let at = 0; ; at += PAGE) {
    const page = await search({ ...options, k: PAGE, offset: at })
    hits.push(...page.hits.filter(({ span }) => span.position > since))
    if (hits.length >= offset + k || page.hits.length < PAGE)
      return { ...page, hits: hits.slice(offset, offset + k) }
  }
}
