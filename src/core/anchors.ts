import { invalid } from './given.ts'
import { isKey, type Key } from './key.ts'

/** What stands between double brackets, whatever it is. */
const BRACKETS = /\[\[([^[\]]*)\]\]/g

/** The pattern of seed 004: an opaque key between double brackets. */
const ANCHOR = /\[\[([A-Za-z0-9:_\-/.]+)\]\]/g

export interface Anchors {
  /** Keys printed in the text, in order of first appearance, without repetition. */
  readonly keys: readonly Key[]
  /** What stands between double brackets and is no key. */
  readonly notKeys: readonly string[]
}

/** Reads the anchors printed in a text. Keys are matched exactly as the store mints them. @throws INVALID_ARGUMENT */
export function parseAnchors(text: string): Anchors {
  if (typeof text !== 'string') throw invalid('text', text, 'give a string')
  const keys = new Set<Key>()
  const notKeys = new Set<string>()
  if (text.includes('[['))
    for (const [, inner] of text.matchAll(BRACKETS)) {
      if (isKey(inner)) keys.add(inner)
      else notKeys.add(inner!)
    }
  return { keys: [...keys], notKeys: [...notKeys] }
}

/** The text with every anchor blanked: equal for two texts that differ only in the keys they cite. */
export const withoutAnchors = (text: string): string =>
  text.replace(ANCHOR, (whole, inner: string) => (isKey(inner) ? '[[]]' : whole))

/** The words alone: anchors gone, with the space before them. */
export const wordsOf = (text: string): string =>
  text
    .replace(/\s*\[\[([^[\]]*)\]\]/g, (whole, inner: string) => (isKey(inner) ? '' : whole))
    .replace(/\s+/g, ' ')
    .trim()

/** Every printed key, in order, repetitions kept. */
export const anchorSequence = (text: string): Key[] =>
  [...text.matchAll(ANCHOR)].map(([, inner]) => inner).filter((inner): inner is Key => isKey(inner))
