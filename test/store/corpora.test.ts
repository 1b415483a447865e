import { describe, expect, it } from 'vitest'
import { histories, meetings, named, present } from './corpora.ts'
import { replayHistory, replayMeeting } from './replay.ts'

/** The start of each history, and some meetings; test/long replays all of it. */
describe.skipIf(!present)(named('documents as they were really edited'), () => {
  it.each(histories)('%s: every revision reads back, no text changes under its key', async (file) => {
    const { edits, kept, recognised, succeeded } = await replayHistory(file, 15)
    expect(edits).toBeGreaterThan(0)
    expect(kept).toBeGreaterThan(0.5)
    expect(recognised).toBeGreaterThan(0.99)
    expect(succeeded).toBeGreaterThan(0.8)
  })
})

describe.skipIf(!present)(named('meetings as they were really held'), () => {
  it('each stale summary is explained by its causes, and named by the write that made it stale', async () => {
    let all = 0
    for (const file of meetings.filter((_, i) => i % 9 === 0)) {
      const { summaries, stale } = await replayMeeting(file, 10)
      expect(summaries).toBeGreaterThan(0)
      all += stale
    }
    expect(all).toBeGreaterThan(0)
  })
})
