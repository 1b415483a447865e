import { readdirSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { expect, test } from 'vitest'

const SRC = fileURLToPath(new URL('../../src/', import.meta.url))

const known = new Map<string, readonly string[]>()

/** What a module loads at its start: static imports that are more than types. */
function loadedBy(file: string): readonly string[] {
  const loaded = known.get(file) ?? parsed(file)
  known.set(file, loaded)
  return loaded
}

function parsed(file: string): readonly string[] {
  const source = ts.createSourceFile(file, readFileSync(SRC + file, 'utf8'), ts.ScriptTarget.Latest)
  return source.statements.flatMap((statement) =>
    (ts.isImportDeclaration(statement) && statement.importClause?.isTypeOnly !== true) ||
    (ts.isExportDeclaration(statement) && statement.moduleSpecifier !== undefined && !statement.isTypeOnly)
      ? [(statement.moduleSpecifier as ts.StringLiteral).text]
      : [],
  )
}

function packagesOf(start: string): ReadonlySet<string> {
  const [seen, packages] = [new Set<string>(), new Set<string>()]
  const queue = [start]
  for (let file = queue.pop(); file !== undefined; file = queue.pop()) {
    if (seen.has(file)) continue
    seen.add(file)
    for (const specifier of loadedBy(file))
      if (specifier.startsWith('.')) queue.push(posix.join(posix.dirname(file), specifier))
      else packages.add(specifier)
  }
  return packages
}

const SERVERS = ['hono', 'zod', 'prom-client', '@hono/node-server']

test('only the command that serves loads what a server is made of', () => {
  const commands = readdirSync(`${SRC}cli/commands`).filter((name) => name.endsWith('.ts'))
  const heavy = ['cli/main.ts', 'index.ts', ...commands.map((name) => `cli/commands/${name}`)].filter(
    (file) => SERVERS.some((name) => packagesOf(file).has(name)),
  )
  expect(heavy).toEqual(['cli/commands/serve.ts'])
})
