import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import {
  code,
  type Message,
  markdown,
  paragraphs,
  turns,
  turnsFromMessages,
} from '../../src/chunking/index.ts'
import { expectPromises } from './promises.ts'

const corpora = new URL('../../../shared/corpora/', import.meta.url)
const here = existsSync(corpora)

describe.skipIf(!here)('real documents (skipped when ../shared/corpora is not there)', () => {
  const folder = new URL('doc-history/', corpora)
  const documents = here ? readdirSync(folder).filter((name) => name.endsWith('.jsonl')) : []
  const revisions = (name: string): string[] =>
    readFileSync(new URL(name, folder), 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => (JSON.parse(line) as { text: string }).text)

  for (const name of documents) {
    it(`${name}: every chunker keeps its promises`, { timeout: 60_000 }, () => {
      const all = revisions(name)
      for (const text of [all[0]!, all[all.length >> 1]!, all.at(-1)!]) {
        for (const max of [200, 1200])
          for (const make of [paragraphs, markdown, turns, code]) {
            expectPromises(make({ max }), text, max)
          }
      }
    })
  }

  it('most chunks survive from one revision to the next', () => {
    let kept = 0
    let total = 0
    for (const name of documents) {
      let before: Set<string> | undefined
      for (const text of revisions(name)) {
        const chunks = markdown().chunk(text)
        if (before !== undefined) {
          total += chunks.length
          kept += chunks.filter((chunk) => before!.has(chunk.text)).length
        }
        before = new Set(chunks.map((chunk) => chunk.text))
      }
    }
    expect(kept / total).toBeGreaterThan(0.8) // of pieces of 900 characters: 0.39, of single paragraphs: 0.94
  })

  it('meetings: one span per turn that says something, with its speaker', () => {
    const meetings = new URL('meetings/', corpora)
    for (const name of readdirSync(meetings).filter((file) => file.endsWith('.json'))) {
      const meeting = JSON.parse(readFileSync(new URL(name, meetings), 'utf8')) as {
        turns: (Message & { speaker: string; content: string })[]
      }
      const said = meeting.turns.filter((turn) => turn.content.trim() !== '')
      expect(turnsFromMessages(meeting.turns).map((span) => span.text)).toEqual(
        said.map((turn) => turn.content),
      )

      const transcript = said.map((turn) => `${turn.speaker}: ${turn.content}`).join('\n')
      const chunks = turns({ max: 1_000_000 }).chunk(transcript)
      expect(chunks.map((chunk) => chunk.metadata?.speaker)).toEqual(
        said.map((turn) => turn.speaker.replace(/ \(.*\)$/, '')),
      )
    }
  })
})
