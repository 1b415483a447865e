import { closeSync, constants, type FSWatcher, openSync, watch, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { Bell } from '../../core/consumer.ts'
import type { Connection } from './statements.ts'

/** A watcher may report the bell before the commit behind it can be read; by then it can. */
const RECHECK = 1

/** Milliseconds between looks at the database where no bell is heard: foreign writers, file systems without watch. */
const POLL = 250

/** Not for appending: the bell is one byte, written over and over. */
const openBell = (path: string) => openSync(path, constants.O_WRONLY | constants.O_CREAT)

export interface DoorbellOptions {
  readonly connection: Connection
  /** Where the bell file lies; none for a database in memory, which no other process sees. */
  readonly directory?: string
  /** `false`: bell only. */
  readonly poll?: number | false
}

/**
 * Tells followers that something was committed. Within a process it calls them; across processes a byte is written
 * to a file that followers watch. It carries no content and may ring for nothing: what happened is in the log.
 * Nothing is watched and no timer runs while nobody follows, and neither keeps the process alive.
 */
export class Doorbell implements Bell {
  readonly #connection: Connection
  readonly #path: string | undefined
  readonly #poll: number | false
  readonly #listeners = new Set<() => void>()
  #bell: number | undefined
  /** Other processes are about to be told. */
  #ringing: NodeJS.Immediate | undefined
  #watcher: FSWatcher | undefined
  #timer: NodeJS.Timeout | undefined
  #recheck: NodeJS.Timeout | undefined
  #version = 0
  #closed = false

  constructor({ connection, directory, poll = POLL }: DoorbellOptions) {
    this.#connection = connection
    this.#path = directory === undefined ? undefined : join(directory, 'bell')
    this.#poll = poll
  }

  /**
   * Call after each commit of this process. Never throws: the commit stands, and the poll is there as a net. Other
   * processes are told in the next turn of the event loop, once for all commits of this one: whoever asked for the
   * commit has its answer first.
   */
  ring(): void {
    if (this.#closed) return
    this.#announce()
    if (this.#path !== undefined) this.#ringing ??= setImmediate(() => this.#sound())
  }

  #sound(): void {
    this.#ringing = undefined
    try {
      this.#bell ??= openBell(this.#path!)
      writeSync(this.#bell, '.', 0)
    } catch {
      this.#bell = undefined
    }
  }

  follow(listener: () => void): () => void {
    // A function of its own, so that the same listener may follow twice.
    const entry = () => listener()
    this.#listeners.add(entry)
    if (this.#listeners.size === 1) this.#start()
    return () => {
      if (this.#listeners.delete(entry) && this.#listeners.size === 0) this.#stop()
    }
  }

  close(): void {
    this.#closed = true
    if (this.#ringing !== undefined) {
      clearImmediate(this.#ringing)
      this.#sound()
    }
    this.#listeners.clear()
    this.#stop()
    if (this.#bell !== undefined) closeSync(this.#bell)
    this.#bell = undefined
  }

  #announce(): void {
    for (const listener of [...this.#listeners]) listener()
  }

  #start(): void {
    if (this.#closed || this.#path === undefined) return
    this.#version = this.#readVersion()
    try {
      closeSync(openBell(this.#path))
      this.#watcher = watch(this.#path, { persistent: false }, () => this.#heard())
      this.#watcher.on('error', () => this.#watcher?.close())
    } catch {
      // No watch here (too many watchers, a network file system): the poll remains.
    }
    if (this.#poll !== false) this.#timer = setInterval(() => this.#look(), this.#poll).unref()
  }

  #stop(): void {
    this.#watcher?.close()
    clearInterval(this.#timer)
    clearTimeout(this.#recheck)
    this.#watcher = this.#timer = this.#recheck = undefined
  }

  #heard(): void {
    this.#look()
    this.#recheck ??= setTimeout(() => {
      this.#recheck = undefined
      this.#look()
    }, RECHECK).unref()
  }

  /** Announces commits of others. This process's own change no version, so its own bell wakes nobody twice. */
  #look(): void {
    if (this.#closed) return
    const version = this.#readVersion()
    if (version === this.#version) return
    this.#version = version
    this.#announce()
  }

  #readVersion(): number {
    return this.#connection.value<number>('PRAGMA data_version')!
  }
}
