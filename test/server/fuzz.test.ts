import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ROUTES } from '../../src/server/routes/all.ts'
import { attack, closeTarget, openTarget } from './hostile.ts'

beforeAll(openTarget)
afterAll(closeTarget)

describe.each(ROUTES.map((route) => [`${route.method} ${route.path}`, route] as const))('%s', (_, route) => {
  test('takes hostile input: no failure, no hang, and what was refused changed nothing', async () => {
    expect((await attack(route, 25)).size).toBeGreaterThan(0)
  })
})
