/*
 * The score of FTS5, constants included, for what is ranked here: spans of the past, and the few that a filter lets pass.
 */

/** Spans of a collection, and tokens in all of them. */
export interface Totals {
  readonly rows: number
  readonly tokens: number
}

/** What no occurrence of a word, however often and in however short a text, reaches: this many times its weight. */
export const MOST = 2.2

/** Of a word of more than half of the spans: nothing. */
const NOTHING = 1e-6

/** How much a word tells that `count` of `rows` spans have. */
export function weightOf(rows: number, count: number): number {
  const weight = Math.log((rows - count + 0.5) / (count + 0.5))
  return weight <= 0 ? NOTHING : weight
}

/** What a word of weight 1 adds that a text of so many tokens has so many times. */
export const shareOf = (times: number, length: number, average: number): number =>
  (times * MOST) / (times + 1.2 * (0.25 + (0.75 * length) / average))
