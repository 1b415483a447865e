import { anyOf } from './cues.ts'

/** Phrases that act as one word. Their parts are norms of tokens: `can't` is `can not`. */
const PHRASES = `
no longer|not any longer|not anymore|any longer|any more|no more than|no less than|no fewer than|not more than|not less than
no later than|no earlier than|no sooner than|not later than|no longer than|not longer than
at least|at most|up to|more than|less than|fewer than|greater than|larger than|higher than|lower than|other than|rather than|instead of|as opposed to
as well as|as long as|so long as|provided that|on condition that|in case|in the event that|in the event of|assuming that|only if|even if|if not|as if|as though|even when|only when|only after|only once
subject to|contingent on|contingent upon|conditional on|depending on|pending
out of the question|off the table|under no circumstances|in no way|by no means|on no account|not at all|at all
all but|anything but|far from|nothing but|none but|with the exception of|except for|apart from|aside from|except that
not only|but also|not just|not all|not every|not everyone|not everybody|not everything|not many|not much|not a single|not one|not any
on behalf of|no one|each other|one another|a few|a lot of|lots of|a number of|a couple of|a majority of|the majority of|a minority of|most of|plenty of|a handful of|hardly any|hardly anyone|hardly anybody|almost everyone|nearly everyone|almost everybody|almost everything|nearly everything|barely anyone|hardly ever|barely any|almost all|nearly all|almost every|nearly every|almost no|almost none|almost nobody|almost nothing|virtually no|virtually all
have to|has to|had to|having to|need to|needs to|needed to|ought to|used to|going to|about to|able to|unable to|got to|supposed to|had better|would rather|be able
in order to|so that|so as to|due to|because of|according to|in addition to|such as|such that|even though|as soon as|by the time|as far as|in spite of|in favor of|in favour of|in front of|in terms of|with regard to|with respect to|as for|close to|next to|instead
yet to|fail to|fails to|failed to|failing to|failure to|too|neither|short of
pencil in|penciled in|pencilled in|pencilling in|penciling in|for now|for the time being|for sure|for certain|so far|as yet|until now|up for grabs|up in the air|under consideration|to be decided|to be determined|to be confirmed|on the fence|on hold|in progress|on track|on time|on schedule
set aside|can not stand|could not stand|make sure|made sure|makes sure|be sure to|in charge of|responsible for|accountable for|capable of|incapable of|free of|clear of|devoid of|lack of|absence of|in the absence of|allergic to|opposed to|out of scope|can not bear|can not abide|could not bear|off limits|no good|out of service|out of order|out of stock|in the works
head office|now and then|every now and then|from time to time|once in a while|at no cost|at no charge|at no extra cost|free of charge|without charge|by accident|by mistake|on purpose|in vain|at once|straight away|right away|without delay|without fail|around the clock|round the clock|behind schedule|ahead of schedule|ahead of time|in stock|in private|in public|behind closed doors|as a rule|one by one|on foot|in advance|at random|in person|in writing|at the latest|at the earliest|by heart|in secret
right now|as of|as of now|time out|times out|timed out|per day|per week|per month|per year|per hour|per minute|per second|each day|each week|each month|each year|every day|every week|every month|every year|every hour|every minute
`

/** Verbs with a particle, by their base; the forms are made. */
const PHRASAL = `
turn off|turn on|switch off|switch on|leave off|leave on|stay off|stay on|keep off|shut down|shut off|set up|sign off|sign up|roll out|roll back|phase out|opt out|opt in|call off|put off|push back|move up|bring forward|hold off|hold back
turn down|turn away|go ahead|go through|go under|fall through|fall apart|give up|leave out|leave behind|carry on|run out|run out of|find out|figure out|work out|back up|back out|back down|pull out|take over|hand over|point out|come up with|come back|go back|get back|give back
throw away|throw out|make up|go with|stick with|stick to|stay with|get rid of|do away with|look into|think about|think of|lean toward|lean towards|decide on|settle on|settle for|opt for|agree to|decide against|advise against|recommend against|warn against|stay away from|steer clear of|keep away from
cut off|cut down|cut back|scale back|speed up|slow down|break down|break up|go down|go up|take down|take off|take on|take care of|rule out|time out|pass up|pass on|wind down|close down|knock down|strike down|vote down|tear down|write off|lay off|drop out|bail out|weed out|cross out|wipe out|sell out|turn out|show up|miss out on|hang up|lock out|log out|sign out|fall back on|walk back|walk away from|put on hold|put in place|bring back|take back|stand down|step down|check out|check in|fill up|fill out|hand in|turn in|send back|pay off|pay back|bring up|pick up|drop off|give in
keep on|set off|set out|put out|put on|put aside|put together|put up with|put forward|come down|come off|come in|come out|come forward|get up|get going|get along|turn up|power on|power off|boot up|plug in|unplug
own up|shore up|cut short|break off|move in|move out|move away|wake up|fall asleep|fall behind|fall out|fall over|sit down|sit out|stand up|give away|hand out|hand back|take part|take in|take up|take out|look after|look up|look forward to
attend to|sort out|carry out|run into|bump into|use up|grow up|call back|ring back|pull down|pull through|put up|let off|let down|lock up|kick out|kick off|set free|split up|bring about|bring out|amount to|add up to
sign in|zoom in|zoom out|scrub up|tidy up|clean up|mop up|wash up|stay on|stay put|stay away|stay behind|stay home|stay up|swap out|switch over|hand off|tick off|top up|open up|freeze up|log off|lay out|write down|note down|jot down|read out|mix up|mess up|screw up|warm up|cool down|calm down|settle down
wear out|burn out|burn down|dry out|die out|phase in|factor in|fit in|fill in|trade in|chip in|bring in|let in|sink in|move on|move back|catch up|sleep in|speak up|speak out|stand out|stand in|reach out|point out|hold up|hold out|hold on|eat up|drink up|blow up|light up|line up|link up|team up|sum up|shake off|call up|ring up|wave through|throw in|think over|talk over|talk through|go over|hand round|get around to|get round to|come close to|stop short of|talk into|talk out of|argue out of|scare off|talk down
log in|go off|give up on|back out of|pull out of|opt out of|drop out of|bail on|rain off|cut out|bow out|bow out of|go in for|go for|take to|go off|fall out of|follow up|wrap up|ramp up|ramp down|spin up|spin down
`
/** Fixed phrases that say how, when or how often. */
export const ADVERBIAL = new Set(
  'now_and_then every_now_and_then from_time_to_time once_in_a_while at_no_cost at_no_charge at_no_extra_cost free_of_charge without_charge by_accident by_mistake on_purpose in_vain at_once straight_away right_away without_delay without_fail around_the_clock round_the_clock behind_schedule ahead_of_schedule ahead_of_time in_private in_public behind_closed_doors as_a_rule one_by_one on_foot in_advance at_random in_person in_writing at_the_latest at_the_earliest by_heart in_secret'.split(
    ' ',
  ),
)

/** Particles that may stand behind the object: "turned the heating off". */
const SEPARABLE = anyOf('off on out up down back away over aside together in forward through')

/** Of the verbs with a particle that have this form, what may stand apart from it: `off`; `out`, `of` of "talk him out of". */
export const particlesOf = (form: string): readonly (readonly string[])[] =>
  phrasesFrom(form)
    .map((words) => words.slice(1))
    .filter((rest) => (rest.length === 1 ? SEPARABLE.has(rest[0]!) : rest.join(' ') === 'out of'))

/** Past form, and participle where it is another. */
const IRREGULAR_PARTS: Readonly<Record<string, readonly string[]>> = {
  leave: ['left'],
  keep: ['kept'],
  shut: ['shut'],
  set: ['set'],
  put: ['put'],
  bring: ['brought'],
  hold: ['held'],
  go: ['went', 'gone'],
  fall: ['fell', 'fallen'],
  give: ['gave', 'given'],
  run: ['ran'],
  find: ['found'],
  take: ['took', 'taken'],
  come: ['came'],
  get: ['got', 'gotten'],
  throw: ['threw', 'thrown'],
  make: ['made'],
  stick: ['stuck'],
  do: ['did', 'done'],
  think: ['thought'],
  cut: ['cut'],
  speed: ['sped'],
  break: ['broke', 'broken'],
  wind: ['wound'],
  strike: ['struck'],
  tear: ['tore', 'torn'],
  write: ['wrote', 'written'],
  lay: ['laid'],
  sell: ['sold'],
  hang: ['hung'],
  stand: ['stood'],
  send: ['sent'],
  pay: ['paid'],
  steer: ['steered'],
  grow: ['grew', 'grown'],
  read: ['read'],
  wear: ['wore', 'worn'],
  burn: ['burnt', 'burned'],
  let: ['let'],
  lead: ['led'],
  light: ['lit', 'lighted'],
  blow: ['blew', 'blown'],
  eat: ['ate', 'eaten'],
  drink: ['drank', 'drunk'],
  shake: ['shook', 'shaken'],
  sink: ['sank', 'sunk'],
  sit: ['sat'],
  speak: ['spoke', 'spoken'],
  catch: ['caught'],
  wake: ['woke', 'woken'],
  ring: ['rang', 'rung'],
  freeze: ['froze', 'frozen'],
  sleep: ['slept'],
  deal: ['dealt'],
  swim: ['swam'],
  draw: ['drew', 'drawn'],
  lose: ['lost'],
  become: ['became', 'become'],
}
const DOUBLED = anyOf(
  'shut set put run get cut opt step drop sit split plug mop top swap jot let stop fit chip slip',
)

/** Base, third person, -ing, past, and the participle where it is another. */
export function formsOf(verb: string): string[] {
  const stem = DOUBLED.has(verb) ? verb + verb.at(-1) : verb.replace(/(?<!e)e$/, '')
  const third = /(?:s|sh|ch|x|z|o)$/.test(verb)
    ? `${verb}es`
    : /[^aeiou]y$/.test(verb)
      ? `${verb.slice(0, -1)}ies`
      : `${verb}s`
  const past = IRREGULAR_PARTS[verb] ?? [
    /[^aeiou]y$/.test(verb) ? `${verb.slice(0, -1)}ied` : verb.endsWith('e') ? `${verb}d` : `${stem}ed`,
  ]
  return [verb, third, `${/[^aeiou]y$/.test(verb) ? verb : stem}ing`, ...past]
}

/** What stands behind the first word, by that word; nothing is made of it before the word is met. */
function byFirst(phrases: string): ReadonlyMap<string, readonly string[]> {
  const groups = new Map<string, string[]>()
  for (const line of phrases.trim().split('\n'))
    for (const phrase of line.split('|')) {
      const space = phrase.indexOf(' ')
      if (space < 0) continue
      const first = phrase.slice(0, space)
      const rest = phrase.slice(space + 1)
      const group = groups.get(first)
      if (group === undefined) groups.set(first, [rest])
      else group.push(rest)
    }
  return groups
}

const FIXED = byFirst(PHRASES)
const VERBS = byFirst(PHRASAL)
const IRREGULAR_VERBS = new Map(
  Object.entries(IRREGULAR_PARTS).flatMap(([verb, parts]) => parts.map((part) => [part, verb] as const)),
)

/** The verbs with particles of which this is a form. */
function verbsOf(form: string): readonly string[] {
  const stems = [form]
  const irregular = IRREGULAR_VERBS.get(form)
  if (irregular !== undefined) stems.push(irregular)
  const ending = form.endsWith('ing') ? 3 : form.endsWith('ed') ? 2 : form.endsWith('s') ? 1 : 0
  if (ending > 0) {
    const stem = form.slice(0, -ending)
    stems.push(stem, `${stem}e`)
    if (stem.endsWith('e')) stems.push(stem.slice(0, -1))
    if (stem.endsWith('i')) stems.push(`${stem.slice(0, -1)}y`)
    if (stem.endsWith('ie')) stems.push(`${stem.slice(0, -2)}y`)
    if (stem.at(-1) === stem.at(-2)) stems.push(stem.slice(0, -1))
  }
  return stems.filter((verb) => VERBS.has(verb) && formsOf(verb).includes(form))
}

/** The base of a form of a verb with a particle: `turn_off` of `turned_off`. */
export function phrasalLemma(norm: string): string | undefined {
  const cut = norm.indexOf('_')
  if (cut < 0) return undefined
  const rest = norm.slice(cut + 1).replaceAll('_', ' ')
  const verb = verbsOf(norm.slice(0, cut)).findLast((one) => VERBS.get(one)!.includes(rest))
  return verb === undefined ? undefined : `${verb}_${norm.slice(cut + 1)}`
}

/** Every word some phrase begins with. */
const FIRSTS: ReadonlySet<string> = new Set([...FIXED.keys(), ...[...VERBS.keys()].flatMap(formsOf)])
const NONE: readonly (readonly string[])[] = []
const met = new Map<string, readonly (readonly string[])[]>()

/** Phrases that begin with a word, the longest first. */
export function phrasesFrom(first: string): readonly (readonly string[])[] {
  if (!FIRSTS.has(first)) return NONE
  const known = met.get(first)
  if (known !== undefined) return known
  const rests = [...(FIXED.get(first) ?? []), ...verbsOf(first).flatMap((verb) => VERBS.get(verb)!)]
  const phrases = rests.map((rest) => [first, ...rest.split(' ')]).sort((a, b) => b.length - a.length)
  met.set(first, phrases)
  return phrases
}

/** Every phrase as the one word it is read as. */
export function joinedPhrases(): ReadonlySet<string> {
  return new Set([...FIRSTS].flatMap(phrasesFrom).map((words) => words.join('_')))
}
