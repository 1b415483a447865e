import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { expect, test } from 'vitest'

const SRC = fileURLToPath(new URL('../../src/', import.meta.url))

/** Types that public signatures name and nobody has to: each with what stands for it, or the reason. */
const NOT_TO_BE_NAMED: Readonly<Record<string, string>> = {
  'chunking/foreign.ts ForeignChunks': 'what a splitter happens to answer',
  'core/model.ts Case': 'a part of FetchResult, which `match` hands on',
  'client/http.ts HttpOptions': 'exported as ClientOptions',
  'client/collection.ts RemoteCollection': 'CollectionApi is what programs are written against',
  'store/records.ts Records': 'what protocols of other databases are served by',
  'adapters/chroma-collection.ts Condition': 'a literal that is written where it is asked for',
  'guarantees/recall.ts Probes': 'numbers of one answer',
  'guarantees/recall.ts Signal': 'numbers of one answer',
  'store/monitor.ts Signal': 'numbers of one answer',
  'wire/problem.ts ProblemCode': 'codes are compared with literals',
}

test('whoever uses the package can name every type that its signatures name', () => {
  const { exports } = JSON.parse(readFileSync(join(SRC, '../package.json'), 'utf8')) as {
    exports: Record<string, string | { types: string }>
  }
  const entries = Object.values(exports).flatMap((entry) =>
    typeof entry === 'string' ? [] : entry.types.replace(/^\.\/dist\//, SRC).replace(/\.d\.ts$/, '.ts'),
  )
  expect(entries.length).toBeGreaterThan(5)
  const options = { module: ts.ModuleKind.NodeNext, allowImportingTsExtensions: true, noEmit: true }
  const program = ts.createProgram(entries, { ...options, strict: true, target: ts.ScriptTarget.ES2023 })
  const checker = program.getTypeChecker()
  const meant = (symbol: ts.Symbol) =>
    symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
  const exported = new Set(
    entries.flatMap((entry) =>
      checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(entry)!)!).map(meant),
    ),
  )

  const found = new Set<string>()
  const visit = (node: ts.Node): void => {
    if (ts.isBlock(node) || ts.isConstructorDeclaration(node)) return
    if (ts.isPropertyDeclaration(node) && node.initializer !== undefined && node.type === undefined) return
    if (ts.isClassElement(node) && node.name !== undefined && ts.isPrivateIdentifier(node.name)) return
    if (ts.isTypeReferenceNode(node) || ts.isExpressionWithTypeArguments(node)) {
      const name = ts.isTypeReferenceNode(node) ? node.typeName : node.expression
      const symbol = checker.getSymbolAtLocation(name)
      const type = symbol && meant(symbol)
      const file = type?.declarations?.[0]?.getSourceFile().fileName ?? ''
      const isOurs = file.startsWith(SRC) && !(type!.flags & ts.SymbolFlags.TypeParameter)
      if (isOurs && !exported.has(type!)) found.add(`${file.slice(SRC.length)} ${type!.name}`)
    }
    ts.forEachChild(node, visit)
  }
  // Ports are there to be implemented: what one names is reached through it.
  for (const { declarations = [] } of exported)
    for (const declaration of declarations)
      if (!declaration.getSourceFile().fileName.startsWith(`${SRC}ports/`)) visit(declaration)
  expect([...found].sort()).toEqual(Object.keys(NOT_TO_BE_NAMED).sort())
})
