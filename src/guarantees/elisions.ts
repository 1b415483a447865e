import { SpanStoreError } from '../core/errors.ts'

/*
 * Words by which a text says that it left something out, or points at what stood elsewhere. Both stand in for
 * something that is not there; only an anchor brings it back.
 */

/** Marks of one language. Words and phrases, matched whole and in any case of letters. */
export interface ElisionMarkers {
  /** "and so on": something was left out. */
  readonly elisions: readonly string[]
  /** "as noted": something is pointed at by its place in a text that may be gone. */
  readonly anaphora: readonly string[]
}

export type Language = 'en' | 'de'

const ENGLISH: ElisionMarkers = {
  elisions: [
    'etc.',
    'etc',
    'et cetera',
    'and related',
    'and so on',
    'and so forth',
    'and the like',
    'and others',
    'and similar',
    'and more',
    'among others',
    'amongst others',
    'other details',
    'further details',
    'remaining items',
  ],
  anaphora: [
    'as noted',
    'as mentioned',
    'as discussed',
    'as described',
    'as stated',
    'as agreed',
    'as before',
    'noted above',
    'mentioned above',
    'described above',
    'discussed above',
    'see above',
    'the above',
    'above-mentioned',
    'aforementioned',
    'aforesaid',
    'earlier',
    'previously',
    'the former',
    'the latter',
    'the foregoing',
  ],
}

const GERMAN: ElisionMarkers = {
  elisions: [
    'etc.',
    'etc',
    'usw.',
    'usw',
    'usf.',
    'u. a.',
    'u.a.',
    'u. ä.',
    'u.ä.',
    'o. ä.',
    'o.ä.',
    'und so weiter',
    'und so fort',
    'und Ähnliches',
    'und ähnliche',
    'oder Ähnliches',
    'und dergleichen',
    'und Weiteres',
    'und weitere',
    'und anderes',
    'und andere',
    'unter anderem',
    'weitere Einzelheiten',
  ],
  anaphora: [
    'wie erwähnt',
    'wie bereits erwähnt',
    'wie schon erwähnt',
    'wie besprochen',
    'wie beschrieben',
    'wie gesagt',
    'wie vereinbart',
    'wie oben',
    'wie zuvor',
    'wie gehabt',
    'siehe oben',
    's. o.',
    's.o.',
    'oben genannt',
    'oben genannte',
    'oben genannten',
    'oben erwähnt',
    'oben erwähnte',
    'oben erwähnten',
    'obengenannte',
    'obengenannten',
    'das Obige',
    'obige',
    'obigen',
    'obiger',
    'obiges',
    'vorgenannte',
    'vorgenannten',
    'besagte',
    'besagten',
    'ersteres',
    'letzteres',
    'früher',
    'vorher',
    'zuvor',
    'vorhin',
  ],
}

const SHIPPED: Readonly<Record<Language, ElisionMarkers>> = { en: ENGLISH, de: GERMAN }

export const LANGUAGES = Object.keys(SHIPPED) as Language[]

export interface Elision {
  /** As it stands in the text. */
  readonly text: string
  readonly kind: 'elision' | 'anaphora'
  /** UTF-16 offset in the text. */
  readonly at: number
}

/** Every mark in a text, in order, none counted twice. */
export function findElisions(
  text: string,
  languages: readonly (Language | ElisionMarkers)[] = LANGUAGES,
): Elision[] {
  const { pattern, anaphora } = compiled(languages)
  return [...text.matchAll(pattern)].map((match) => ({
    text: match[0],
    kind: anaphora.has(plain(match[0])) ? 'anaphora' : 'elision',
    at: match.index,
  }))
}

const plain = (words: string) => words.toLowerCase().replace(/\s+/g, ' ')

function markersOf(language: Language | ElisionMarkers): ElisionMarkers {
  const markers = typeof language === 'string' ? SHIPPED[language] : language
  if (Array.isArray(markers?.elisions) && Array.isArray(markers.anaphora)) return markers
  throw new SpanStoreError(
    'INVALID_ARGUMENT',
    `languages: ${JSON.stringify(language)} is not known; there are ${LANGUAGES.join(', ')}, or give { elisions, anaphora }`,
    { path: 'languages', value: language },
  )
}

interface Compiled {
  readonly pattern: RegExp
  readonly anaphora: ReadonlySet<string>
}

const known = new Map<string, Compiled>()

function compiled(languages: readonly (Language | ElisionMarkers)[]): Compiled {
  const name = languages.every((language) => typeof language === 'string') ? languages.join() : undefined
  const before = name === undefined ? undefined : known.get(name)
  if (before !== undefined) return before
  const markers = languages.map(markersOf)
  const words = [...new Set(markers.flatMap(({ elisions, anaphora }) => [...elisions, ...anaphora]))]
    // The longest first: "as noted above" is one mark, not two.
    .sort((a, b) => b.length - a.length)
    .map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/\s+/g, '\\s+'))
  const made = {
    pattern:
      words.length === 0
        ? /(?!)/g
        : new RegExp(`(?<![\\p{L}\\p{N}])(?:${words.join('|')})(?![\\p{L}\\p{N}])`, 'giu'),
    anaphora: new Set(markers.flatMap((language) => language.anaphora.map(plain))),
  }
  if (name !== undefined) known.set(name, made)
  return made
}
