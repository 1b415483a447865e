import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const corpora = fileURLToPath(new URL('../../../shared/corpora/', import.meta.url))

/** Real data lies beside the repository; where it does not, tests that need it say so. */
export const present = existsSync(`${corpora}doc-history`) && existsSync(`${corpora}meetings`)

/** A name for a group of tests, with the reason where they are skipped. */
export const named = (name: string): string =>
  present ? name : `${name} (skipped: ../shared/corpora is not there)`

export interface Meeting {
  readonly meeting: string
  readonly turns: readonly { readonly speaker: string; readonly content: string }[]
  readonly summaries: readonly {
    readonly query: string
    readonly text: string
    readonly turns: readonly (readonly [number, number])[]
  }[]
  readonly overviews: readonly { readonly text: string }[]
}

const filesOf = (folder: string): string[] => (present ? readdirSync(corpora + folder).sort() : [])

export const histories = filesOf('doc-history')
export const meetings = filesOf('meetings')

export const readHistory = (file: string): string[] =>
  readFileSync(`${corpora}doc-history/${file}`, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => (JSON.parse(line) as { text: string }).text)

export const readMeeting = (file: string): Meeting =>
  JSON.parse(readFileSync(`${corpora}meetings/${file}`, 'utf8')) as Meeting
