import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openStore, type Store, type StoreOptions } from '../../src/index.ts'

const directories: string[] = []
const stores: Store[] = []

export function newDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'spanstore-text-'))
  directories.push(directory)
  return directory
}

export async function open(directory = newDirectory(), options: StoreOptions = {}): Promise<Store> {
  const store = await openStore(directory, options)
  stores.push(store)
  return store
}

export async function cleanUp(): Promise<void> {
  for (const store of stores.splice(0)) await store.close()
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true, force: true })
}

export const texts = (result: { readonly hits: readonly { readonly span: { readonly text: string } }[] }) =>
  result.hits.map(({ span }) => span.text)

const INDEX = fileURLToPath(new URL('../../src/index.ts', import.meta.url))

/** Runs code in a process of its own, with `store` open; what it returns comes back as JSON. */
export function elsewhere(directory: string, code: string): Promise<unknown> {
  const script = `
    import { openStore } from ${JSON.stringify(INDEX)}
    const store = await openStore(${JSON.stringify(directory)})
    const result = await (async () => { ${code} })()
    await store.close()
    console.log(JSON.stringify(result ?? null))`
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '--eval', script], {
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let out = ''
    let trouble = ''
    child.stdout.on('data', (data) => {
      out += data
    })
    child.stderr.on('data', (data) => {
      trouble += data
    })
    child.on('error', reject)
    child.on('close', (code) => {
      if (code === 0) resolve(JSON.parse(out))
      else reject(new Error(trouble))
    })
  })
}
