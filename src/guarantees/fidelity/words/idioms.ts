import { formsOf } from './phrases.ts'
import type { Token } from './tokens.ts'

/**
 * Turns of phrase and the plain words they are read as. `~` before a verb: in whatever form it stands; `_`: whose.
 * Only those whose own words say something else than they do together, above all those with a "not" that denies nothing.
 */
const IDIOMS = `
~try in vain to = ~fail to | ~attempt in vain to = ~fail to | ~try without success to = ~fail to | ~try unsuccessfully to = ~fail to | unsuccessfully ~try to = ~fail to | ~lose _ chance to = ~fail to | ~miss _ chance to = ~fail to
~lose _ opportunity to = ~fail to | ~miss _ opportunity to = ~fail to | ~waste _ chance to = ~fail to | ~agree to disagree = ~disagree
would sooner = would rather | never fail to = always | never fails to = always | never failed to = always | ~take place = ~happen | ~come on top of = ~be extra to | ~break _ promise to = ~fail to | ~keep _ promise to = ~manage to | ~break _ word to = ~fail to
~make up _ mind to = ~decide to | ~make _ decision to = ~decide to | ~make _ final decision to = ~decide to | ~take _ decision to = ~decide to | ~come to _ decision to = ~decide to | ~reach _ decision to = ~decide to
~toy with _ idea of = ~consider | ~play with _ idea of = ~consider | ~flirt with _ idea of = ~consider | ~entertain _ idea of = ~consider | ~give some thought to = ~consider | ~give thought to = ~consider | ~mull over = ~consider
~have no choice but to = ~have to | ~have no option but to = ~have to | ~have no alternative but to = ~have to | in a position to = able to | in no position to = unable to | ~be in the process of = ~be
~be slated to = ~be scheduled to | ~be poised to = ~be about to | ~be keen to = ~want to | ~be eager to = ~want to | ~be in two minds about = ~be undecided about | ~have second thoughts about = ~be unsure about
rumor has it that = reportedly | rumour has it that = reportedly | word has it that = reportedly | word is that = reportedly | ~pull the plug on = ~cancel | ~call it a day = ~stop | ~call it quits = ~quit | ~throw in the towel = ~quit
~put an end to = ~end | ~put a stop to = ~stop | ~come to an end = ~end | ~come to a halt = ~stop | ~come to a close = ~end | ~come into force = ~start | ~come into effect = ~start | ~go into effect = ~start
~get the green light = ~be approved | ~get the go-ahead = ~be approved | ~get the nod = ~be approved | ~be given the green light = ~be approved | ~be given the go-ahead = ~be approved | ~give the green light to = ~approve | ~give the go-ahead to = ~approve
~get the sack = ~be fired | ~get the boot = ~be fired | ~be shown the door = ~be fired | ~be let go = ~be fired | ~make it to = ~reach | ~make use of = ~use | ~pay a visit to = ~visit | ~have a word with = ~talk to
~take a look at = ~examine | ~have a look at = ~examine | ~take into account = ~consider | ~cost nothing = ~be free | set in stone = fixed | carved in stone = fixed | ~agree more = ~agree | could not agree more = agree | can not agree more = agree
at all times = always | at any time of day = always | at no time = never | at no point = never | on no occasion = never | more often than not = usually | as often as not = often | nine times out of ten = usually | by and large = mostly | for the most part = mostly | out of the blue = suddenly | all of a sudden = suddenly | in no time = quickly | on the spot = immediately
a great many = many | a good many = many | quite a few = many | quite a lot of = many | a good deal of = much | a great deal of = much | next to nothing = almost nothing | next to no = almost no | little or no = almost no | little to no = almost no | few if any = almost no
not a soul = nobody | not one of = none of | not a single one of = none of | not a single = no | each and every = every | the bulk of = most | the better part of = most | the best part of = most | the vast majority of = most | the overwhelming majority of = most | the great majority of = most | a minimum of = at least | a maximum of = at most
for want of = without | for lack of = without | on the condition that = provided that | under the condition that = provided that | on the understanding that = provided that | if and only if = only if | if and when = if | unless and until = unless | as and when = when
in spite of the fact that = although | despite the fact that = although | on the grounds that = because | owing to the fact that = because | due to the fact that = because | given that = because | owing to = due to | on account of = due to | thanks to = due to | as a result of = due to
prior to = before | subsequent to = after | in the wake of = after | up until = until | in the course of = during | in lieu of = instead of | in place of = instead of
come rain or shine = unconditionally | rain or shine = unconditionally | whatever the weather = unconditionally | no matter what happens = unconditionally | no matter what = unconditionally | whatever happens = unconditionally | in any case = unconditionally | in any event = unconditionally
under all circumstances = unconditionally | in all circumstances = unconditionally | in all cases = unconditionally | come what may = unconditionally | up to each person = optional | up to each of them = optional | up to you = optional | up to them = optional | up to him = optional | up to her = optional | a matter of choice = optional | a matter of taste = optional
would be surprised if = doubt that | can not make it = can not come | could not make it = could not come | will not make it = will not come | unable to make it = unable to come | able to make it = able to come | ~see no reason to = ~refuse to | ~see no need to = ~refuse to | ~see no point in = ~refuse | for nothing = for free | would be astonished if = doubt that | would be amazed if = doubt that | would be very surprised if = doubt that | would not be surprised if = might think that | negative for = free of | ~pull out of = ~back out of | it ~slip _ mind = ~forget | ~slip _ mind = ~forget | ~have no use for = not need | ~get cold feet = ~back out | ~come to nothing = ~fail | ~come to naught = ~fail | ~go up in smoke = ~fail | ~give _ word = ~promise | ~go back on _ word = ~break a promise | ~turn a blind eye to = ~ignore | ~take a liking to = ~like | ~have a soft spot for = ~like | ~be a fan of = ~like | ~be no fan of = ~dislike | ~take issue with = ~oppose | ~be on board with = ~support | ~be all for = ~support | ~be in favour of = ~support | ~be in favor of = ~support | ~be dead set against = ~oppose | ~foot the bill for = ~pay for | ~pick up the tab for = ~pay for | ~be on the mend = ~recover | ~be under the weather = ~be ill | ~be over the moon = ~be delighted | ~be a no-show = ~be absent | ~fill in for = ~replace | ~stand in for = ~replace | ~lose interest in = ~dislike | ~get the hang of = ~learn | ~be short of = ~lack | ~be in short supply = ~be scarce | ~be fed up with = ~dislike | ~be sick of = ~dislike
nowhere near = not | not even close to = not | not remotely = not | not in the least = not | not in the slightest = not | not by any means = not
without a doubt = certainly | without doubt = certainly | beyond doubt = certainly | last but not least = also | not least because = because | not to mention = and | if need be = if necessary | no big deal = unimportant | needless to say = certainly
`

/** The forms of "be", in the order of `formsOf`. */
const BE: readonly (readonly string[])[] = [['be', 'am', 'are'], ['is'], ['being'], ['was', 'were'], ['been']]
const HAVE: readonly (readonly string[])[] = [['have'], ['has'], ['having'], ['had'], ['had']]
const WHOSE = /^(?:my|your|his|her|its|our|their|the|a|an|this|that|any|every|'s)$/

interface Idiom {
  readonly words: readonly string[]
  readonly plain: readonly string[]
}

function allForms(verb: string): readonly (readonly string[])[] {
  if (verb === 'be') return BE
  if (verb === 'have') return HAVE
  const [base, third, ing, past, participle] = formsOf(verb)
  return [[base!], [third!], [ing!], [past!], [participle ?? past!]]
}

/** One idiom in each form its verb has. */
function inForms(words: readonly string[], plain: readonly string[]): Idiom[] {
  const at = words.findIndex((word) => word.startsWith('~'))
  if (at < 0) return [{ words, plain }]
  const own = allForms(words[at]!.slice(1))
  const into = allForms(plain[0]!.slice(1))
  return own.flatMap((forms, i) =>
    forms.map((form) => ({
      words: words.with(at, form),
      plain: plain.with(0, into[i]!.find((other) => other === form) ?? into[i]!.at(i === 0 ? 0 : -1)!),
    })),
  )
}

const byFirst = new Map<string, Idiom[]>()
for (const part of IDIOMS.trim().split(/\n| \| /)) {
  const [words, plain] = part.split(' = ').map((side) => side.split(' '))
  for (const idiom of inForms(words!, plain!)) {
    const same = byFirst.get(idiom.words[0]!)
    if (same === undefined) byFirst.set(idiom.words[0]!, [idiom])
    else same.push(idiom)
  }
}
for (const idioms of byFirst.values()) idioms.sort((a, b) => b.words.length - a.words.length)

const standsAt = (tokens: readonly Token[], at: number, { words }: Idiom) =>
  at + words.length <= tokens.length &&
  words.every((word, k) => {
    const { norm } = tokens[at + k]!
    return word === '_' ? WHOSE.test(norm) : word === norm
  })

/** Puts plain words in the place of idioms; each has the whole idiom's range. */
export function withoutIdioms(tokens: readonly Token[]): readonly Token[] {
  let changed: Token[] | undefined
  for (let i = 0; i < tokens.length; i++) {
    const idiom = byFirst.get(tokens[i]!.norm)?.find((one) => standsAt(tokens, i, one))
    if (idiom === undefined) {
      changed?.push(tokens[i]!)
      continue
    }
    changed ??= tokens.slice(0, i)
    const last = tokens[i + idiom.words.length - 1]!
    for (const norm of idiom.plain)
      changed.push({
        text: tokens[i]!.text,
        norm,
        start: tokens[i]!.start,
        end: last.end,
        kind: 'word',
        proper: tokens[i]!.proper,
        first: tokens[i]!.first && norm === idiom.plain[0],
      })
    i += idiom.words.length - 1
  }
  return changed ?? tokens
}
