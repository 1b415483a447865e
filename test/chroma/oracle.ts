import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** What `prepare-oracle.sh` made. */
export const ORACLE = process.env.CHROMA_ORACLE

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}

export interface Oracle extends AsyncDisposable {
  readonly url: string
  readonly port: number
  readonly pid: number
  readonly directory: string
}

/** Starts a real Chroma in a directory of its own. */
export async function startOracle(command: string): Promise<Oracle> {
  const directory = mkdtempSync(join(tmpdir(), 'spanstore-chroma-'))
  const port = await freePort()
  const child = spawn(command, [String(port), directory], { stdio: 'ignore' })
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const url = `http://127.0.0.1:${port}`
  const stop = async () => {
    child.kill('SIGKILL')
    await exited
    rmSync(directory, { recursive: true, force: true })
  }
  const started = performance.now()
  for (;;) {
    const up = await fetch(`${url}/api/v2/heartbeat`).then(
      ({ ok }) => ok,
      () => false,
    )
    if (up) break
    if (child.exitCode !== null || performance.now() - started > 20_000) {
      await stop()
      throw new Error(`${command} did not start`)
    }
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  return { url, port, pid: child.pid!, directory, [Symbol.asyncDispose]: stop }
}
