import { isContent } from '../comparing/alignment.ts'
import { type Comparison, type Finding, familyOf, finding, type Side, said } from '../comparing/comparison.ts'
import { deniedNouns } from './ellipsis.ts'

/**
 * How things turned out or stand, a scale a line: its values exclude each other, and each has the words notes tell it
 * by. Wider than opposites in a dictionary: what was "turned down" was not "reimbursed", and what was "tabled" was
 * neither "carried" nor "rejected". Lemmas, forms, or several words joined by "_".
 */
const SCALES = `
approve accept grant award ratify pass carry adopt endorse greenlight sign_off sign_off_on consent okay approval allow reimburse refund agree | reject refuse deny decline turn_down turned_down vote_down dismiss veto rejection refusal disapprove withdraw oppose object throw_out fall_through | table defer postpone pending undecided await
increase raise rise grow climb double triple gain jump higher go_up went_up | decrease reduce drop fall halve cut lower decline shrink reduction go_down went_down
start begin continue persist ongoing go_on goes_on still resume keep_on carry_on | stop end finish over cease gone disappear cancel abandon quit discontinue halt expire lapse vanish
include including contain cover comprise come_with | exclude without omit leave_out left_out extra lack missing minus separately on_top additional
pay settle reimburse refund repay paid reimbursed | unpaid outstanding owe due overdue withhold turn_down turned_down
credit refund reimburse | charge bill debit
keep retain save preserve store restore hold_on hang_on stick_with | delete remove discard throw_away drop sell give_away give_up gave_up given_up get_rid dispose erase wipe destroy dump chuck throw_out
early ahead in_advance beforehand earlier sooner upfront ahead_of ahead_of_time ahead_of_schedule | late behind afterwards overdue later delay tardy | on_time punctual punctually on_schedule
work succeed fix solve resolve operational healthy recover repair restore manage success | fail break crash broken unsuccessful in_vain outage failure
final firm definite certain confirm settle prove establish decide decision definitely certainly proof | toy tentative tentatively consider maybe perhaps suspect lean incline guess suppose possibly unsure uncertain undecided provisional provisionally penciled_in pencilled_in pencil_in draft hunch suspicion mull contemplate
attend come join show_up appear participate turn_up | absent skip abstain out_sick stay_away
public publish announce | private secret confidential embargo
cheap inexpensive affordable cheaper | expensive dear costly pricey dearer costlier
free for_free gratis complimentary no_charge no_cost waive | surcharge pay paid charge bill
lock locked | unlock unlocked
open | shut closed close
enable activate | disable deactivate
automatic automatically | manual manually by_hand
alive living survive | dead die kill deceased
hire employ recruit appoint | fire quit resign lay_off retire
fast quick rapid faster quicker quickly | slow slower slowly slowdown
good great excellent | bad poor terrible
easy simple straightforward | hard difficult tricky
never | rarely seldom hardly_ever occasionally | often regularly frequently usually always mostly daily every_day constantly
safe harmless | dangerous unsafe risky
must mandatory compulsory required require have_to has_to | optional voluntary recommend recommended suggest
like love enjoy fond | dislike hate detest loathe
glad happy pleased delighted proud relieved | regret sorry sad unhappy upset disappointed
willing happy agree | refuse unwilling reluctant
complete finish done finished completed | incomplete unfinished half-finished in_progress underway
identical same | different differ
full fully whole entire entirely complete completely | half partial partly partially
possible feasible | impossible
left | right
inside indoors indoor | outside outdoors outdoor
adult grown-up | child kid children
first | last
win | lose
exceed outperform surpass | short_of fall_short
remember recall | forget forgot
right correct accurate | wrong incorrect false untrue mistaken
awake | asleep
upload | download
known aware | unknown unaware
local locally | remote remotely
vacant empty | occupied full
temporary temporarily | permanent permanently for_good
written | oral verbal
wet | dry
cancel cancelled call_off called_off scrap | delay delayed postpone put_off defer push_back pushed_back | depart left take_off took_off go_ahead went_ahead take_place took_place
hot warm | cold cool
strict | lenient
fit | too_small too_big too_tight too_short too_large too_narrow outgrow outgrown
take_place happen held go_ahead went_ahead going_ahead proceed occur went_on | cancel call_off called_off scrap abandon fall_through fell_through shelve rain_off | adjourn postpone put_off defer suspend table reschedule
join sign_up signed_up subscribe enroll enrol register opt_in opted_in join_in | leave quit unsubscribe cancel opt_out opted_out drop_out dropped_out withdraw resign back_out backed_out pull_out pulled_out bow_out
close sign seal finalise finalize conclude clinch go_through went_through come_through complete | fall_through fell_through collapse fall_apart fell_apart break_down broke_down pull_out pulled_out back_out call_off called_off
arrive deliver reach receive turn_up turned_up come get_here got_here land | lost missing undelivered astray await outstanding
own bought purchase | rent lease borrow
win won uphold upheld grant sustain prevail succeed | lose lost dismiss throw_out quash overturn reject overrule strike_out
convict guilty | acquit innocent clear cleared exonerate
benign harmless | malignant cancerous
positive | negative
improve recover better heal ease | worse worsen deteriorate relapse
fix repair mend restore replace work | broken leak faulty defective damage malfunction play_up
dry sunny | rain rainy wet storm pour
fulltime full-time | part-time parttime
permanent indefinite open-ended | temporary interim fixed-term
catch caught make made board | miss missed
resolve close closed solve fix settle sort_out sorted_out | open unresolved pending outstanding unsolved
profit surplus | loss deficit shortfall
enough sufficient plenty ample adequate suffice | insufficient short lack shortage inadequate
available free vacant in_stock obtainable | unavailable sold_out out_of_stock booked taken full occupied booked_out fully_booked gone
support back favour favor endorse agree consent approve | oppose object against refuse disagree resist protest
true genuine real authentic | false fake bogus untrue lie myth counterfeit forged
pass succeed ace | fail flunk
allow permit let authorise authorize | forbid ban prohibit bar disallow outlaw
happy glad pleased delighted satisfied satisfaction impressed content thrilled praise | unhappy disappointed dissatisfied annoyed complain upset furious unimpressed displeased disappointment
intact unharmed undamaged unhurt unscathed unbroken | damage break broken injure injured crack cracked hurt wreck destroy
necessary needed essential require required | unnecessary needless optional superfluous redundant
secret quiet confidential hide conceal hush | reveal disclose tell leak announce
admit confess acknowledge complain | deny dispute
accept accepted agree | contest contested dispute appeal challenge
obey follow respect comply observe honour honor | break violate ignore flout breach disregard
recommend advise suggest urge encourage | advise_against advised_against discourage warn_against warned_against dissuade recommend_against recommended_against
extend renew prolong lengthen | shorten curtail cut_short end expire terminate lapse
send sent dispatch post mail ship | withhold hold_back held_back keep
wear put_on | take_off took_off remove
plug_in connect attach link | unplug disconnect detach
visible show appear | hidden hide invisible
accept take_up took_up | decline reject refuse turn_down turned_down spurn pass_up passed_up
promote promotion | demote demotion
praise commend compliment applaud | criticise criticize blame slam condemn complain
trust rely | distrust mistrust doubt
safe | unsafe dangerous risky hazardous
busy occupied booked | free available idle
married wed marry | single divorced divorce unmarried separated
vegetarian vegan meatless | meat beef pork chicken
retired retire pensioner | employed working works
pregnant expecting | miscarriage
volunteer unpaid pro_bono | paid salaried wage
aware know knew informed notice | unaware ignorant oblivious unbeknownst
on_purpose deliberately intentionally deliberate intentional | by_accident accidentally accidental unintentionally by_mistake mistakenly inadvertently
alone solo single-handedly by_himself by_herself | together jointly with_others
in_person face-to-face onsite on-site on_site | remotely online virtual virtually by_phone video zoom
silent silence mute quiet | loud noisy
unanimous unanimously | divided split narrowly
`

interface Meaning {
  readonly scale: number
  readonly value: number
  /** How many values the scale has. */
  readonly values: number
  /** The words that have to follow. */
  readonly rest: readonly string[]
}

const NO_MEANINGS: readonly Meaning[] = []
const meanings = new Map<string, Meaning[]>()
for (const [scale, line] of SCALES.trim().split('\n').entries()) {
  const groups = line.split('|')
  for (const [value, group] of groups.entries())
    for (const word of group.trim().split(' ')) {
      const put = (key: string, rest: readonly string[]) =>
        meanings.set(key, [...(meanings.get(key) ?? []), { scale, value, values: groups.length, rest }])
      const [first, ...rest] = word.split('_')
      put(first!, rest)
      // Phrases the reading joins into one word.
      if (rest.length > 0) put(word, [])
    }
}

const DENYING: ReadonlySet<string> = new Set(['without', 'fail', 'miss', 'unless', 'except', 'not', 'no'])

/** A word that puts something on a scale. */
interface Standing {
  readonly at: number
  /** Where the words that put it there end. */
  readonly to: number
  readonly scale: number
  /** -1 for one of several others. */
  readonly value: number
  readonly denied: boolean
}

function standingsOf({ words, scopes }: Side): Standing[] {
  const list: Standing[] = []
  for (let at = 0; at < words.length; at++) {
    const { lemma, norm, tag } = words[at]!
    // "must never be without one": there always is one.
    if (
      norm === 'never' &&
      words.some((other, i) => i > at && (DENYING.has(other.norm) || DENYING.has(other.lemma)))
    )
      continue
    // "never" is itself a place on a scale.
    const sign = tag === '-' ? 1 : scopes.signs[at]!
    const seen = meanings.get(norm) ?? NO_MEANINGS
    const more = lemma === norm ? undefined : meanings.get(lemma)
    for (const meaning of more === undefined ? seen : [...seen, ...more]) {
      const { scale, value, values, rest } = meaning
      if (!rest.every((word, k) => [words[at + 1 + k]?.lemma, words[at + 1 + k]?.norm].includes(word)))
        continue
      if (list.some((one) => one.at === at && one.scale === scale)) continue
      list.push({
        at,
        to: at + 1 + rest.length,
        scale,
        value: sign === 1 ? value : sign === -1 && values === 2 ? 1 - value : -1,
        denied: sign !== 1,
      })
    }
  }
  return list
}

/** The same things stand otherwise in every place the source tells how they stand. */
export function outcomeFindings(comparison: Comparison): Finding[] {
  const { source, claim } = comparison
  const mine = standingsOf(claim)
  if (mine.length === 0) return []
  const theirs = standingsOf(source)
  for (const one of mine) {
    const against = contraryOf(comparison, one, theirs)
    if (against === undefined) continue
    return [
      finding(
        comparison,
        'polarity_flip',
        'hard',
        0.8,
        [against.at],
        [one.at],
        `it turned out or stands otherwise: '${said(source, against.at)}' became '${said(claim, one.at)}'`,
      ),
    ]
  }
  return []
}

const FORMERLY: ReadonlySet<string> = new Set(['used_to', 'formerly', 'originally', 'previously'])
const NOBODY: ReadonlySet<string> = new Set(['user', 'team', 'top'])

function contraryOf(
  { source, claim, alignment }: Comparison,
  mine: Standing,
  theirs: readonly Standing[],
): Standing | undefined {
  // What is denied has to be what is said.
  if (mine.denied && (mine.value < 0 || claim.clauses.every(({ head }) => head !== mine.at))) return undefined
  // "covers parts but not labour": what the source denies of one thing it says of another.
  if (
    mine.denied &&
    (source.words.some(({ tag }) => tag === '-') ||
      claim.scopes.amounts.some((amount) => amount !== undefined))
  )
    return undefined
  // Which of two is meant by a comparison is told by its sides.
  if (claim.words.some(({ norm }) => norm === 'than')) return undefined
  const scale = theirs.filter((one) => one.scale === mine.scale)
  // "used to be closed": it is open now.
  if (source.words.some(({ norm }) => FORMERLY.has(norm))) return undefined
  // Told in the claim's way somewhere, or left open.
  if (scale.length === 0 || scale.some(({ value, denied }) => denied || value === mine.value))
    return undefined
  const left = deniedNouns(source)
  let about = 0
  const places: (readonly number[])[] = []
  for (const [c, word] of claim.words.entries()) {
    if (claim.clauseOf[c] !== claim.clauseOf[mine.at] || (c >= mine.at && c < mine.to)) continue
    if (word.tag !== 'N' || !isContent(word) || NOBODY.has(word.lemma)) continue
    about++
    const { source: s, likeness } = alignment.links[c]!
    // "dental work not at all"
    if (left.includes(s)) return undefined
    if (s >= 0 && likeness.sign === 1 && likeness.score >= 0.75) places.push(mentionsOf(source, s))
  }
  if (about === 0 || places.length < about) return undefined
  const supposed = isSupposed(claim, mine.at)
  return scale.find(
    ({ at }) =>
      // "If the buyer pulls out": no more than supposed.
      (!supposed || isSupposed(source, at) || source.clauses.some(({ link }) => link === 'contrast')) &&
      places.every((mentions) => mentions.some((s) => isOfClause(source, at, s))) &&
      !isOfAnotherTime({ source, claim }, at, mine.at),
  )
}

const isSupposed = ({ clauses, clauseOf, scopes }: Side, at: number): boolean => {
  const clause = clauses[clauseOf[at]!]
  return (
    clause !== undefined &&
    (/^(?:condition|exception)$/.test(clause.link) || scopes.stances[clause.id]!.condition !== undefined)
  )
}

const mentionsOf = ({ words }: Side, at: number): readonly number[] =>
  words.flatMap(({ lemma }, i) => (i === at || lemma === words[at]!.lemma ? [i] : []))

/** In the clause of a word or one that hangs on it; of a conjunct only the subject, which it shares. */
function isOfClause(side: Side, at: number, place: number): boolean {
  const own = side.clauses[side.clauseOf[at]!]
  const other = side.clauses[side.clauseOf[place]!]
  if (own === undefined || other === undefined) return own === other
  if (own.id === other.id || (place >= own.subject[0] && place < own.subject[1])) return true
  return own.link !== 'coordinate' && other.link !== 'coordinate' && familyOf(side, own.id).has(other.id)
}

/** "starts on Friday" and "ends on Monday" are both so. */
function isOfAnotherTime(
  { source, claim }: Pick<Comparison, 'source' | 'claim'>,
  s: number,
  c: number,
): boolean {
  const within = (side: Side, at: number) =>
    side.quantities.filter(
      ({ from, kind }) => /^(?:day|clock)$/.test(kind) && side.clauseOf[from] === side.clauseOf[at],
    )
  const [there, here] = [within(source, s), within(claim, c)]
  return (
    there.length > 0 &&
    here.length > 0 &&
    !here.some(({ kind, value }) => there.some((one) => one.kind === kind && one.value === value))
  )
}
