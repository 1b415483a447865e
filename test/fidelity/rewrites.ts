/*
 * Rewrites of English sentences that are sure either to keep the meaning or to reverse it. Each answers `undefined`
 * where it finds nothing it is sure of.
 */

const CONTRACTIONS: readonly (readonly [string, string])[] = [
  ['is not', "isn't"],
  ['are not', "aren't"],
  ['was not', "wasn't"],
  ['were not', "weren't"],
  ['does not', "doesn't"],
  ['do not', "don't"],
  ['did not', "didn't"],
  ['has not', "hasn't"],
  ['have not', "haven't"],
  ['had not', "hadn't"],
  ['will not', "won't"],
  ['would not', "wouldn't"],
  ['should not', "shouldn't"],
  ['must not', "mustn't"],
  ['cannot', "can't"],
  ['could not', "couldn't"],
]

const changed = (before: string, after: string): string | undefined => (before === after ? undefined : after)

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** "does not" → "doesn't". */
export function contracted(text: string): string | undefined {
  let after = text
  for (const [long, short] of CONTRACTIONS)
    after = after.replace(new RegExp(`\\b${long}\\b(?! only\\b)`, 'gi'), (found) =>
      /^[A-Z]/.test(found) ? capital(short) : short,
    )
  return changed(text, after)
}

/** "doesn't" → "does not". Questions and tags ("didn't he?") are left alone. */
export function expanded(text: string): string | undefined {
  if (text.includes('?')) return undefined
  let after = text
  for (const [long, short] of CONTRACTIONS)
    after = after.replace(new RegExp(`\\b${short.replace("'", "['’]")}\\b`, 'gi'), (found) =>
      /^[A-Z]/.test(found) ? capital(long) : long,
    )
  return changed(text, after)
}

/** Typographic apostrophes and quotation marks. */
export const curly = (text: string): string | undefined =>
  changed(text, text.replaceAll("'", '’').replace(/"([^"]*)"/g, '“$1”'))

/** "12,500" → "12500", "12%" → "12 percent". */
export function otherNumberFormat(text: string): string | undefined {
  return changed(text, text.replace(/(?<=\d),(?=\d{3}\b)/g, '').replace(/(?<=\d)%/g, ' percent'))
}

const SMALL = ['two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten', 'eleven', 'twelve']

/** "takes 5 days" → "takes five days": small whole numbers between a word and a plural word. */
export function spelledOut(text: string): string | undefined {
  return changed(
    text,
    text.replace(
      /(?<=[a-z] )\d\d?(?= (?!(?:is|has|was|as)\b)[a-z]+s\b)/g,
      (found) => SMALL[Number(found) - 2] ?? found,
    ),
  )
}

const AUXILIARY = /\b(?:is|are|was|were|has|have|had|will|would|should|can|could)\b/
const ALREADY =
  /\b(?:not|no|never|none|nobody|nothing|neither|nor|without|only|hardly|few|little|any|anyone|unless|until|if|cannot|either|both|all|every|everyone|most|some|several|half|just|at (?:least|most)|more|less|fewer|over|under|but|and|or|because|since|while|once)\b|n['’]t\b|,/i

/** "It is open." → "It is not open.": one clause, one auxiliary, nothing else a negation could land on. */
export function negated(text: string): string | undefined {
  if (ALREADY.test(text)) return undefined
  const found = AUXILIARY.exec(text)
  if (found === null || AUXILIARY.test(text.slice(found.index + found[0].length))) return undefined
  // "What is left is …", "The user who has …": the auxiliary may not be the main clause's.
  if (/\b(?:who|which|that|what|when|where|how|whether|why|must|yet)\b/i.test(text)) return undefined
  // "came before replica-2 was removed", "said she would": a clause below the main one.
  if (/\b(?:before|after|said|thinks?|confirmed)\b/i.test(text.slice(0, found.index))) return undefined
  // "has a laptop", "had surgery": a main verb, which takes "does not".
  if (
    /^(?:has|have|had)$/.test(found[0]) &&
    !/^ (?:\w+ly )?(?:been|gone|\w{2,}(?:ed|[^t]en|wn|ade|ent|ought))\b/.test(
      text.slice(found.index + found[0].length),
    )
  )
    return undefined
  const at = found.index + found[0].length
  const after = text.slice(at)
  return found[0] === 'can' ? `${text.slice(0, at)}not${after}` : `${text.slice(0, at)} not${after}`
}

/** "It isn't open." → "It is open.": one negation in one clause. */
export function affirmed(text: string): string | undefined {
  const negations = text.match(
    /\b(?:not|no|never|none|nobody|nothing|neither|nor|without|cannot|any|anyone|only|but|yet|either|unless|until|than|least|most|every|all|both|half|just|because|when|if|so far|who|that|what|why)\b|n['’]t\b|,/gi,
  )
  if (negations?.length !== 1) return undefined
  const long = expanded(text) ?? text
  return changed(
    long,
    long
      .replace(/\bcannot\b/, 'can')
      .replace(/\b(is|are|was|were|has|have|had|will|would|should|must|can|could) not\b/, '$1'),
  )
}
