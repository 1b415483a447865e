import { existsSync, readFileSync } from 'node:fs'

const MEETINGS = new URL('../../../shared/corpora/meetings/', import.meta.url)

export interface Meeting {
  readonly name: string
  readonly turns: readonly { readonly speaker: string; readonly content: string }[]
}

/** Meeting transcripts (QMSum, MIT licence) where they are at hand; none where they are not. */
export function meetings(names: readonly string[]): Meeting[] {
  return names
    .map((name) => new URL(name, MEETINGS))
    .filter((file) => existsSync(file))
    .map((file) => {
      const { turns } = JSON.parse(readFileSync(file, 'utf8')) as Pick<Meeting, 'turns'>
      return { name: file.pathname.split('/').at(-1)!, turns }
    })
}
