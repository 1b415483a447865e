import { EVERYDAY, EVERYDAY_KINDS } from './thesaurus.ts'

/**
 * Words that say the same in notes about work, plans and preferences, where WordNet has no link between them. One group
 * a line; after the bar, words that say the opposite. Lemmas, or norms of phrases.
 */
const GROUPS = `
enable activate turn_on turned_on turning_on turns_on switch_on switched_on leave_on stay_on on active enabled switched-on | disable deactivate turn_off turned_off turning_off turns_off switch_off switched_off leave_off stay_off shut_off off inactive disabled deactivated switched-off
increase raise bump grow rise lift boost climb surge jump up higher upgrade expand extend go_up went_up goes_up gain enlarge escalate uptick | decrease reduce lower drop cut fall decline shrink dip plunge diminish lessen go_down went_down goes_down cut_down cut_back scale_back scaled_back reduction trim slash slump tumble down
permit allow let authorize authorise allowed permitted permission authorized can may welcome grant clearance | forbid prohibit ban deny block disallow bar prohibited forbidden banned off-limits denied barred refuse restrict off_limits
require need mandatory compulsory obligatory necessary must have_to has_to essential required needed mandate need_to needs_to insist obligate requirement non-negotiable needs | optional unnecessary voluntary needless discretionary
approve accept greenlight sign_off signed_off endorse okay approval agree agreed agreement ratify ok green-light consent | reject decline refuse deny turn_down turned_down turns_down veto disapprove dismiss rejection rejected disagree
schedule plan set book arrange slate fix pencil_in penciled_in pencilled_in organize planned scheduled calendar slot | cancel call_off called_off scrap unschedule
postpone delay defer push_back pushed_back put_off move reschedule slip push shift late behind hold_off | advance bring_forward brought_forward move_up moved_up expedite hasten early
start begin commence launch kick_off initiate open resume onset go_live embark go | stop end finish halt cease quit terminate close discontinue conclude suspend abort wrap_up
finish complete conclude wrap_up wrap done finalize finalise end completed ready finished | incomplete unfinished pending outstanding partial
buy purchase acquire get procure obtain order | sell
fix repair resolve solve patch correct address remedy rectify mend fixed resolved | break damage broken unresolved
delete remove erase purge drop wipe clear discard eliminate strip get_rid_of got_rid_of do_away_with scrap take_down taken_down took_down uninstall | add keep retain insert preserve install create include introduce
keep retain preserve maintain hold stay remain stick_with sticking_with stuck_with sticks_with stay_with staying_with continue save store kept | discard abandon change replace switch
choose pick select decide opt elect go_with went_with going_with settle_on settled_on opt_for opted_for decide_on decided_on choice selection prefer settled_for decision chosen | reject decide_against decided_against
prefer like favor favour love enjoy fond partial preference want wants rather preferred favorite fan desire | dislike can_not_stand hate loathe detest despise avoid averse
use utilize utilise employ adopt run apply leverage rely usage consume with via through | avoid
switch migrate move change convert transition port shift swap transfer migration replace go_over
deploy ship release roll_out rolled_out rolling_out publish launch push rollout deployment go_live shipped live deliver | roll_back rolled_back revert rollback
store save keep record persist archive log write hold retain hold_on
show display reveal present demonstrate exhibit illustrate highlight expose indicate disclose unveil showcase feature | hide conceal mask
say state tell mention note claim report remark announce declare express comment reveal assert point_out pointed_out explain describe indicate communicate disclose outline inform reveal publish
ask request inquire query seek solicit enquire question want
send email mail deliver forward dispatch ship transmit submit share notify post message
notify inform tell alert warn advise update ping message let_know contact email brief
contact call reach email phone message ping speak talk write
meet meeting gather sync convene conference session call appointment
discuss talk debate review consider speak chat conversation explore converse go_over discussion talk_about examine address cover confer
check verify confirm validate test inspect examine audit review double-check ensure vet assess evaluate
evaluate assess appraise rate review judge measure gauge analyze analyse score analysis
build create make develop construct produce generate design write craft form establish set_up set compose prepare devise assemble building
improve enhance better upgrade boost optimize optimise strengthen refine raise advance augment enrich elevate improvement increase amplify | worsen degrade weaken deteriorate harm impair hurt decline
help assist aid support guide facilitate enable serve back assistance | hinder hamper
own manage handle lead run responsible_for in_charge_of charge responsible maintain oversee owner take_care_of accountable_for supervise head responsibility owned look_after own lead
assign give allocate delegate hand appoint designate task assigned entrust
work function operate run working functional operational succeed | fail break broken crash down malfunction
succeed pass manage work successful success achieve accomplish complete | fail failure unsuccessful flunk failed flop
win victory beat defeat triumph prevail | lose loss
available free open accessible ready present up obtainable around here | unavailable busy inaccessible absent down missing out away
connect link attach join tie bind associate relate link couple | disconnect detach unlink
include contain comprise involve feature incorporate cover encompass add with consist have | exclude omit leave_out left_out lack
lack miss without absence lack_of absence_of missing absent devoid_of no need | have possess
have possess own hold feature get contain carry boast with
get receive obtain acquire gain take earn collect secure fetch | lose give
give provide offer supply grant deliver present furnish hand donate contribute award yield afford
make_sure ensure guarantee insure secure be_sure_to makes_sure made_sure assure
avoid prevent skip refrain dodge stay_away_from steer_clear_of keep_away_from bypass evade escape shun stop abstain not
think believe feel consider reckon suppose deem view regard opinion find judge guess assume see
know understand realize realise aware learn recognize recognise comprehend grasp familiar | unaware ignorant unfamiliar
expect anticipate predict forecast foresee project estimate await outlook hope projection
want wish desire like would_like hope need prefer ask intend look keen interested eager
plan intend aim mean going_to propose scheme strategy intention hope target goal set plans
try attempt seek endeavor strive effort endeavour tried aim
consider think_about thinking_about thinking_of contemplate weigh evaluate look_into looking_into explore explored under_consideration study mull
tentative provisional penciled_in pencilled_in pencil_in tentatively provisionally preliminary temporary interim subject unconfirmed draft possible | final confirmed definite definitive firm permanent certain
confirm verify affirm validate certify corroborate confirmed verified definite | unconfirmed unverified deny refute
likely probable probably expected likelihood chance | unlikely improbable
possible feasible viable doable option achievable maybe perhaps may might could | impossible infeasible unfeasible out_of_the_question
maybe perhaps possibly may might could potentially
about around roughly approximately approx nearly almost circa close_to some near
before prior previous earlier ahead until preceding beforehand past | after following later subsequent post since next afterwards subsequently
every each all any everyone everybody entire whole always every_single
big large huge major great enormous massive sizable significant substantial considerable vast hefty | small little tiny minor slight minimal modest
important critical key crucial essential vital significant major central main primary notable | unimportant minor trivial insignificant
good great excellent fine nice positive strong solid beneficial favorable fantastic sound | bad poor terrible awful negative weak harmful
fast quick rapid speedy swift prompt quickly immediate immediately promptly soon rapidly asap as_soon_as_possible | slow sluggish slowly gradual gradually
easy simple straightforward effortless painless convenient easily simply | hard difficult tough tricky challenging complex complicated
cheap inexpensive affordable low-cost economical budget | expensive costly pricey dear
safe secure protected harmless | unsafe dangerous insecure risky hazardous danger
new novel fresh recent innovative latest modern newly additional | old former previous legacy outdated ancient existing
same identical equal unchanged equivalent alike like similar | different distinct other unequal unlike changed dissimilar
right correct accurate true valid proper fitting precise | wrong incorrect false inaccurate untrue mistaken invalid improper
happy glad pleased delighted satisfied content cheerful joyful | unhappy sad upset displeased dissatisfied miserable
public open published external | private internal confidential hidden secret
internal inside in-house private | external outside
manual hand by_hand manually | automatic automated automatically auto
full complete entire total whole all | partial incomplete empty
empty blank vacant void | full
error bug issue problem fault defect failure glitch trouble difficulty flaw incident outage concern challenge
outage downtime incident failure disruption interruption
cost price expense fee charge spending bill spend rate
money fund budget cash capital financing funding
company firm business organization organisation corporation enterprise organisation vendor
customer client user buyer consumer shopper subscriber
employee staff worker personnel member colleague coworker teammate co-worker team
boss manager supervisor lead head chief leader director
doctor physician clinician medic
child kid youngster minor toddler
vendor supplier provider seller contractor
server machine host box node instance
database db datastore postgres data_store
repository repo codebase
configuration config setting settings setup configure parameter option
deadline due date cutoff target_date due_date
password passphrase credential passcode pin
document doc file paper report write-up record
meeting call sync session appointment standup
email mail message e-mail
trip travel journey visit vacation holiday tour
apartment flat home house place residence
car vehicle automobile auto
film movie picture
amount quantity number sum total volume count level
part portion piece section segment component share element
change modify alter adjust update edit revise amend modification adapt tweak revision
replace swap substitute supersede exchange switch
reach achieve attain hit meet accomplish get arrive
happen occur take_place arise transpire
cause lead trigger produce result bring provoke generate make create prompt
affect impact influence hit hurt touch
grow expand increase develop growth rise
last take run span continue
live reside stay dwell located based inhabit
travel go fly drive journey visit
eat consume have dine ingest
die pass_away perish death dead kill | live alive survive born
allergic intolerant sensitive allergic_to allergy intolerance
vegetarian meatless meat-free | carnivore
monthly per_month every_month each_month a_month month
daily per_day every_day each_day nightly everyday day
weekly per_week every_week each_week week
yearly annual annually per_year every_year each_year year
hourly per_hour every_hour each_hour
minute per_minute every_minute
second per_second sec
twice two_times double
sign execute ink signature signed
agree accept consent approve agreed concur | disagree refuse oppose
renew extend continue renewal | expire lapse
expire lapse run_out end expiry expiration ran_out
limit cap maximum restrict max ceiling bound at_most exceed
minimum at_least floor min
verify check confirm
suggest propose recommend advise offer suggestion proposal recommendation put_forward imply
recommend advise suggest urge propose encourage | discourage
worried concerned anxious afraid nervous concern | calm
responsible accountable in_charge_of liable owner responsible_for accountable_for
test try trial experiment check testing
merge combine join integrate unify consolidate merged | split separate divide
split divide separate partition break_down
encrypt encode encrypted | decrypt unencrypted plaintext
read view see look examine
write compose author draft
hire recruit employ onboard | fire dismiss lay_off
join attend enter participate enroll join participation | leave exit quit skip
attend join go participate come show_up present | miss skip
wait hold_off hold delay pause await | proceed go_ahead going_ahead
proceed go_ahead continue going_ahead move_forward advance went_ahead
back_up backup backed_up
restore recover restored recovery bring_back
revert roll_back rolled_back undo rollback
access reach enter log_in login
block stop prevent obstruct stall impede blocked hold_up | unblock
respond reply answer response reaction
return come_back give_back refund reentry back
pay compensate reimburse settle payment spend
refund reimburse repay reimbursement
weekend saturday sunday
together jointly both collectively
exclusively only solely just alone
frequently often regularly commonly | rarely seldom infrequently
quickly fast rapidly swiftly promptly
currently now presently right_now at_present today
lead guide drive head run
team group crew squad staff we
reduce cut lower decrease minimize minimise shorten lessen trim curtail alleviate mitigate eliminate | maximize
maximize maximise optimize increase
support back endorse favor favour help assist maintain | oppose object against drop
oppose object resist against disagree opposed opposed_to | support favor back for
introduce present unveil launch bring announce
attempt try effort bid
focus concentrate center emphasize emphasise prioritize priority
goal aim objective target purpose
method approach technique way procedure means
result outcome finding consequence effect
show demonstrate illustrate prove indicate
study research investigate examine analysis investigation
require demand call_for necessitate need
various different several diverse multiple many
several multiple many numerous various few some
ability capability capacity able skill can
unable incapable inability cannot | able capable
quote estimate offer price
personalized custom individualized tailored customized personalised customised individual bespoke tailor-made
advise counsel recommend guide
potential possible prospective likely
initial first original early preliminary
final last ultimate end finally | first initial
forecast projection outlook guidance prediction expectation
profit earnings income gain revenue | loss
arrest detain apprehend capture
injure hurt wound harm
attack assault strike raid
mother mom mommy mum mama mummy
father dad daddy papa
road street lane roadway
little small tiny | big large huge great
couch sofa
near close_to beside next_to by close | far far_from distant
inside in within indoors | outside out outdoors
above over | below under beneath underneath
before | after
toward towards to | away
with having | without
up | down
into | out_of out
for | against
happy glad | sad depressed miserable
picture photo photograph image
begin start
speak talk
kid child
large big
stone rock
cold chilly | hot warm
full | empty
young | old elderly aged
rich wealthy | poor
strong | weak
long lengthy | short
high tall | low short
true truthful | untrue untruthful
polite civil courteous | uncivil rude impolite
sure certain confident | unsure uncertain doubtful
same alike | other different unlike another
smart intelligent clever bright | stupid dumb
well healthy fine | sick ill unwell
alive breathing | breathless
bright light brilliant | dim dimmed dark dull
real substantial actual genuine | unreal unsubstantial insubstantial fake
normal usual ordinary | abnormal paranormal unusual
coherent logical consistent | incoherent illogical
first | last
stay remain | leave go
remember recall | forget
friend pal chum buddy mate
persuade convince talk_into coax induce get_to | dissuade discourage deter talk_out_of argue_out_of
agree_to | disagree refuse decline
accept | reject
love | hate
buy | sell
push | pull
open | closed shut
arrive come | leave depart
standing | sitting running lying
`

/** Things of one kind that exclude each other, where the tables call them near. */
const KINDS = `
red orange yellow green blue purple pink brown black white gray grey violet turquoise beige golden silver navy maroon cyan magenta teal tan
asian african european american hispanic
cotton wool silk leather wooden metal plastic glass steel brick concrete
morning afternoon evening night noon midnight
north south east west northern southern eastern western
spring summer autumn winter fall
left right
monthly weekly daily yearly hourly quarterly
english french german spanish italian chinese japanese russian indian thai korean mexican dutch greek swedish portuguese turkish polish
kitchen bathroom bedroom garage hallway attic basement bedroom
breakfast lunch dinner supper
production staging development
ios android windows linux macos
`
/** What a word names, and its kinds. */
interface Thing {
  readonly name: string
  readonly kinds: number[]
}

const things = new Map<string, Thing>()
for (const [kind, line] of `${KINDS.trim()}${EVERYDAY_KINDS.trimEnd()}`.split('\n').entries())
  for (const word of line.split(' ')) {
    const known = things.get(word)
    if (known === undefined) things.set(word, { name: word, kinds: [kind] })
    else known.kinds.push(kind)
  }
for (const unit of ['hour', 'day', 'week', 'month', 'quarter', 'year'])
  for (const word of ['every', 'each', 'per'])
    things.set(`${word}_${unit}`, things.get(unit === 'day' ? 'daily' : `${unit}ly`)!)

/** Whether the words name two different things of one kind. */
export const excludeEachOther = (a: string, b: string): boolean => {
  const one = things.get(a)
  const other = one === undefined ? undefined : things.get(b)
  return (
    one !== undefined &&
    other !== undefined &&
    one.name !== other.name &&
    one.kinds.some((kind) => other.kinds.includes(kind))
  )
}

/** For each word its groups: a number for each, even for the one side, odd for the other. */
const standings = new Map<string, readonly number[]>()
for (const [group, line] of `${GROUPS.trim()}${EVERYDAY.trimEnd()}`.split('\n').entries()) {
  let place = group * 2
  for (const word of line.split(' ')) {
    if (word === '|') place++
    else if (word !== '') standings.set(word, [...(standings.get(word) ?? []), place])
  }
}

/** 1 when some group has both words on one side, -1 when only on opposite sides, else 0. */
export function conceptSign(a: string, b: string): 1 | -1 | 0 {
  const one = standings.get(a)
  const other = one === undefined ? undefined : standings.get(b)
  if (one === undefined || other === undefined) return 0
  let opposed = false
  for (const x of one)
    for (const y of other) {
      if (x === y) return 1
      if ((x ^ y) === 1) opposed = true
    }
  return opposed ? -1 : 0
}
