import type { Collection } from '../../index.ts'
import { excerpt } from '../commands/search.ts'
import { preview } from '../terminal.ts'
import { MEETING } from './excerpts.ts'
import type { Telling } from './telling.ts'

export const QUESTION = 'when can I skip index creation?'
const OTHER_WORDS = 'finding the thing when it is lost'

export async function searchByWords(telling: Telling, collection: Collection): Promise<void> {
  const { hits, complete } = await collection.search({ text: QUESTION, k: 3, highlight: true })
  for (const hit of hits) telling.say(`  ${hit.score.toFixed(2)}  ${excerpt(telling.context, hit)}`)
  telling.say(
    telling.context.colors.dim(`  ${complete ? 'complete' : 'not complete'}: every hit is a live span`),
  )
}

/** In a store of its own, because the offline model takes a moment for every text. */
export async function searchByMeaning(telling: Telling, source: string): Promise<void> {
  const { colors, json } = telling.context
  if (json) return
  telling.title(
    'Search by words and by meaning',
    `"${OTHER_WORDS}": what the meeting says of it, in words of its own; by the offline embedder`,
  )
  const { localEmbedder } = await import('../../embed/index.ts')
  const { isSpanStoreError, openStore } = await import('../../index.ts')
  const embedder = localEmbedder()
  const store = await openStore(':memory:', { embedder })
  try {
    const turns = await store.collection('turns')
    const said = MEETING.turns.map(([, text]) => text.replace(/\s*\{\w+\}/g, '').trim())
    await turns.put({
      source,
      spans: said.filter((text) => text.length > 60).map((text) => ({ text })),
    })
    for (const mode of ['text', 'hybrid'] as const) {
      const { hits } = await turns.search({ text: OTHER_WORDS, mode, k: 2 })
      telling.say(`  ${mode === 'text' ? 'words alone' : 'words and meaning'}`)
      for (const { score, span } of hits)
        telling.say(`    ${score.toFixed(2)}  ${preview(span.text, telling.context.width - 12)}`)
    }
  } catch (error) {
    if (!isSpanStoreError(error, 'EMBEDDER_FAILED')) throw error
    telling.say(colors.dim(`  ${error.message}`))
  } finally {
    await store.close()
    await embedder.close()
  }
}
