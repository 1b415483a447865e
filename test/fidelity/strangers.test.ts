import { expect, test } from 'vitest'
import { checkFidelity } from '../../src/index.ts'
import { agentMemory } from './pairs.ts'

test('a claim that speaks of something else than its source is hardly ever faithful', () => {
  const pairs = agentMemory()
  let asked = 0
  let accepted = 0
  for (let i = 0; i < 1_000; i++) {
    const { source } = pairs[(i * 7919) % pairs.length]!
    const other = pairs[(i * 104_729 + 501) % pairs.length]!
    if (source === other.source) continue
    asked++
    if (checkFidelity({ source, claim: other.claim }).verdict === 'faithful') accepted++
  }
  expect(asked).toBeGreaterThan(900)
  expect(accepted / asked).toBeLessThan(0.03)
})

test.each([
  ['The gasket on unit four hums.', 'Consent forms expire next spring.'],
  ['We talked about the weather.', 'The witness did not recognise the signature.'],
  ['Femi takes the Saturday shift.', 'There is no later bus.'],
])('%s: nothing there about: %s', (source, claim) => {
  expect(checkFidelity({ source, claim }).verdict).not.toBe('faithful')
})
