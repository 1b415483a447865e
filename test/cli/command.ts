import { type ChildProcess, spawn } from 'node:child_process'
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

/**
 * The command line as a shell runs it: a process of its own, with pipes. `src` is translated once, file by file, into
 * a directory laid out like the package, because a process that translates for itself takes a second to start.
 */

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

const directories: string[] = []

export function newDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'spanstore-cli-'))
  directories.push(directory)
  return directory
}

export function removeDirectories(): void {
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true, force: true })
}

const MAIN = translated()

function translated(): string {
  const home = newDirectory()
  for (const name of ['node_modules', 'migrations']) symlinkSync(join(ROOT, name), join(home, name))
  copyFileSync(join(ROOT, 'package.json'), join(home, 'package.json'))
  const source = join(ROOT, 'src')
  const data: string[] = []
  for (const path of readdirSync(source, { recursive: true, encoding: 'utf8' })) {
    if (path.endsWith('.bin')) data.push(path)
    if (!path.endsWith('.ts')) continue
    const { outputText } = ts.transpileModule(readFileSync(join(source, path), 'utf8'), {
      compilerOptions: {
        module: ts.ModuleKind.ESNext,
        target: ts.ScriptTarget.ES2023,
        verbatimModuleSyntax: true,
        rewriteRelativeImportExtensions: true,
      },
    })
    const target = join(home, 'dist', path.replace(/\.ts$/, '.js'))
    mkdirSync(dirname(target), { recursive: true })
    writeFileSync(target, outputText)
  }
  for (const path of data) copyFileSync(join(source, path), join(home, 'dist', path))
  return join(home, 'dist/cli/main.js')
}

export interface Answer {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

export interface RunOptions {
  readonly cwd: string
  readonly input?: string
  readonly env?: Readonly<Record<string, string>>
}

export function start(args: readonly string[], options: RunOptions): ChildProcess {
  const { SPANSTORE_STORE: _, FORCE_COLOR: __, NO_COLOR: ___, ...env } = process.env
  return spawn(process.execPath, [MAIN, ...args], {
    cwd: options.cwd,
    env: { ...env, ...options.env },
    stdio: 'pipe',
  })
}

export function ended(child: ChildProcess, input = ''): Promise<Answer> {
  let out = ''
  let err = ''
  child.stdout!.setEncoding('utf8').on('data', (part) => {
    out += part
  })
  child.stderr!.setEncoding('utf8').on('data', (part) => {
    err += part
  })
  child.stdin!.end(input)
  return new Promise((resolve, reject) => {
    child.on('error', reject).on('close', (code) => resolve({ code, out, err }))
  })
}

export const spanstore = (args: readonly string[], options: RunOptions): Promise<Answer> =>
  ended(start(args, options), options.input)
