import { afterEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { checked } from '../../src/server/checked.ts'
import { ROUTES } from '../../src/server/routes/all.ts'
import { Problem } from '../../src/wire/problem.ts'
import { closeServed, serve } from './served.ts'

afterEach(closeServed)

interface Refusal {
  readonly message: string
  readonly status: number
  readonly errors: readonly { readonly path: string; readonly message: string }[]
}

function refusalOf(where: string, schema: z.ZodType, value: unknown): Refusal | undefined {
  try {
    checked(where, schema, value)
    return undefined
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return {
      ...(error.members as { errors: Refusal['errors'] }),
      message: error.message,
      status: error.status,
    }
  }
}

const said = (schema: z.ZodType, value: unknown) => refusalOf('body', schema, value)?.message

/** Named fields of an object's schema. */
const fieldsOf = (schema: z.ZodType): readonly string[] =>
  Object.keys((schema as { readonly shape?: object }).shape ?? {})

const PARTS = ROUTES.flatMap((route) =>
  (['query', 'body'] as const).flatMap((where) => {
    const schema = route[where]
    return schema === undefined ? [] : [{ name: `${route.method} ${route.path} ${where}`, where, schema }]
  }),
)

/** A refusal that helps: where, what may stand there, and what did. */
function expectTelling(refusal: Refusal, path: string, value: string): void {
  const one = refusal.errors.find((error) => error.path === path || error.path.startsWith(`${path}[`))
  expect(one, `${path} in ${JSON.stringify(refusal)}`).toBeDefined()
  expect(one!.message).toMatch(/^give .{3,}/)
  expect(one!.message).not.toMatch(/invalid|unrecognized|undefined/i)
  expect(one!.message).toContain(value)
}

describe('what every route refuses', () => {
  test.each(PARTS)(
    '$name: names the field, what is wrong with it and what it may be',
    ({ where, schema }) => {
      for (const field of fieldsOf(schema)) {
        for (const [value, shown] of [
          ['bogus ☃', '"bogus ☃"'],
          [-1.5, '-1.5'],
          [null, 'null'],
          [true, 'true'],
          [{ bogus: 1 }, 'an object'],
          [[[]], 'a list of'],
        ] as const) {
          const given = { [field]: value }
          const refusal = refusalOf(where, schema, given)
          if (refusal === undefined) continue
          const path = `${where}.${field}`
          for (const error of refusal.errors) {
            expect(error.message).toMatch(/^(give .{3,}|takes no )/)
            expect(error.message).not.toMatch(/invalid|unrecognized/i)
            if (error.path !== path) continue
            if (error.message.startsWith('give')) expectTelling(refusal, path, shown)
            else expect(error.message).toMatch(/^takes no "bogus"; it takes /)
          }
        }
      }
    },
  )

  test.each(PARTS)('$name: names what it does not know, and what it does', ({ where, schema }) => {
    const refusal = refusalOf(where, schema, { bogus: 1 })
    // Few take whatever comes.
    if (refusal === undefined) return
    const unknown = refusal.errors.find(({ message }) => message.startsWith('takes no "bogus"'))
    const fields = fieldsOf(schema)
    if (unknown === undefined) expect(refusal.errors[0]!.message).toMatch(/^give /)
    else for (const field of fields) expect(unknown.message).toContain(field)
  })
})

test('a choice is told with its choices', () => {
  const Type = z.enum(['a', 'b'])
  expect(said(z.strictObject({ type: Type }), { type: 'bogus' })).toBe(
    'body.type: give one of "a", "b", not "bogus"',
  )
  expect(said(z.strictObject({ type: z.literal(1) }), {})).toBe('body.type: give 1; it is missing')
})

test('of alternatives all are told, or the one that was meant', () => {
  const schema = z.strictObject({ types: z.union([z.enum(['a', 'b']), z.array(z.enum(['a', 'b']))]) })
  expect(said(schema, { types: 'bogus' })).toBe('body.types: give one of "a", "b" or a list, not "bogus"')
  expect(said(schema, { types: ['a', 'bogus'] })).toBe('body.types[1]: give one of "a", "b", not "bogus"')
})

test('bounds are told in words', () => {
  const schema = z.strictObject({
    n: z.int().min(3).exactOptional(),
    x: z.number().gt(0).exactOptional(),
    s: z.string().max(2).exactOptional(),
    l: z.array(z.string()).max(1).exactOptional(),
  })
  expect(said(schema, { n: 2 })).toBe('body.n: give a number of at least 3, not 2')
  expect(said(schema, { n: 2.5 })).toBe('body.n: give a whole number, not 2.5')
  expect(said(schema, { x: 0 })).toBe('body.x: give a number more than 0, not 0')
  expect(said(schema, { s: 'x'.repeat(100) })).toBe(
    `body.s: give a text of at most 2 characters, not "${'x'.repeat(80)}"…`,
  )
  const large = refusalOf('body', schema, { n: 2, l: ['a', 'b'] })!
  expect([large.status, large.message]).toEqual([
    413,
    'body.l: give a list of at most 1, not a list of 2; send it in parts',
  ])
  expect(large.errors).toHaveLength(2)
})

test('over the wire: parameters, headers and ids are named, too', async () => {
  const { call } = await serve()
  const message = async (...asked: Parameters<typeof call>) => {
    const { status, body } = await call(...asked)
    expect([400, 'INVALID_ARGUMENT']).toEqual([status, body.code])
    return JSON.stringify(body)
  }
  expect(await message('GET', '/v1/events?type=bogus')).toMatch(
    /query\.type: give one of .*span\.added.* not \\"bogus\\"/,
  )
  expect(await message('GET', '/v1/collections/n/keys/x?asOf=yesterday')).toContain(
    'query.asOf: give a whole number of at least 0, not \\"yesterday\\"',
  )
  expect(await message('GET', `/v1/keys/${'k'.repeat(2000)}`)).toMatch(
    /key: give 1 to 1024 characters.*kkk.*2000/,
  )
  expect(
    await message('PUT', '/v1/collections/n/sources/s', { text: 'x' }, { 'if-match': 'bogus' }),
  ).toContain('not If-Match: bogus')
})
