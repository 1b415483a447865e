import { compareWords, isContent } from '../comparing/alignment.ts'
import { type Comparison, type Finding, finding, type Side, said } from '../comparing/comparison.ts'
import { anyOf } from '../words/cues.ts'
import type { Word } from '../words/tagging.ts'

/** One thing in its relation to another, by the words that name each. */
interface Relation {
  readonly kind: string
  readonly at: number
  readonly one: readonly number[]
  readonly other: readonly number[]
}

/** "a beat b", "b lost to a", "a win for a over b": kinds of relations with two ends, told by words of several classes. */
const BEATING = anyOf('beat defeat thrash outplay overcome win over')
const LOSING = anyOf('lose')
const VICTORY = anyOf('win victory triumph')
const SUPPLYING = anyOf('supply provide')
const BLAMING = anyOf('blame accuse')
const REPLACING = anyOf('replace supersede succeed')
const MOVING = anyOf('move switch change relocate transfer migrate')
const FOLLOWED = anyOf('follow')
const SUPPLIES = anyOf('supply supplies goods deliveries stock ingredients')

/** Either end of a relation, told from the one side or from the other: who beat whom, what came before what. */
export function converseFindings(comparison: Comparison): Finding[] {
  const { source, claim } = comparison
  if (source.words.length > MOST || claim.words.length > MOST) return []
  if (claim.words.some(({ tag }) => tag === '-')) return []
  const mine = relationsOf(claim)
  if (mine.length === 0) return []
  const theirs = relationsOf(source)
  for (const here of mine) {
    const alike = theirs.filter(({ kind }) => kind === here.kind)
    const there = alike.find((one) => isTurned(comparison, one, here))
    if (there === undefined || alike.some((one) => isKept(comparison, one, here))) continue
    return [
      finding(
        comparison,
        'role_swap',
        'hard',
        0.85,
        [...there.one, ...there.other],
        [...here.one, ...here.other],
        `the ends changed places: '${said(source, ...there.one, ...there.other)}' became '${said(claim, ...here.one, ...here.other)}'`,
      ),
    ]
  }
  return []
}

/** Words beyond which a text is not read for this. */
const MOST = 60

const isNamed = (a: Word, b: Word) => {
  if (a.lemma === b.lemma) return true
  const { match, score, sign } = compareWords(a, b)
  return sign === 1 && score >= 0.85 && match !== 'near'
}

function meets({ source, claim }: Comparison, theirs: readonly number[], mine: readonly number[]): boolean {
  return mine.some((c) => theirs.some((s) => isNamed(source.words[s]!, claim.words[c]!)))
}

const isTurned = (comparison: Comparison, there: Relation, here: Relation): boolean =>
  meets(comparison, there.one, here.other) &&
  meets(comparison, there.other, here.one) &&
  !meets(comparison, there.one, here.one) &&
  !meets(comparison, there.other, here.other)

const isKept = (comparison: Comparison, there: Relation, here: Relation): boolean =>
  meets(comparison, there.one, here.one) && meets(comparison, there.other, here.other)

function relationsOf(side: Side): Relation[] {
  const { words } = side
  const found: Relation[] = []
  const tell = (kind: string, at: number, one: readonly number[], other: readonly number[]) => {
    if (one.length > 0 && other.length > 0) found.push({ kind, at, one, other })
  }
  words.forEach(({ lemma, norm }, i) => {
    const is = (set: ReadonlySet<string>) => set.has(lemma) || set.has(norm)
    const before = () => phraseBefore(side, i)
    const after = () => phraseAfter(side, i + 1)
    const behind = (pattern: RegExp) => phraseBehind(side, i + 1, pattern)
    const passive = words.slice(Math.max(0, i - 3), i).some((word) => word.lemma === 'be')
    const told = (kind: string) => {
      const by = behind(/^by$/)
      if (passive && by.length > 0) tell(kind, i, by, subjectBefore(side, i))
      else if (!passive) tell(kind, i, before(), after())
    }
    if (is(VICTORY) && words[i + 1]?.norm === 'for') tell('beating', i, behind(/^for$/), behind(/^over$/))
    else if (is(VICTORY) && words[i + 1]?.norm === 'over') tell('beating', i, before(), behind(/^over$/))
    else if (is(BEATING) && norm !== 'over' && norm !== 'win') told('beating')
    else if (is(LOSING) || norm === 'lost') tell('beating', i, behind(/^(?:to|against)$/), before())
    else if (is(BLAMING)) told('blaming')
    else if (lemma === 'say' && words[i + 1]?.norm === 'it' && words[i + 2]?.lemma === 'be')
      tell('blaming', i, before(), phraseAfter(side, i + 3))
    else if (is(REPLACING)) told('replacing')
    else if (is(MOVING)) tell('replacing', i, behind(/^to$/), behind(/^from$/))
    else if (LEAVING.has(lemma)) tell('going', i, placeAfter(side, i, /^from$/), arrivalAfter(side, i + 1))
    else if (is(SUPPLYING) && words[i]!.tag === 'V') told('supplying')
    else if (lemma === 'get' && words.slice(i + 1, i + 4).some((word) => SUPPLIES.has(word.lemma)))
      tell('supplying', i, behind(/^from$/), before())
    else if (norm === 'before' && !/^[.,]$/.test(words[i + 1]?.norm ?? '.') && i > 0)
      tell('before', i, sideOf(side, i, -1), sideOf(side, i, 1))
    else if (is(FOLLOWED) && passive) {
      const by = words.findIndex((word, k) => k > i && word.norm === 'by')
      if (by > 0) tell('before', i, sideOf(side, i, -1), sideOf(side, by, 1))
    }
  })
  return found
}

const LEAVING = anyOf('leave depart set_off go fly sail drive')
const ARRIVING = anyOf('arrive get reach land go come get_in get_into dock')

/** What is left, or behind "from". */
const placeAfter = (side: Side, at: number, preposition: RegExp): number[] =>
  preposition.test(side.words[at + 1]?.norm ?? '')
    ? phraseAfter(side, at + 2)
    : side.words[at]!.lemma === 'leave'
      ? phraseAfter(side, at + 1)
      : []

/** Where it goes, in the same sentence: "… and gets into Helsinki", "to Tallinn". */
function arrivalAfter(side: Side, from: number): number[] {
  const { words, sentenceOf } = side
  for (let i = from; i < words.length && sentenceOf[i] === sentenceOf[from]; i++) {
    if (words[i]!.norm === 'reaches' || words[i]!.lemma === 'reach') return phraseAfter(side, i + 1)
    if (/^(?:to|into|in|at)$/.test(words[i]!.norm) && words[i]!.tag === 'I') {
      const arrives = words[i]!.norm === 'to' || ARRIVING.has(words[i - 1]!.lemma)
      if (arrives) return phraseAfter(side, i + 1)
    }
    if (ARRIVING.has(words[i]!.norm.replace(/^(?:gets|got|get)_/, 'get_')) && words[i]!.norm.includes('_'))
      return phraseAfter(side, i + 1)
  }
  return []
}

const BREAKS: ReadonlySet<string> = new Set(['.', ',', ';', '!', '?', '\n'])

/** Names at the beginning of a sentence are taken for verbs now and then. */
const isNominal = ({ tag, text }: Word) =>
  tag === 'N' || tag === 'A' || (tag === 'V' && /^\p{Lu}/u.test(text))

/** The telling words of a noun phrase, and of no more than one. */
function phraseAfter({ words }: Side, from: number): number[] {
  const list: number[] = []
  for (let i = from; i < words.length && !BREAKS.has(words[i]!.norm); i++) {
    const { tag } = words[i]!
    if (isNominal(words[i]!)) list.push(i)
    else if (list.length > 0 || (tag !== 'D' && tag !== '#')) break
  }
  return list
}

function phraseBefore({ words }: Side, to: number): number[] {
  const list: number[] = []
  for (let i = to - 1; i >= 0 && !BREAKS.has(words[i]!.norm); i--) {
    const { tag } = words[i]!
    if (isNominal(words[i]!)) list.unshift(i)
    else if (list.length > 0 || !/^[RXDM#]$/.test(tag)) break
  }
  return list
}

/** The noun phrase before "was" or "has been". */
function subjectBefore(side: Side, to: number): number[] {
  let at = to
  while (at > 0 && /^[XRVM]$/.test(side.words[at - 1]!.tag)) at--
  return phraseBefore(side, at)
}

function phraseBehind(side: Side, from: number, preposition: RegExp): number[] {
  for (let i = from; i < side.words.length && !/^[.;!?\n]$/.test(side.words[i]!.norm); i++)
    if (preposition.test(side.words[i]!.norm)) return phraseAfter(side, i + 1)
  return []
}

/** All telling words of the sentence on one side of a word, without numbers. */
function sideOf({ words, sentenceOf }: Side, at: number, step: 1 | -1): number[] {
  const list: number[] = []
  for (let i = at + step; i >= 0 && i < words.length && sentenceOf[i] === sentenceOf[at]; i += step)
    if (isContent(words[i]!) && /^[NV]$/.test(words[i]!.tag)) list.push(i)
  return list
}
