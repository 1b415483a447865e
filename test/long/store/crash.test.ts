import { describe } from 'vitest'

process.env.SPANSTORE_RUNS ??= '25'

describe('the tests of test/store/crash, many more times', async () => {
  await import('../../store/crash.test.ts')
})
