import { expect, test } from 'vitest'
import { checkFidelity, type FidelityPair, judgeFidelity } from '../../src/guarantees/fidelity/index.ts'

const NAMES = ['Ana', 'Ben', 'Mira', 'Jonas', 'Lee', 'Tomas', 'Eve', 'Nils']
const LINES = [
  (name: string, n: number) =>
    `${name} moved the backup of server ${n} to Tuesday, because the disk was full.`,
  (name: string, n: number) => `If invoice ${n} is late, ${name} must call the supplier before noon.`,
  (name: string, n: number) =>
    `He said that ${n} of the parcels had not arrived, and ${name} was not pleased.`,
]

/** A log of so many characters or a little more. */
function log(characters: number): string {
  let text = ''
  for (let n = 1; text.length < characters; n++)
    text += `${LINES[n % LINES.length]!(NAMES[n % NAMES.length]!, n)}\n`
  return text
}

/** How often others had their turn before it was done. */
async function turnsDuring(work: Promise<unknown>): Promise<number> {
  let turns = 0
  let done = false
  const count = () => {
    turns++
    if (!done) setImmediate(count)
  }
  setImmediate(count)
  await work
  done = true
  return turns
}

test('a long source is judged elsewhere: others go on meanwhile, and the answer is that of the rules', async () => {
  const source = log(12_000)
  const pairs: FidelityPair[] = [
    { source, claim: 'Ben moved the backup of server 1 to Tuesday.' },
    { source, claim: 'Ben did not move the backup of server 1 to Tuesday.' },
    { source: 'He moved it.', claim: 'Ben moved it.', context: source },
  ]
  const answers: unknown[] = []
  const turns = await turnsDuring(
    (async () => {
      for (const pair of pairs) answers.push(await judgeFidelity(pair))
    })(),
  )
  expect(answers).toEqual(pairs.map(checkFidelity))
  expect(turns).toBeGreaterThan(20)
})

test('of many short pairs, others get their turn after each', async () => {
  const pairs = NAMES.map((name) => ({ source: `${name} owns the server.`, claim: `${name} owns a server.` }))
  const turns = await turnsDuring(
    (async () => {
      for (const pair of pairs) await judgeFidelity(pair)
    })(),
  )
  expect(turns).toBeGreaterThanOrEqual(pairs.length - 1)
})

test('two long texts against each other need no table of all their words', () => {
  const source = log(12_000)
  const claim = source.split('\n').reverse().join('\n')
  expect(checkFidelity({ source, claim }).verdict).toMatch(/^(?:faithful|unfaithful|abstain)$/)
})
