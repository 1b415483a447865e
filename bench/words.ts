import { random } from '../test/store/random.ts'

/** Words of a language that is nobody's, as often as words are: the n-th takes a share of 1/n. */
const VOCABULARY = 40_000

const SYLLABLES = 'ba de ki lo mu na pe ri so tu va we xi yo za che dor fen gal hin'.split(' ')

const wordOf = (rank: number): string => {
  let word = ''
  for (let left = rank + 1; left > 0; left = Math.floor(left / SYLLABLES.length))
    word += SYLLABLES[left % SYLLABLES.length]
  return word
}

/** The word of a rank; 0 is the most frequent. */
export const words: readonly string[] = Array.from({ length: VOCABULARY }, (_, rank) => wordOf(rank))

/** Texts of so many words, the same for the same seed. */
export function zipf(seed: number): (length: number) => string {
  const next = random(seed)
  return (length) => Array.from({ length }, () => words[Math.floor(VOCABULARY ** next()) - 1]!).join(' ')
}

/** Note `n`: its number, which no other note has, and so many words, the same every time. */
export const noteOf = (n: number, length = 40): string => `Note ${n}: ${zipf(n + 1)(length)}.`
