let made: Intl.Segmenter | undefined

/** Made at first use: loading its rules takes longer than starting the package. */
const segmenter = (): Intl.Segmenter => {
  made ??= new Intl.Segmenter('en', { granularity: 'grapheme' })
  return made
}

const WINDOW = 256

/**
 * The grapheme boundaries in [low, high], or, when there is none, the first one after `high`: never empty.
 * `from <= low` must itself be a boundary. Not complete when some boundaries are evident without the segmenter:
 * then only those are returned, which is enough to choose a cut and keeps ordinary text fast.
 *
 * Intl.Segmenter is quadratic on Node 20, so it is only ever given a window, started at a known boundary. A
 * boundary depends on what is before it and on the one code point after it, so each start of a segment inside
 * the window is a true one.
 */
export function graphemeBoundaries(text: string, from: number, low: number, high: number): number[] {
  const found: number[] = []
  for (let at = low; at <= high; at++) if (at === from || isEvident(text, at)) found.push(at)
  if (found.length > 0) return found

  let start = low
  while (start > from && !isEvident(text, start)) start--
  for (let size = WINDOW; ; ) {
    const end = wholeCodePoint(text, Math.min(start + size, text.length))
    let last = start
    for (const { index } of segmenter().segment(text.slice(start, end))) {
      const at = start + index
      if (at > high) {
        if (found.length === 0) found.push(at)
        return found
      }
      if (at >= low) found.push(at)
      last = at
    }
    if (end === text.length) {
      if (found.length === 0) found.push(end)
      return found
    }
    // The last segment may go on after the window: look again from its start, wider when it filled the window.
    if (last === start) size *= 2
    else size = WINDOW
    if (found.at(-1) === last) found.pop()
    start = last
  }
}

export function isGraphemeBoundary(text: string, from: number, at: number): boolean {
  return graphemeBoundaries(text, from, at, at)[0] === at
}

function wholeCodePoint(text: string, at: number): number {
  return at < text.length && isLow(text.charCodeAt(at)) && isHigh(text.charCodeAt(at - 1)) ? at + 1 : at
}

/**
 * Whether `at` is a boundary by the classes of its two neighbours alone. Says no when unsure. It is sure when
 * what follows can never be attached to what precedes it, and what precedes is neither a zero width joiner, nor
 * a prepended mark, nor a leading Hangul jamo, which attach what follows.
 */
export function isEvident(text: string, at: number): boolean {
  if (at <= 0 || at >= text.length) return true
  const before = text.charCodeAt(at - 1)
  const after = text.charCodeAt(at)
  if (before < 0x300 && after < 0x300) return !(before === 0x0d && after === 0x0a)
  return neverAttaches(text, at, after) && neverPrepends(text, at, before)
}

function neverAttaches(text: string, at: number, unit: number): boolean {
  if (unit < 0x300) return unit !== 0x0a
  if (isHigh(unit)) {
    const point = text.codePointAt(at)!
    if (point >= 0x20000 && point <= 0x3fffd) return true // ideographs
    const emoji = point >= 0x1f000 && point <= 0x1faff
    return emoji && !(point >= 0x1f1e6 && point <= 0x1f1ff) && !(point >= 0x1f3fb && point <= 0x1f3ff)
  }
  return (
    (unit >= 0x3041 && unit <= 0x3098) || // kana
    (unit >= 0x309b && unit <= 0xa4cf) || // kana, ideographs, Yi
    (unit >= 0xac00 && unit <= 0xd7a3) || // Hangul syllables
    (unit >= 0x370 && unit <= 0x482) || // Greek, Cyrillic
    (unit >= 0x48a && unit <= 0x590) || // Cyrillic, Armenian
    (unit >= 0x5d0 && unit <= 0x5ea) || // Hebrew letters
    (unit >= 0x620 && unit <= 0x64a) || // Arabic letters
    (unit >= 0xe01 && unit <= 0xe30) || // Thai consonants
    (unit >= 0x1e00 && unit <= 0x200a) || // Latin, Greek, spaces
    (unit >= 0x2010 && unit <= 0x205f) || // punctuation
    (unit >= 0x2100 && unit <= 0x2bff) || // symbols
    (unit >= 0x3000 && unit <= 0x3029) || // CJK punctuation
    (unit >= 0xff01 && unit <= 0xff9d) // full and half width
  )
}

function neverPrepends(text: string, at: number, unit: number): boolean {
  if (unit < 0x600) return true
  if (isLow(unit)) {
    const point = at >= 2 ? text.codePointAt(at - 2)! : 0
    return (point >= 0x1f000 && point <= 0x1faff) || (point >= 0x20000 && point <= 0x3fffd)
  }
  return (
    (unit >= 0x200e && unit <= 0xa95f) || // punctuation to ideographs
    (unit >= 0xac00 && unit <= 0xd7a3) || // Hangul syllables
    (unit >= 0x606 && unit <= 0x6dc) || // Arabic
    (unit >= 0x900 && unit <= 0xd4d) || // Indic scripts
    (unit >= 0xe01 && unit <= 0x10ff) || // Thai to Georgian
    (unit >= 0x1200 && unit <= 0x200c) ||
    (unit >= 0xfe00 && unit <= 0xfe0f) || // variation selectors
    (unit >= 0xff01 && unit <= 0xff9f)
  )
}

function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff
}

function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff
}
