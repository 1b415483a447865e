import { createHash } from 'node:crypto'
import { Script } from 'node:vm'
import { Validator } from '@seriousme/openapi-schema-validator'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ROUTES } from '../../src/server/routes/all.ts'
import { closeServed, type Send, serve } from './served.ts'

let call: Send

beforeEach(async () => {
  call = (await serve()).call
})

afterEach(closeServed)

describe('/openapi.json', () => {
  test('describes every route that is served, and nothing else', async () => {
    const { body } = await call('GET', '/openapi.json')
    expect(body.openapi).toBe('3.1.0')
    const described = Object.entries<object>(body.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    )
    expect(described.toSorted()).toEqual(ROUTES.map(({ method, path }) => `${method} ${path}`).toSorted())
    expect(new Set(ROUTES.map(({ id }) => id)).size).toBe(ROUTES.length)
  })

  test('is OpenAPI 3.1, by the schema its makers published', async () => {
    const { body } = await call('GET', '/openapi.json')
    const validator = new Validator()
    expect(await validator.validate(body)).toEqual({ valid: true })
    expect(validator.version).toBe('3.1')
    const broken = structuredClone(body)
    broken.paths['/healthz'].get.responses = []
    expect((await new Validator().validate(broken)).valid).toBe(false)
  })

  test('refers to nothing that is not in it', async () => {
    const { body } = await call('GET', '/openapi.json')
    const text = JSON.stringify(body)
    const references = [...text.matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)].map(
      (match) => match[1]!,
    )
    expect(references.length).toBeGreaterThan(20)
    expect(references.filter((name) => body.components.schemas[name] === undefined)).toEqual([])
    expect(text).not.toContain('$defs')
  })

  test('names every parameter of every path, and requires it', async () => {
    const { body } = await call('GET', '/openapi.json')
    for (const [path, methods] of Object.entries<Record<string, { parameters?: object[] }>>(body.paths))
      for (const { parameters = [] } of Object.values(methods)) {
        const named = parameters
          .filter(
            (one): one is { name: string; in: string; required: boolean } => 'in' in one && one.in === 'path',
          )
          .map(({ name, required }) => [name, required])
        expect(named).toEqual([...path.matchAll(/\{(\w+)\}/g)].map((match) => [match[1], true]))
      }
  })

  test('says what the schemas check: a request it forbids is refused', async () => {
    const { body } = await call('GET', '/openapi.json')
    const { schema } =
      body.paths['/v1/collections/{collection}/search'].post.requestBody.content['application/json']
    expect(schema.additionalProperties).toBe(false)
    expect(schema.properties.k).toMatchObject({ minimum: 1, maximum: 1000 })
    await call('PUT', '/v1/collections/notes')
    for (const wrong of [{ k: 0 }, { k: 1001 }, { unknown: 1 }, { text: 1 }, { vector: [] }]) {
      const refused = await call('POST', '/v1/collections/notes/search', { text: 'x', ...wrong })
      expect([refused.status, refused.body.code]).toEqual([400, 'INVALID_ARGUMENT'])
      expect(refused.body.errors[0].path).toMatch(/^body/)
    }
  })

  test('a query parameter it does not know is refused', async () => {
    await call('PUT', '/v1/collections/notes')
    const { status } = await call('GET', '/v1/collections/notes/sources/a?asof=3')
    expect(status).toBe(400)
    for (const value of ['-1', '1.5', '', 'x', '1e3', '9'.repeat(20)])
      expect((await call('GET', `/v1/collections/notes/sources/a?asOf=${value}`)).status).toBe(400)
  })
})

describe('/docs', () => {
  test('loads nothing from elsewhere, and runs nothing but its own script', async () => {
    const { status, headers, body } = await call('GET', '/docs')
    expect(status).toBe(200)
    expect(body).not.toMatch(/https?:\/\//)
    const script = /<script[^>]*>([\s\S]*)<\/script>/.exec(body)![1]!
    const style = /<style>([\s\S]*)<\/style>/.exec(body)![1]!
    const hash = (text: string) => createHash('sha256').update(text).digest('base64')
    const policy = headers.get('content-security-policy')!
    expect(policy).toContain(`script-src 'sha256-${hash(script)}'`)
    expect(policy).toContain(`style-src 'sha256-${hash(style)}'`)
    expect(policy).toContain("default-src 'none'")
    expect(() => new Script(`(async () => {${script}\n})`)).not.toThrow()
    expect(Buffer.byteLength(body)).toBeLessThan(20_000)
  })

  test('shows every operation of the document, with the shape of what it takes and answers', async () => {
    const { body: page } = await call('GET', '/docs')
    const { body: described } = await call('GET', '/openapi.json')
    const script = /<script[^>]*>([\s\S]*)<\/script>/.exec(page)![1]!
    const main = element('main')
    const document = {
      createElement: element,
      querySelector: (selector: string) => (selector === 'main' ? main : element('input')),
    }
    const shown = new Script(`(async () => {${script.replace('\nfetch(', '\nawait fetch(')}\n})()`)
    await shown.runInNewContext({
      document,
      fetch: async () => ({ json: async () => described }),
      location: {},
    })
    const operations = Object.values<object>(described.paths).flatMap((methods) =>
      Object.values<{ operationId: string; requestBody?: object }>(methods as never),
    )
    const details = all(main).filter(({ tag }) => tag === 'details')
    expect(details.map(({ id }) => id).sort()).toEqual(
      operations.map(({ operationId }) => operationId).sort(),
    )
    for (const { operationId, requestBody } of operations)
      if (requestBody !== undefined) {
        const shapes = all(details.find(({ id }) => id === operationId)!).filter(({ tag }) => tag === 'pre')
        expect(shapes[0]!.textContent, operationId).toMatch(/[{[|a-z]/)
      }
    // What goes wrong while it is drawn is shown below what there is.
    expect(main.children.every((child) => !/Error/.test(child.textContent ?? ''))).toBe(true)
  })
})

/** As much of a page as the script asks for. */
interface Part {
  readonly tag: string
  readonly children: Part[]
  readonly id?: string
  readonly textContent?: string
  append(...children: Part[]): void
}

function element(tag: string): Part {
  const children: Part[] = []
  return { tag, children, append: (...more) => void children.push(...more) }
}

const all = (part: Part): Part[] => [part, ...(part.children ?? []).flatMap(all)]

test('a method that a path does not take is told which it takes', async () => {
  const { status, headers, body } = await call('DELETE', '/v1/collections/notes/sources')
  expect([status, body.code, headers.get('allow')]).toEqual([405, 'METHOD_NOT_ALLOWED', 'GET, POST'])
})
