import { renameSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { Tokens } from '../../src/server/index.ts'
import { temporary } from '../store/helpers.ts'

it('an id that is not there is looked for anew each time: nobody can fill the memory, or hide a token, by asking first', () => {
  const directory = temporary()
  const clock = () => 1000
  const maker = new Tokens(directory, clock)
  const { token, info } = maker.create({ name: 'agent', access: 'read' })
  const file = join(directory, `${info.id}.json`)
  renameSync(file, `${file}.away`)
  const asked = new Tokens(directory, clock)
  expect(asked.find(token)).toBeUndefined()
  renameSync(`${file}.away`, file)
  expect(asked.find(token)).toEqual({ name: 'agent', access: 'read' })
})

it('a token ends at the moment it says, not after it', () => {
  let now = 1000
  const tokens = new Tokens(temporary(), () => now)
  const { token } = tokens.create({ name: 'agent', access: 'read', expiresAt: 2000 })
  now = 1999
  expect(tokens.find(token)).toBeDefined()
  now = 2000
  expect(tokens.find(token)).toBeUndefined()
})
