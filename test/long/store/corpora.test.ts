import { describe, expect, it } from 'vitest'
import { histories, meetings, named, present } from '../../store/corpora.ts'
import { replayHistory, replayMeeting } from '../../store/replay.ts'

describe.skipIf(!present)(named('all documents, all revisions'), () => {
  it.each(histories)('%s', async (file) => {
    const { kept, recognised, succeeded } = await replayHistory(file, Number.POSITIVE_INFINITY)
    expect(kept).toBeGreaterThan(0.6)
    expect(recognised).toBeGreaterThan(0.99)
    expect(succeeded).toBeGreaterThan(0.9)
  })
})

describe.skipIf(!present)(named('all meetings'), () => {
  it.each(meetings)('%s', async (file) => {
    const { summaries } = await replayMeeting(file, 25)
    expect(summaries).toBeGreaterThan(0)
  })
})
