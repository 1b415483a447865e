import { type Comparison, type Finding, finding, said } from '../comparing/comparison.ts'
import { anyOf } from '../words/cues.ts'

const TOTAL = anyOf(
  'all every everyone everybody everything always both never none nobody no_one nothing neither any anyone anything every_day every_week every_month every_year every_time entire whole fully entirely completely unconditionally regardless',
)
/** Words of a source that speaks of a whole, of none, or of where a line is. */
const WHOLE = anyOf(
  'each anybody whatever whenever no throughout entirety complete unanimous unanimously without not_any nowhere either anywhere only last at_all hundred 100 full total together zero',
)
/** Words by which a claim shows that it knows of a rest. */
const PARTIAL = anyOf(
  'but other others else rest remaining most many some few nearly almost one two only just not exception exceptions unless if without until nor when at_least except except_for excluding apart_from',
)

/** In own words: "all", "any" or "nothing" in a claim whose source has no word of a whole at all. */
export function totalFindings(comparison: Comparison): Finding[] {
  const { source, claim } = comparison
  if (!claim.words.some(({ norm }) => TOTAL.has(norm))) return []
  if (source.words.some(({ norm }) => TOTAL.has(norm) || WHOLE.has(norm))) return []
  if (
    claim.words.some(({ norm }) => PARTIAL.has(norm)) ||
    source.quantities.some(({ kind }) => kind === 'share')
  )
    return []
  const denies = source.scopes.signs.some((sign) => sign !== 1)
  const at = claim.words.findIndex(
    ({ norm }, c) =>
      TOTAL.has(norm) &&
      claim.words[c - 1]?.tag !== '-' &&
      !(norm.startsWith('n') && denies) &&
      // "anyone who is late", "every 60 minutes"
      !(norm.startsWith('any') && /^[SP]$/.test(claim.words[c + 1]?.tag ?? '')) &&
      !(norm === 'every' && claim.words[c + 1]?.tag === '#'),
  )
  if (at < 0) return []
  return [
    finding(
      comparison,
      'quantifier_shift',
      'hard',
      0.75,
      [],
      [at],
      `nothing in the source says '${said(claim, at)}'`,
    ),
  ]
}
