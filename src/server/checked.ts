import type { z } from 'zod'
import { Problem } from '../wire/problem.ts'

/*
 * Every refusal of a schema says which part of the request it is, what was found there, and what may stand there instead.
 */

type Issue = z.core.$ZodIssue

/** How many of what is wrong are told at once. */
const TOLD = 20

/** @throws Problem INVALID_ARGUMENT (400), or TOO_LARGE (413) for a list that is too long */
export function checked<T extends z.ZodType>(where: string, schema: T, value: unknown): z.output<T> {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const { issues } = result.error
  const errors = issues.slice(0, TOLD).map((issue) => told(where, schema, value, issue))
  const large = issues.find((issue) => issue.code === 'too_big' && issue.origin === 'array')
  const { path, message } = large === undefined ? errors[0]! : told(where, schema, value, large)
  throw large === undefined
    ? new Problem(400, 'INVALID_ARGUMENT', `${path}: ${message}`, { members: { errors } })
    : new Problem(413, 'TOO_LARGE', `${path}: ${message}; send it in parts`, { members: { errors } })
}

interface Told {
  readonly path: string
  readonly message: string
}

function told(where: string, schema: z.ZodType, value: unknown, issue: Issue): Told {
  const specific = mostSpecific(issue)
  const path = pathOf(where, specific.path)
  const found = specific.path.reduce<unknown>(
    (inner, part) => (inner as Record<PropertyKey, unknown> | undefined)?.[part],
    value,
  )
  if (specific.code !== 'unrecognized_keys')
    return {
      path,
      message: `give ${expected(specific)}${found === undefined ? '; it is missing' : `, not ${shown(found)}`}`,
    }
  const unknown = specific.keys.slice(0, TOLD).map(shown).join(', ')
  const known = namesAt(schema, specific.path)
  return {
    path,
    message: `takes no ${unknown}${known === undefined ? '' : known.length === 0 ? '; it takes nothing' : `; it takes ${known.join(', ')}`}`,
  }
}

/** Of alternatives, the one that goes furthest into the value: its outer shape is the one that was meant. */
function mostSpecific(issue: Issue): Issue {
  if (issue.code !== 'invalid_union') return issue
  const inner = issue.errors.flatMap(([first]) => (first === undefined ? [] : [mostSpecific(first)]))
  const deepest = inner.reduce((depth, { path }) => Math.max(depth, path.length), 0)
  const one = inner.find(({ path }) => path.length === deepest)
  return deepest === 0 || one === undefined ? issue : { ...one, path: [...issue.path, ...one.path] }
}

const LIST = 'a list'

const TYPES: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: LIST,
  object: 'an object',
  record: 'an object',
}

/** What may stand there, to be read after "give". */
function expected(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return TYPES[issue.expected] ?? issue.expected
    case 'invalid_value':
      return `${issue.values.length > 1 ? 'one of ' : ''}${issue.values.map((one) => JSON.stringify(one)).join(', ')}`
    case 'too_small':
      return sized(issue.origin, issue.inclusive === false ? 'more than' : 'at least', issue.minimum)
    case 'too_big':
      return sized(issue.origin, issue.inclusive === false ? 'less than' : 'at most', issue.maximum)
    case 'invalid_union': {
      const ways = new Set(issue.errors.flatMap(([first]) => (first === undefined ? [] : [expected(first)])))
      const several = ways.delete(LIST) ? [LIST] : []
      return [...ways, ...several].join(' or ')
    }
    default:
      // Words of the schema's own.
      return issue.message.replace(/^give /, '')
  }
}

function sized(origin: string, how: string, bound: number | bigint): string {
  if (origin === 'string') return `a text of ${how} ${bound} characters`
  if (origin === 'array') return `a list of ${how} ${bound}`
  return `${origin === 'int' ? 'a whole number' : 'a number'} of ${how} ${bound}`
    .replace('of more', 'more')
    .replace('of less', 'less')
}

/** Long values are told by their beginning, and what holds others by its kind. */
function shown(value: unknown): string {
  if (Array.isArray(value)) return `a list of ${value.length}`
  if (typeof value === 'object' && value !== null) return 'an object'
  if (typeof value !== 'string') return String(value)
  const text = value.toWellFormed()
  return text.length > 80 ? `${JSON.stringify(text.slice(0, 80))}…` : JSON.stringify(text)
}

/** Names of what an object may hold. */
function namesAt(schema: z.ZodType, path: readonly PropertyKey[]): readonly string[] | undefined {
  let at: z.core.$ZodType | undefined = schema
  for (const part of path) at = at && partOf(unwrapped(at), part)
  const def = at && (unwrapped(at)._zod.def as Partial<z.core.$ZodObjectDef>)
  return def?.shape && Object.keys(def.shape)
}

function unwrapped(schema: z.core.$ZodType): z.core.$ZodType {
  const { innerType } = schema._zod.def as { readonly innerType?: z.core.$ZodType }
  return innerType === undefined ? schema : unwrapped(innerType)
}

function partOf(schema: z.core.$ZodType, part: PropertyKey): z.core.$ZodType | undefined {
  const def = schema._zod.def as {
    readonly element?: z.core.$ZodType
    readonly shape?: Readonly<Record<string, z.core.$ZodType>>
  }
  return typeof part === 'number' ? def.element : def.shape?.[String(part)]
}

const pathOf = (where: string, path: readonly PropertyKey[]): string =>
  path.reduce<string>(
    (text, part) => (typeof part === 'number' ? `${text}[${part}]` : `${text}.${String(part).slice(0, 80)}`),
    where,
  )
