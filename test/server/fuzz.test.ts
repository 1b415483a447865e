import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ROUTES } from '../../src/server/routes/all.ts'
import { CHROMA_TARGETS } from './chroma-targets.ts'
import { attack, attackChroma, closeTarget, openTarget } from './hostile.ts'

beforeAll(openTarget)
afterAll(closeTarget)

const RUNS = 10

describe.each(ROUTES.map((route) => [`${route.method} ${route.path}`, route] as const))('%s', (_, route) => {
  test('takes hostile input: no failure, no hang, and what was refused changed nothing', async () => {
    expect((await attack(route, RUNS)).size).toBeGreaterThan(0)
  })
})

describe.each(CHROMA_TARGETS.map((target) => [`${target.method} ${target.path}`, target] as const))(
  '%s',
  (_, target) => {
    test('takes hostile input: no failure, no hang, and what was refused changed nothing', async () => {
      expect((await attackChroma(target, RUNS)).size).toBeGreaterThan(0)
    })
  },
)
