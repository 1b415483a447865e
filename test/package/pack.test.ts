import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

/**
 * The package as a stranger gets it: packed, unpacked into an empty project beside its declared dependencies and
 * nothing else (links into our node_modules, so no network), imported, run and type-checked there.
 */

interface Manifest {
  name: string
  bin: Record<string, string>
  exports: Record<string, string | Record<string, string>>
  dependencies: Record<string, string>
  peerDependencies?: Record<string, string>
}

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const manifest: Manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
const subpaths = Object.keys(manifest.exports).map((path) => manifest.name + path.slice(1))
const modules = subpaths.filter((path) => !path.endsWith('.json'))

const run = promisify(execFile)
const node = (args: string[]) => run(process.execPath, args, { cwd: project })

let project = ''
let shipped: readonly string[] = []

beforeAll(async () => {
  if (!existsSync(join(ROOT, 'dist'))) throw new Error('there is no dist: run `npm run build` first')
  project = await mkdtemp(join(tmpdir(), 'spanstore-package-'))

  await run('npm', ['pack', '--ignore-scripts', '--pack-destination', project], { cwd: ROOT })
  const [tarball] = await readdir(project)
  const home = join(project, 'node_modules', manifest.name)
  await mkdir(home, { recursive: true })
  await run('tar', ['-xzf', join(project, tarball!), '--strip-components=1', '-C', home])
  shipped = (await readdir(home, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(home.length + 1))

  const declared = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies })
  for (const name of [...declared, '@types/node']) {
    const link = join(project, 'node_modules', name)
    await mkdir(dirname(link), { recursive: true })
    await symlink(join(ROOT, 'node_modules', name), link)
  }
  // What npm does for a bin.
  await mkdir(join(project, 'node_modules/.bin'))
  for (const [name, file] of Object.entries(manifest.bin)) {
    await chmod(join(home, file), 0o755)
    await symlink(join(home, file), join(project, 'node_modules/.bin', name))
  }
  await writeFile(
    join(project, 'package.json'),
    JSON.stringify({ name: 'stranger', type: 'module', private: true }),
  )
})

afterAll(async () => {
  if (project !== '') await rm(project, { recursive: true, force: true })
})

describe('the tarball', () => {
  test('holds what runs and what its README links to, and nothing else', async () => {
    const places = new Set(shipped.map((path) => (path.includes('/') ? path.split('/')[0] : path)))
    const run = ['package.json', 'README.md', 'LICENSE', 'CHANGELOG.md', 'dist', 'migrations']
    expect([...run, 'docs', 'examples']).toEqual(expect.arrayContaining([...places]))
    const readme = await readFile(join(ROOT, 'README.md'), 'utf8')
    for (const [, linked] of readme.matchAll(/\]\(((?:docs|examples)\/[^)#]+)/g))
      expect(
        shipped.some((path) => path === linked || path.startsWith(`${linked}/`)),
        linked,
      ).toBe(true)
    expect(shipped).toContain('LICENSE')
    expect(
      shipped.filter((path) => path.startsWith('dist/') && !/\.(js|d\.ts|json|bin)$/.test(path)),
    ).toEqual([])
  })

  test('holds the migrations, without the snapshots only drizzle-kit reads', async () => {
    const migrations = join(ROOT, 'migrations')
    const needed = existsSync(migrations)
      ? (await readdir(migrations, { recursive: true })).filter((path) => /\.sql$|_journal\.json$/.test(path))
      : []
    expect(shipped.filter((path) => path.startsWith('migrations/')).sort()).toEqual(
      needed.map((path) => `migrations/${path}`).sort(),
    )
  })

  test('refers to no TypeScript source', async () => {
    const ours = shipped.filter((path) => /^dist\/.*\.js$/.test(path))
    expect(ours.length).toBeGreaterThan(0)
    for (const path of ours) {
      const text = await readFile(join(project, 'node_modules', manifest.name, path), 'utf8')
      expect(text, path).not.toMatch(/(from|import\(|new URL\()\s*['"]\.{1,2}\/[^'"]*(?<!\.d)\.ts['"]/)
    }
  })
})

describe('exports', () => {
  test('are listed one by one', () => {
    expect(subpaths).toContain(manifest.name)
    expect(subpaths.filter((path) => path.includes('*'))).toEqual([])
  })

  test.each(subpaths)('%s can be imported, and loads nothing native until asked', async (subpath) => {
    const file = join(project, `import-${subpaths.indexOf(subpath)}.mjs`)
    const attributes = subpath.endsWith('.json') ? `, { with: { type: 'json' } }` : ''
    await writeFile(
      file,
      `const names = Object.keys(await import('${subpath}'${attributes}))
       const native = process.report.getReport().sharedObjects.filter((path) => path.endsWith('.node'))
       console.log(JSON.stringify({ names, native }))`,
    )
    const { names, native } = JSON.parse((await node([file])).stdout)
    expect(names).not.toEqual([])
    expect(native).toEqual([])
    if (!subpath.endsWith('.json')) expect(names).not.toContain('default')
  })

  test('type-check in a strict consumer that does not skip the checking of libraries', async () => {
    const lines = modules.map((path, index) => `import * as m${index} from '${path}'`)
    await writeFile(
      join(project, 'consumer.ts'),
      `${lines.join('\n')}\nexport const all: object[] = [${modules.map((_, index) => `m${index}`).join(', ')}]\n` +
        `// @ts-expect-error if everything were any, this would not be an error\nexport const none = m0.thereIsNoSuchExport\n`,
    )
    await writeFile(
      join(project, 'tsconfig.json'),
      JSON.stringify({
        compilerOptions: {
          target: 'ES2022',
          lib: ['ES2023'],
          module: 'nodenext',
          types: ['node'],
          strict: true,
          exactOptionalPropertyTypes: true,
          skipLibCheck: false,
          noEmit: true,
        },
        files: ['consumer.ts'],
      }),
    )
    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc')
    const { stdout } = await node([tsc, '-p', project]).catch((error: { stdout: string }) => error)
    expect(stdout).toBe('')
  })
})

describe.skipIf(!existsSync(join(ROOT, 'src/store/store.ts')))('a store', () => {
  test('opens, finds its migrations, and keeps what it is given', async () => {
    const file = join(project, 'store.mjs')
    await writeFile(
      file,
      `import { openStore } from '${manifest.name}'
       const store = await openStore(process.argv[2])
       const notes = await store.collection('notes', { metric: 'cosine' })
       const { outcome } = await notes.put({ source: 'a', text: 'One sentence.' })
       await store.close()
       console.log(outcome)`,
    )
    expect((await node([file, join(project, 'memory')])).stdout).toBe('created\n')
    expect((await node([file, join(project, 'memory')])).stdout).toBe('unchanged\n')
  })
})

describe('the command', () => {
  test.each(Object.keys(manifest.bin))('%s answers --help', async (name) => {
    const { stdout } = await run(join(project, 'node_modules/.bin', name), ['--help'], { cwd: project })
    expect(stdout).toContain(name)
  })
})
