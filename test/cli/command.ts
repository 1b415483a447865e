import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The command line as a shell runs it: a process of its own, with pipes. */

const MAIN = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url))
const LOADER = import.meta.resolve('tsx')

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
  return spawn(process.execPath, ['--import', LOADER, MAIN, ...args], {
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

const directories: string[] = []

export function newDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'spanstore-cli-'))
  directories.push(directory)
  return directory
}

export function removeDirectories(): void {
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true, force: true })
}
