import type { FidelityPair } from './types.ts'

/** Whether the claim is nothing but whole sentences of the source, word for word. */
export function isVerbatim({ source, claim }: FidelityPair): boolean {
  if (!mayBePart(source, claim)) return false
  const wanted = sentencesOf(claim)
  if (wanted.length === 0) return false
  const there = new Set(sentencesOf(source).flatMap(withoutOpening))
  return wanted.every((sentence) => there.has(sentence))
}

/** A quick look: the words of the claim, without what may end a sentence, all stand somewhere in the source. */
function mayBePart(source: string, claim: string): boolean {
  const there = source.replaceAll('’', "'")
  for (const word of claim.replaceAll('’', "'").split(/\s+/))
    if (/[A-Za-z0-9]/.test(word) && !there.includes(word.replace(/[.!]+$/, ''))) return false
  return true
}

/** Sentences without the space around them and the full stop; a question keeps its mark. */
const sentencesOf = (text: string): string[] =>
  text
    .replaceAll('’', "'")
    .split(/(?<=[.!?…]["')\]]?)\s+|\s*\n\s*/u)
    .map((sentence) =>
      sentence
        .replace(/\s+/g, ' ')
        .replace(/\s*[.!]+$/, '')
        .trim(),
    )
    .filter((sentence) => /[\p{L}\p{N}]/u.test(sentence))

/** A sentence, and what is left of it without the speaker's name in front. */
const withoutOpening = (sentence: string): string[] => {
  const said = /^\p{L}[\p{L}\p{N} _.'-]{0,30}:\s+(.+)$/u.exec(sentence)?.[1]
  return said === undefined ? [sentence] : [sentence, said]
}
