import { afterAll, beforeAll, expect, test } from 'vitest'
import { ROUTES } from '../../../src/server/routes/all.ts'
import { CHROMA_TARGETS } from '../../server/chroma-targets.ts'
import { attack, attackChroma, closeTarget, openTarget } from '../../server/hostile.ts'

beforeAll(openTarget)
afterAll(closeTarget)

const reached = new Set<string>()

test.each(ROUTES.map((route) => [`${route.method} ${route.path}`, route] as const))(
  '%s takes hundreds of hostile requests',
  async (_, route) => {
    const answers = await attack(route, 300)
    if ([...answers].some((status) => status < 300)) reached.add(route.id)
  },
)

test.each(CHROMA_TARGETS.map((target) => [`${target.method} ${target.path}`, target] as const))(
  '%s takes hundreds of hostile requests',
  async (_, target) => {
    expect((await attackChroma(target, 300)).size).toBeGreaterThan(0)
  },
)

test('most routes were reached behind their checks', () => {
  expect(reached.size).toBeGreaterThan(0.8 * ROUTES.length)
})
