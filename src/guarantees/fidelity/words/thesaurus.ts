/**
 * More groups in the manner of `concepts.ts`, for what is noted of daily life: home, travel, health, school, sport,
 * shopping, law, news, software. One group a line; after the bar, words that say the opposite of every word before it.
 */
export const EVERYDAY = `
rise climb go_up mount soar jump rocket pick_up | fall sink go_down come_down slide plummet tumble slip
pass clear ace | fail flunk
hire take_on recruit appoint | sack fire dismiss lay_off axe
join sign_up enrol enroll register subscribe | leave quit drop_out unsubscribe resign withdraw
win beat triumph prevail | lose
arrive turn_up show_up reach land | depart leave set_off set_out take_off
borrow | lend loan
rent hire lease | own
teach instruct tutor coach | learn
remember recall | forget
remind | forget
mend repair fix restore patch | break wreck ruin smash
lock secure bolt | unlock
pack | unpack
load | unload
freeze | thaw unfreeze defrost melt
heat warm | cool chill
light ignite | extinguish put_out
switch_on turn_on power_on boot boot_up | switch_off turn_off power_off shut_down
plug_in connect | unplug disconnect
raise lift hoist | lower
inflate | deflate
fill fill_up top_up | drain empty
add insert include | remove take_out leave_out
admit confess acknowledge own_up concede | deny
praise commend applaud compliment | criticise criticize blame condemn slam
blame accuse | exonerate clear
convict sentence condemn | acquit exonerate clear
guilty | innocent
legal lawful | illegal unlawful outlawed
guest visitor | host hostess
buyer purchaser customer | seller vendor
lender creditor | borrower debtor
landlord landlady lessor | tenant renter lessee
teacher instructor tutor | pupil student
doctor gp physician | patient
winner champion victor | loser runner-up
sender | recipient addressee receiver
author writer | reader
plaintiff claimant | defendant
parent | child
ancestor | descendant
husband | wife
brother | sister
son | daughter
uncle | aunt
nephew | niece
male | female
man | woman
boy | girl
beginner novice newcomer rookie | expert veteran professional
friend ally | enemy foe
amateur | professional
majority | minority
supply | demand
import | export
upload | download
encode encrypt | decode decrypt
compress zip | decompress unzip extract
push | pull
input | output
client | server
frontend front-end | backend back-end
upstream | downstream
synchronous sync | asynchronous async
mutable | immutable
stable | unstable flaky beta
signed | unsigned
verbose | terse concise
nullable optional | non-null mandatory
horizontal | vertical
ascending | descending
even | odd
positive | negative
maximum max | minimum min
hardware | software
wired | wireless
online | offline
local | remote
domestic | foreign international
indoor indoors inside | outdoor outdoors outside
upstairs | downstairs
front | back rear
top | bottom
left left-hand | right right-hand
clockwise | anticlockwise counterclockwise
outbound outward | inbound return
arrival | departure
entrance entry | exit
takeoff | landing
one-way single | return round-trip
aisle | window middle
direct nonstop non-stop | indirect connecting
business first-class | economy
early ahead_of_time ahead_of_schedule | late delayed overdue tardy behind_schedule
punctual on_time | late delayed
morning dawn | evening dusk
daytime day | night nighttime overnight
weekday | weekend
sunny dry fine clear | rainy wet cloudy overcast stormy
sunrise dawn | sunset dusk
shallow | deep
narrow thin | wide broad
thick | thin
heavy | light lightweight
loud noisy | quiet silent
sweet | bitter sour savoury
fresh | stale frozen rotten
raw uncooked | cooked boiled fried baked
ripe | unripe
mild | spicy hot strong
tender | tough
soft | hard
smooth | rough bumpy
sharp | blunt dull
wet damp soaked | dry
clean spotless tidy | dirty messy filthy
tidy neat | messy untidy
awake up | asleep sleeping
hungry | full
thirsty | quenched
tired exhausted worn_out weary fatigued | rested fresh energetic
ill sick unwell poorly | well healthy recovered fit
recover heal improve | worsen relapse deteriorate
injured hurt wounded | unhurt uninjured unharmed unscathed
pregnant expecting | childless
married | single unmarried divorced
engaged | single
divorced separated | married
employed | unemployed jobless
retired | working
full-time | part-time
permanent open-ended indefinite | temporary fixed-term interim casual
paid | unpaid voluntary
salaried | unpaid
free free_of_charge at_no_cost complimentary gratis at_no_charge without_charge | paid charged chargeable
cheap inexpensive affordable budget | expensive dear costly pricey
discount reduction rebate markdown | surcharge premium markup supplement
profit surplus gain | loss deficit shortfall
profitable | unprofitable loss-making
deposit | withdraw take_out
debit | credit
save put_aside set_aside | spend
earn make bring_in | lose spend
owe | own
insured covered | uninsured
taxable | tax-free exempt
gross | net
wholesale | retail
new brand-new unused | used second-hand secondhand pre-owned
genuine authentic original real | fake counterfeit forged bogus
public | private
famous well-known renowned | unknown obscure
popular well-liked | unpopular
common widespread | rare scarce uncommon
plentiful abundant ample | scarce short sparse
crowded packed busy full | empty deserted quiet
busy occupied booked | free available idle
vacant unoccupied free empty | occupied taken
sold_out fully-booked | available
in_stock available | out_of_stock unavailable sold_out
open | shut closed
opening | closing closure
visible | hidden invisible
present | absent away
attendance presence | absence
inclusive included | exclusive excluded
compulsory mandatory obligatory | optional voluntary elective
formal | informal casual
strict stern rigid | lenient lax flexible
flexible adjustable | fixed rigid inflexible
patient | impatient
generous | stingy mean
brave | cowardly
honest truthful | dishonest lying
friendly kind warm | unfriendly hostile cold
shy introverted | outgoing extroverted confident
calm relaxed composed | nervous anxious agitated
proud | ashamed embarrassed
grateful thankful | ungrateful
keen eager enthusiastic | reluctant unwilling unenthusiastic
optimistic hopeful upbeat | pessimistic gloomy
confident sure certain | doubtful unsure hesitant
satisfied content pleased happy | dissatisfied unhappy disappointed displeased
interested | uninterested bored
interesting fascinating | boring dull
amusing funny | serious
useful helpful handy | useless unhelpful
effective | ineffective useless
efficient | inefficient wasteful
reliable dependable trustworthy | unreliable untrustworthy
responsible | irresponsible
careful cautious | careless reckless
experienced seasoned | inexperienced
qualified certified | unqualified
skilled | unskilled
fluent | broken
literate | illiterate
native | foreign
deliberate deliberately intentional intentionally on_purpose purposely | accidental accidentally by_accident unintentional unintentionally by_mistake inadvertently
voluntary voluntarily willingly | forced involuntary
alone single-handedly unaccompanied solo | together accompanied jointly
separately individually one_by_one | together jointly collectively
suddenly abruptly | gradually slowly
immediately at_once straight_away right_away instantly promptly without_delay | later eventually
permanently forever | temporarily briefly
always invariably without_fail | never
constantly continuously nonstop around_the_clock | intermittently occasionally
regularly routinely habitually | never rarely
often frequently | rarely seldom
usually normally generally as_a_rule | rarely seldom never
sometimes occasionally now_and_then from_time_to_time once_in_a_while | never always
publicly openly in_public | privately secretly in_private behind_closed_doors
correctly properly | incorrectly wrongly
successfully | unsuccessfully in_vain
safely | dangerously
better superior | worse inferior
best finest | worst
more | less fewer
bigger larger greater | smaller
taller higher | shorter lower
older elder | younger newer
oldest eldest | youngest newest
longer | shorter
longest | shortest
faster quicker | slower
fastest quickest | slowest
cheaper | dearer pricier costlier
cheapest | dearest priciest costliest
earlier sooner | later
earliest | latest
easier simpler | harder trickier
heavier | lighter
hotter warmer | colder cooler
louder | quieter
stronger | weaker
thicker | thinner
wider broader | narrower
nearer closer | further farther
higher | lower
highest | lowest
biggest largest | smallest
upper | lower
former | latter
senior | junior
older | newer
exceed surpass top overrun go_over | undershoot
underestimate | overestimate
overpay | underpay
understate | overstate exaggerate
overcharge | undercharge
overcooked | undercooked
overweight | underweight
outperform beat surpass | underperform
precede | follow
follow succeed | precede
lag trail fall_behind | lead
widen broaden | narrow
tighten | loosen relax ease
strengthen reinforce bolster shore_up | weaken undermine
harden | soften
deepen | ease
shorten cut | lengthen extend prolong
extend prolong lengthen | shorten curtail cut_short
speed_up accelerate quicken | slow_down decelerate slow
double | halve
multiply | divide
maximise | minimise
simplify | complicate
legalise legalize | outlaw ban criminalise
nationalise | privatise
centralise | decentralise
unite unify merge | split divide separate
hire | fire
promote upgrade | demote downgrade relegate
upgrade | downgrade
update | outdated
approve back support | oppose
support endorse back | oppose
agree consent | disagree refuse object
accept take_up take_on | refuse decline reject turn_down
accept welcome | reject spurn
comply obey follow abide | disobey violate breach break flout
keep honour honor | break breach
succeed work_out come_off | fail fall_through flop
progress advance | stall regress
start kick_off get_going | finish end
start take_up take_on | stop give_up quit
continue carry_on keep_on persist | stop cease break_off discontinue
resume pick_up restart | pause suspend
pause halt suspend put_on_hold | resume continue restart
stay remain stay_on stay_put | leave go move_out move_away
move_in | move_out
move relocate | stay
enter come_in | leave exit come_out
wake_up wake get_up | fall_asleep sleep
sit_down | stand_up get_up
put_on wear | take_off
pick_up collect fetch | drop_off deliver
borrow take_out check_out | return bring_back
give_away donate hand_out | keep
hand_in turn_in submit deliver
give_back return bring_back take_back send_back hand_back pay_back repay
get_back recover regain retrieve
take_part participate compete
search seek hunt
look_forward_to await anticipate | dread
look_up search consult
bring_up raise mention
put_forward propose suggest
come_up_with devise invent think_of
put_together assemble compile
put_up_with tolerate bear endure
get_along | fall_out clash quarrel
make_up reconcile
run_into encounter meet bump_into
run_out_of use_up exhaust
use_up exhaust consume finish
turn_up appear show_up | vanish disappear
appear emerge surface turn_up | disappear vanish
call_back return
hesitate waver dither
cancel call_off scrap abandon axe | go_ahead keep confirm
put_off postpone delay defer reschedule | bring_forward
happen occur
hold run host stage organise organize
attend visit
build construct erect put_up | demolish tear_down pull_down knock_down raze
demolish tear_down pull_down knock_down raze | build construct erect
plant sow | uproot harvest
grow cultivate raise
feed nourish | starve
adopt take_in
train practise practice rehearse
study learn revise
graduate | drop_out
publish release issue bring_out put_out
photograph shoot
edit revise
arrest detain apprehend | release free
release free set_free | detain arrest hold jail imprison
jail imprison lock_up | release free
fine penalise penalize
ban bar outlaw prohibit | allow permit legalise
expel exclude throw_out | admit
resign step_down stand_down quit | stay_on
divorce | marry
born | die
break_up split_up separate
hate loathe detest can_not_stand | love adore like
love adore | hate loathe detest dislike
like enjoy | dislike hate
trust | distrust mistrust suspect
believe trust | doubt disbelieve
respect admire | despise
ignore disregard overlook | heed notice note
notice spot see detect observe | overlook miss
spot detect find discover | miss overlook
watch view
shout yell scream | whisper
laugh | cry weep
smile | frown
rise get_up | fall
cause bring_about
amount_to total add_up_to
apologise apologize
invite | uninvite
crash freeze hang go_down fall_over | run
boot start
reboot restart
install set_up | uninstall remove
sign_in | log_out sign_out
commit check_in
merge | revert
copy duplicate | move
render draw
compile build
debug troubleshoot
refactor restructure rewrite
deprecate phase_out | introduce
support | deprecate
throttle rate-limit
time_out expire
validate check
sanitise escape
lock | unlock release
allocate | free release
expose publish | hide
mount | unmount
schedule | unschedule
queue enqueue | dequeue
subscribe | unsubscribe
follow | unfollow
like | unlike
mute silence | unmute
pin | unpin
block | unblock
archive | unarchive restore
hide | show unhide
zoom_in | zoom_out
click press tap
type enter
select tick check | deselect untick uncheck
highlight mark
prison jail
peace | war
vaccine jab shot
holiday vacation break leave
motorbike motorcycle
flat apartment
bathroom washroom toilet
stove cooker oven
bin trash
lift elevator
dinner supper
fizzy sparkling carbonated | still
sweets candy
crisps chips
trousers pants
shoes footwear
laptop notebook
computer pc
screen monitor display
photo picture
song track
university college
class lesson course
homework assignment
match game fixture
team side
draw tie
concert gig
grown-up adult | child
mate friend
start beginning outset | end close finish
end finish close conclusion | start beginning
advantage benefit plus pro upside | disadvantage drawback downside con
strength | weakness
success | failure
answer reply response solution
way method
rest remainder remaining others
copy duplicate | original
model version
survey poll questionnaire
career profession
boss manager
colleague coworker workmate
staff workforce employees
trainee apprentice intern
headquarters head_office
refund reimbursement
appointment slot booking
reserve book
deadline cutoff
shortage lack scarcity | surplus glut excess
increase rise growth uptick gain | decrease fall drop decline reduction dip
rise increase | fall drop
improvement | deterioration decline
permission consent leave approval | refusal ban
open reopen | close shut closed
catch | miss
come attend turn_up show_up | stay_away stay_home
outstanding unpaid due overdue | received paid settled
come_back return reappear resurface recur | vanish disappear
renew extend prolong | expire lapse run_out
exceed surpass top overrun | meet
`
/** Things of one kind of which a place holds one. */
export const EVERYDAY_KINDS = `
aisle window
espresso cappuccino latte americano macchiato
coffee tea cocoa juice milk water beer wine lemonade cola
beef pork chicken lamb fish turkey duck tofu
rice pasta potatoes bread noodles
apple banana orange pear peach plum cherry grape mango lemon melon
cat dog rabbit hamster horse parrot goldfish
violin piano guitar flute drums cello trumpet clarinet saxophone
football tennis basketball rugby hockey golf cricket volleyball badminton handball
swimming running cycling rowing climbing skiing boxing yoga
maths physics chemistry biology history geography music
bus train tram plane ferry taxi bike car subway metro
bedroom kitchen bathroom garage attic basement balcony hallway garden cellar lounge
wife husband
mother father grandmother grandfather sister brother son daughter uncle aunt cousin niece nephew
knee hip shoulder elbow ankle wrist back neck hand foot ear eye
monday tuesday wednesday thursday friday saturday sunday
january february march april may june july august september october november december
python java rust go typescript javascript kotlin ruby swift php scala
postgres postgresql mysql sqlite mongodb redis oracle mariadb cassandra dynamodb
aws azure gcp
react vue angular svelte
npm yarn pnpm
docker podman
slack teams zoom discord signal whatsapp telegram
email letter phone text fax
json xml yaml csv toml
utc cet pst est gmt
visa mastercard amex paypal
cash card cheque transfer
euro euros dollar dollars pound pounds franc francs yen
usd eur gbp chf jpy
kilo kilos gram grams pound pounds ounce ounces
litre litres millilitre millilitres gallon gallons
metre metres kilometre kilometres mile miles foot feet inch inches
celsius fahrenheit
seconds minutes hours days weeks months years milliseconds
second minute hour day week month year millisecond
kb mb gb tb
bronze silver gold
first second third fourth fifth sixth seventh eighth ninth tenth
north-east north-west south-east south-west
left-hand right-hand
plaintiff defendant
buyer seller
sender recipient
teacher pupil
landlord tenant
doctor nurse dentist pharmacist surgeon physiotherapist vet
lawyer accountant notary architect engineer plumber electrician carpenter
chairman treasurer secretary
editor author publisher
goalkeeper striker defender midfielder
bride groom
mayor governor senator president minister
leather denim linen nylon polyester velvet suede
oak pine walnut beech birch maple
diesel petrol electric hybrid
vegan vegetarian
gluten lactose nuts
paperback hardback ebook
pdf docx html markdown
master main develop
http https ftp ssh
`
