import type { FetchResult, SourceResult } from '../core/model.ts'
import { problemType } from '../wire/problem.ts'
import { Answer, type Described } from './route.ts'
import * as schema from './schemas.ts'

const STATUS = { ok: 200, empty: 422, tombstone: 410, absent: 404 } as const

/** What a key answered: the result itself where there is text to stand on, else a problem that holds the result. */
export function fetchAnswer(result: FetchResult, spans: string): Answer {
  const { status, key } = result
  switch (status) {
    case 'ok':
      return new Answer(200, result, { 'Spanstore-Status': status })
    case 'empty':
      return refused(
        result,
        `${key} is live and has no text to stand on (${result.detail === 'blank' ? 'its text is blank' : 'it is a record without text'})`,
      )
    case 'tombstone': {
      const { reason, successors, identical } = result.tombstone
      const links = [
        ...successors.map((successor) => `<${spans}/${successor}>; rel="successor-version"`),
        ...(identical === undefined ? [] : [`<${spans}/${identical}>; rel="alternate"`]),
      ]
      return refused(
        result,
        `${key} was retired (${reason})${successors.length === 0 ? ', and nothing took its place' : `; ${successors.length === 1 ? `${successors[0]} covers` : `${successors.length} spans cover`} what it covered`}`,
        links.length === 0 ? {} : { Link: links.slice(0, MOST_LINKS).join(', ') },
      )
    }
    case 'absent':
      return refused(result, `${key} was never assigned here`)
  }
}

/** Headers have an end; the body names all successors. */
const MOST_LINKS = 50

/** A whole source has the same four results. */
export function sourceAnswer(result: SourceResult): Answer {
  const { status, source } = result
  const tag = 'info' in result ? { ETag: etag(result.info.revision) } : {}
  const name = JSON.stringify(source)
  switch (status) {
    case 'ok':
      return new Answer(200, result, { 'Spanstore-Status': status, ...tag })
    case 'empty':
      return refused(result, `${name} has no live spans`, tag)
    case 'tombstone':
      return refused(result, `${name} was removed`, tag)
    case 'absent':
      return refused(result, `${name} was never seen here`)
  }
}

/** A revision as a validator, for `If-Match`. */
export const etag = (revision: number): string => `"${revision}"`

function refused(
  result: FetchResult | SourceResult,
  detail: string,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  const { status: outcome } = result
  return new Answer(
    STATUS[outcome],
    { type: problemType(outcome), title: outcome, status: STATUS[outcome], detail, outcome, result },
    { 'Content-Type': 'application/problem+json', 'Spanstore-Status': outcome, ...headers },
  )
}

const PROBLEM = 'application/problem+json'

export const FETCH_ANSWERS: Readonly<Record<number, Described>> = {
  200: { description: 'ok: the key answers', schema: schema.OkResult },
  422: { description: 'empty: the key is live and has no text', schema: schema.EmptyProblem, type: PROBLEM },
  410: {
    description: 'tombstone: the key was retired; Link names its successors (rel="successor-version")',
    schema: schema.TombstoneProblem,
    type: PROBLEM,
  },
  404: {
    description: 'absent: the key was never assigned here',
    schema: schema.AbsentProblem,
    type: PROBLEM,
  },
}

const sourceProblem = (outcome: string) => schema.resultProblem(outcome, schema.SourceResult)

export const SOURCE_ANSWERS: Readonly<Record<number, Described>> = {
  200: { description: 'ok: live, with spans; ETag is the revision', schema: schema.SourceResult },
  422: { description: 'empty: live, without spans', schema: sourceProblem('empty'), type: PROBLEM },
  410: { description: 'tombstone: removed', schema: sourceProblem('tombstone'), type: PROBLEM },
  404: { description: 'absent: never seen', schema: sourceProblem('absent'), type: PROBLEM },
}
