import { readdirSync, readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { describe, expect, test } from 'vitest'

/**
 * Which way imports point. An area is a top-level entry of `src`: a folder, or a file without its `.ts`.
 * A file imports from its own area and from areas of a lower rank; types count as imports.
 */
const RANKS: Readonly<Record<string, number>> = {
  core: 0,
  chunking: 1,
  ports: 1,
  // Work of this package in a thread of its own.
  threads: 1,
  guarantees: 2,
  subscription: 2,
  store: 3,
  indexer: 3,
  ledger: 3,
  vector: 3,
  embed: 3,
  // Suites write through a store's own verbs.
  testing: 4,
  // Text search reads the ledger's file beside its own, as what finds spans by their metadata does.
  text: 4,
  attributes: 4,
  // What the store and its client have in common: types.
  api: 4,
  open: 5,
  index: 6,
  ingest: 7,
  wire: 7,
  client: 7,
  // A server mounts what speaks other protocols; an adapter speaks one of them in process.
  server: 8,
  adapters: 8,
  cli: 9,
}

/** Areas that import neither packages nor Node: everything in them can be reasoned about as a pure function. */
const PURE = ['core', 'chunking']

/** Areas that run in a browser too: neither packages nor Node, and of areas that are not pure the types alone. */
const PORTABLE = ['client']

/** Packages that are pure themselves: text in, edits out. */
const PURE_PACKAGES = ['diff/lib/diff/array.js']

/** Packages with native code or tied to a database, and the areas that may know them. `open` imports them lazily. */
const CONFINED = ['better-sqlite3', '@lancedb/lancedb', 'drizzle-orm']
const MAY_IMPORT_CONFINED = ['ledger', 'vector', 'text', 'attributes', 'open']
const ONLY_LAZILY = ['open']

/** Files that may `import(expression)`, which this test cannot follow. */
const COMPUTED_IMPORTS: readonly string[] = ['vector/load-in-steps.ts']

/** Words a file name may not be made of: they say nothing about what is inside. */
const EMPTY_NAMES = /(^|[-./])(utils?|helpers?|managers?)([-./]|$)/

interface SourceFile {
  /** Relative to `src`, with forward slashes. */
  readonly path: string
  readonly text: string
}

interface Import {
  readonly file: string
  readonly line: number
  /** Undefined when the specifier is computed. */
  readonly specifier: string | undefined
  readonly form: 'static' | 'type' | 'lazy'
  readonly star: boolean
}

const SRC = fileURLToPath(new URL('../src/', import.meta.url))

const files: readonly SourceFile[] = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => path.endsWith('.ts'))
  .sort()
  .map((path) => ({ path, text: readFileSync(SRC + path, 'utf8') }))

const topLevel = readdirSync(SRC, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() || entry.name.endsWith('.ts'))
  .map((entry) => entry.name)

const imports = files.flatMap(importsOf)

function importsOf({ path, text }: SourceFile): Import[] {
  const found: Import[] = []
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true)
  const add = (node: ts.Node, specifier: ts.Node | undefined, form: Import['form'], star = false) => {
    const line = source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1
    const literal = specifier && ts.isStringLiteralLike(specifier) ? specifier.text : undefined
    found.push({ file: path, line, specifier: literal, form, star })
  }
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) {
      // `import { type A }` is kept as `import {}` under verbatimModuleSyntax: it still loads the module.
      add(node, node.moduleSpecifier, node.importClause?.isTypeOnly ? 'type' : 'static')
    } else if (ts.isExportDeclaration(node) && node.moduleSpecifier) {
      const star = !node.exportClause || ts.isNamespaceExport(node.exportClause)
      add(node, node.moduleSpecifier, node.isTypeOnly ? 'type' : 'static', star)
    } else if (ts.isImportTypeNode(node)) {
      add(node, ts.isLiteralTypeNode(node.argument) ? node.argument.literal : undefined, 'type')
    } else if (ts.isCallExpression(node)) {
      if (node.expression.kind === ts.SyntaxKind.ImportKeyword) add(node, node.arguments[0], 'lazy')
      if (isRequire(node.expression)) add(node, node.arguments[0], 'static')
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}

function isRequire(callee: ts.Expression): boolean {
  if (ts.isIdentifier(callee)) return callee.text === 'require'
  // createRequire(import.meta.url)('x')
  if (ts.isCallExpression(callee)) return callee.expression.getText() === 'createRequire'
  return ts.isPropertyAccessExpression(callee) && callee.getText().startsWith('require.')
}

const areaOf = (path: string): string => path.split('/')[0]!.replace(/\.ts$/, '')

const packageOf = (specifier: string): string =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')

/** What is wrong with an import, or undefined. */
function problemOf({ file, specifier, form }: Import): string | undefined {
  const from = areaOf(file)
  if (specifier === undefined) {
    return COMPUTED_IMPORTS.includes(file)
      ? undefined
      : 'computes what it imports; this test cannot follow it'
  }
  if (specifier.startsWith('.')) {
    const target = posix.join(posix.dirname(file), specifier)
    if (target.startsWith('..')) return `imports '${specifier}', which is outside src`
    const to = areaOf(target)
    if (from === to) return undefined
    const rank = RANKS[from]
    const targetRank = RANKS[to]
    if (rank === undefined) return `is in '${from}', which has no rank`
    if (targetRank === undefined) return `imports '${to}', which has no rank`
    if (targetRank >= rank) return `(${from}, rank ${rank}) imports ${to} (rank ${targetRank})`
    return PORTABLE.includes(from) && form !== 'type' && !PURE.includes(to)
      ? `imports '${specifier}', of which ${from} may know types alone`
      : undefined
  }
  if (PURE.includes(from) && !PURE_PACKAGES.includes(specifier))
    return `imports '${specifier}', but ${from} is pure: no packages, no node:*`
  if (PORTABLE.includes(from))
    return `imports '${specifier}', but ${from} runs in browsers: no packages, no node:*`
  if (isBuiltin(specifier)) {
    return specifier.startsWith('node:') ? undefined : `imports '${specifier}' without node:`
  }
  const name = packageOf(specifier)
  if (name === 'spanstore') return `imports the package by its own name ('${specifier}')`
  if (!CONFINED.includes(name)) return undefined
  if (!MAY_IMPORT_CONFINED.includes(from)) {
    return `imports '${specifier}', which only ${MAY_IMPORT_CONFINED.join(', ')} may know`
  }
  if (ONLY_LAZILY.includes(from) && form === 'static') {
    return `imports '${specifier}' eagerly; use import type, or await import()`
  }
  return undefined
}

function violations(found: readonly Import[]): string[] {
  return found.flatMap((one) => {
    const problem = problemOf(one)
    return problem === undefined ? [] : [`src/${one.file}:${one.line} ${problem}`]
  })
}

const stars = (found: readonly Import[]): string[] =>
  found.filter(({ star }) => star).map(({ file, line }) => `src/${file}:${line}`)

const unranked = (entries: readonly string[]): string[] =>
  entries.filter((entry) => !Object.hasOwn(RANKS, areaOf(entry)))

describe('src', () => {
  test('gives every top-level entry a rank', () => {
    expect(
      unranked(topLevel),
      'new in src: add it to RANKS in test/layers.test.ts, at the rank its imports allow, and to ARCHITECTURE.md',
    ).toEqual([])
  })

  test('imports point one way', () => {
    expect(violations(imports)).toEqual([])
  })

  test('exports by name: no `export *`', () => {
    expect(stars(imports)).toEqual([])
  })

  test('names files after what they hold', () => {
    expect(files.map(({ path }) => path).filter((path) => EMPTY_NAMES.test(path))).toEqual([])
  })

  test('was really read', () => {
    expect(files.length).toBeGreaterThan(0)
    expect(files.every(({ text }) => text.length > 0)).toBe(true)
    // A handful of files may import little; a whole source tree that does was not parsed.
    if (files.length > 10) expect(imports.length).toBeGreaterThan(files.length)
  })
})

describe('the check itself', () => {
  const check = (path: string, text: string) => violations(importsOf({ path, text }))

  test.each([
    ['core/a.ts', `import { x } from '../store.ts'`],
    ['core/a.ts', `import type { X } from '../ports/ledger.ts'`],
    ['core/a.ts', `export { x } from '../ledger/sqlite/rows.ts'`],
    ['core/a.ts', `export type { X } from '../ports/ledger.ts'`],
    ['core/a.ts', `type X = import('../ports/ledger.ts').X`],
    ['core/a.ts', `const x = await import('../open.ts')`],
    ['core/a.ts', `import '../open.ts'`],
    ['core/a.ts', `import {\n  x,\n} from '../chunking/index.ts'`],
    ['core/a.ts', `import { createHash } from 'node:crypto'`],
    ['core/a.ts', `import type { Buffer } from 'node:buffer'`],
    ['core/a.ts', `import { ulid } from 'ulid'`],
    ['chunking/a.ts', `import type { Ledger } from '../ports/ledger.ts'`],
    ['chunking/a.ts', `import { readFileSync } from 'node:fs'`],
    ['ports/ledger.ts', `import { whole } from '../chunking/index.ts'`],
    ['store.ts', `import { sqliteLedger } from './ledger/sqlite/open.ts'`],
    ['store.ts', `import { open } from './open.ts'`],
    ['store.ts', `import type Database from 'better-sqlite3'`],
    ['store.ts', `import { eq } from 'drizzle-orm/sql'`],
    ['server/app.ts', `import { serve } from '../cli/serve.ts'`],
    ['wire/chroma/routes.ts', `import { app } from '../../server/app.ts'`],
    ['client/a.ts', `import { randomUUID } from 'node:crypto'`],
    ['client/a.ts', `import { ulid } from 'ulid'`],
    ['client/a.ts', `import { Subscriptions } from '../subscription/index.ts'`],
    ['adapters/mem0.ts', `const { connect } = await import('@lancedb/lancedb')`],
    ['open.ts', `import Database from 'better-sqlite3'`],
    ['open.ts', `import { type Database } from 'better-sqlite3'`],
    ['open.ts', `const Database = require('better-sqlite3')`],
    ['open.ts', `const Database = createRequire(import.meta.url)('better-sqlite3')`],
    ['open.ts', `const name = 'better-sqlite3'; await import(name)`],
    ['cli/main.ts', `import { openStore } from 'spanstore'`],
    ['cli/main.ts', `import manifest from '../../package.json' with { type: 'json' }`],
    ['cli/main.ts', `import fs from 'fs'`],
    ['cli/main.ts', `import { x } from '../novel/x.ts'`],
  ])('refuses %s: %s', (path, text) => {
    expect(check(path, text)).toHaveLength(1)
  })

  test.each([
    ['core/a.ts', `import { b } from './b.ts'`],
    ['chunking/a.ts', `import { b } from '../core/b.ts'`],
    ['guarantees/fidelity/a.ts', `import { gate } from '../gate.ts'`],
    ['ledger/sqlite/rows.ts', `import { eq } from 'drizzle-orm'\nimport Database from 'better-sqlite3'`],
    ['open.ts', `import type Database from 'better-sqlite3'\nawait import('@lancedb/lancedb')`],
    ['client/a.ts', `import { x } from '../core/x.ts'\nimport type { Store } from '../store/store.ts'`],
    ['cli/main.ts', `import { readFileSync } from 'node:fs'\nimport { openStore } from '../index.ts'`],
    ['core/a.ts', `// import { x } from '../store.ts'\nexport const doc = "import { x } from '../store.ts'"`],
  ])('admits %s: %s', (path, text) => {
    expect(check(path, text)).toEqual([])
  })

  test('sees every import of a file, with its line', () => {
    const text = `import { x } from './x.ts'\n\nexport async function f() {\n  await import('../store.ts')\n}\n`
    expect(check('core/a.ts', text)).toEqual(['src/core/a.ts:4 (core, rank 0) imports store (rank 3)'])
    expect(importsOf({ path: 'core/a.ts', text })).toHaveLength(2)
  })

  test('sees `export *`', () => {
    const text = `export * from './a.ts'\nexport * as b from './b.ts'\nexport { c } from './c.ts'`
    expect(stars(importsOf({ path: 'index.ts', text }))).toEqual(['src/index.ts:1', 'src/index.ts:2'])
  })

  test('sees a top-level entry that has no rank', () => {
    expect(unranked(['core', 'store.ts', 'novel', 'novel.ts', 'constructor'])).toEqual([
      'novel',
      'novel.ts',
      'constructor',
    ])
  })

  test('sees empty names, and only those', () => {
    const names = ['core/utils.ts', 'cli/util/x.ts', 'path-helpers.ts', 'session-manager.ts', 'helper.ts']
    expect(names.filter((name) => EMPTY_NAMES.test(name))).toEqual(names)
    expect(['core/utility.ts', 'managed.ts', 'core/key.ts'].filter((name) => EMPTY_NAMES.test(name))).toEqual(
      [],
    )
  })
})
