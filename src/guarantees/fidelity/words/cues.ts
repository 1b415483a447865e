/** Closed classes of words, and what they do to what is said. Norms of tokens throughout. */

export const anyOf = (words: string): ReadonlySet<string> => new Set(words.trim().split(/\s+/))

/** Deny the clause they stand in, as part of its verb group. */
export const NEGATORS = anyOf(`
  not never no_longer not_any_longer not_anymore nor neither by_no_means in_no_way under_no_circumstances on_no_account not_at_all
  hardly scarcely barely seldom rarely hardly_ever yet_to fail_to fails_to failed_to failing_to anything_but far_from nowhere unable_to no_way short_of
`)

/** Stand before a noun or for one, and deny the clause: nothing has been approved by nobody. */
export const NEGATIVE_NOUNS = anyOf(
  'no none nobody no_one nothing nowhere neither almost_no almost_none virtually_no hardly_any hardly_anyone hardly_anybody barely_anyone almost_nobody almost_nothing barely_any not_one not_any not_a_single zero',
)

/** Deny the noun after them and nothing else. */
export const EXCLUDERS = anyOf(`
  without instead_of rather_than as_opposed_to except_for except excluding with_the_exception_of apart_from aside_from lack_of absence_of in_the_absence_of free_of devoid_of minus
  unlike other_than clear_of opposed_to
`)

/** How much of a set is meant, from none to all. `not_all` is `some` of the others. */
export type Amount = 'none' | 'few' | 'some' | 'many' | 'most' | 'all' | 'not all'

const AMOUNTS: readonly (readonly [Amount, string])[] = [
  [
    'all',
    'all every each both everyone everybody everything always virtually_all entire whole entirely completely fully',
  ],
  [
    'most',
    'most most_of majority a_majority_of the_majority_of usually mostly mainly largely almost_all nearly_all almost_every nearly_every almost_everyone nearly_everyone almost_everybody almost_everything nearly_everything generally typically all_but',
  ],
  ['many', 'many lots_of a_lot_of plenty_of numerous often much frequently'],
  [
    'some',
    'some several a_few a_number_of a_couple_of a_handful_of somebody someone something sometimes occasionally partly partially certain multiple various a_little',
  ],
  [
    'few',
    'few a_minority_of minority not_many not_much rarely seldom hardly hardly_ever hardly_any barely_any almost_none almost_no virtually_no almost_nobody almost_nothing hardly_anyone hardly_anybody barely_anyone',
  ],
  ['none', 'no none nobody no_one nothing neither never zero not_any not_one not_a_single'],
  ['not all', 'not_all not_every not_everyone not_everybody not_everything'],
]

export const QUANTIFIERS: ReadonlyMap<string, Amount> = new Map(
  AMOUNTS.flatMap(([amount, words]) => words.split(' ').map((word) => [word, amount] as const)),
)

export const MODALS = anyOf(
  'can could may might must shall should will would need_to needs_to needed_to have_to has_to had_to having_to ought_to used_to got_to going_to about_to supposed_to had_better would_rather able_to be_able',
)

export const AUXILIARIES = anyOf(
  'be am is are was were been being have has had having do does did get gets got getting',
)
export const BE = anyOf('be am is are was were been being get gets got getting')
export const HAVE = anyOf('have has had having')

export const DETERMINERS = anyOf(
  "the a an this that these those my your his her its our their 's every each all both some any no few many much most several another either neither what which whose such certain enough",
)
export const PRONOUNS = anyOf(
  'i me you he him she her it we us they them mine yours his hers ours theirs myself yourself himself herself itself ourselves themselves someone somebody anyone anybody everyone everybody something anything everything nothing nobody none no_one one ones who whom this that these those each_other one_another each_one',
)
/** Pronouns that can only be subjects. */
export const SUBJECT_PRONOUNS = anyOf('i he she we they it you who there')

export const PREPOSITIONS = anyOf(`
  of in on at by for with from to into onto about over under above below between among through during within without against toward towards across behind beside near since until till
  before after per via as than like unlike except despite instead_of rather_than because_of due_to according_to in_addition_to such_as as_opposed_to except_for apart_from aside_from other_than on_behalf_of
  along around beyond inside outside off out up down upon throughout plus minus next_to close_to in_front_of in_favor_of with_the_exception_of subject_to depending_on contingent_on contingent_upon conditional_on pending lack_of absence_of in_the_absence_of free_of
  at_least at_most up_to more_than less_than fewer_than greater_than lower_than higher_than no_more_than no_less_than regarding concerning including excluding following amid in_case_of in_the_event_of as_for in_terms_of in_spite_of
`)

/** Open a clause that hangs on another, with what the other owes it. */
export type Hinge =
  | 'condition'
  | 'exception'
  | 'reason'
  | 'time'
  | 'before'
  | 'until'
  | 'after'
  | 'contrast'
  | 'purpose'
  | 'question'
  | 'that'
  | 'relative'

export const SUBORDINATORS: ReadonlyMap<string, Hinge> = new Map([
  ...[
    'if',
    'provided',
    'provided_that',
    'assuming',
    'assuming_that',
    'as_long_as',
    'so_long_as',
    'only_if',
    'on_condition_that',
    'in_case',
    'in_the_event_that',
    'only_when',
    'suppose',
  ].map((w) => [w, 'condition'] as const),
  ['unless', 'exception'] as const,
  ...['because', 'since', 'as'].map((w) => [w, 'reason'] as const),
  ...['when', 'whenever', 'while', 'once', 'as_soon_as', 'by_the_time', 'where', 'wherever'].map(
    (w) => [w, 'time'] as const,
  ),
  ...['before'].map((w) => [w, 'before'] as const),
  ...['until', 'till'].map((w) => [w, 'until'] as const),
  ...['after', 'only_after', 'only_once'].map((w) => [w, 'after'] as const),
  ...['although', 'though', 'even_though', 'whereas', 'even_if', 'even_when', 'despite'].map(
    (w) => [w, 'contrast'] as const,
  ),
  ...['so_that', 'in_order_to', 'so_as_to'].map((w) => [w, 'purpose'] as const),
  ...['whether', 'how', 'why', 'what'].map((w) => [w, 'question'] as const),
  ['that', 'that'] as const,
  ...['who', 'which', 'whom', 'whose'].map((w) => [w, 'relative'] as const),
])

/** Words that make what hangs on them conditional without opening a clause. */
export const CONDITIONERS = anyOf(
  'if unless provided provided_that assuming assuming_that as_long_as so_long_as only_if on_condition_that subject_to contingent_on contingent_upon conditional_on depending_on pending in_case in_the_event_that in_the_event_of only_when depends depend otherwise contingent conditional',
)

export const COORDINATORS = anyOf('and or but nor yet so then plus & but_also')

/** Between a verb and its parts; say little by themselves. */
export const ADVERBS = anyOf(
  'also just still already yet ever even only really very quite so too then now currently always often usually generally currently actually simply again almost nearly probably likely possibly perhaps maybe definitely certainly not never soon here there together instead ahead once twice right_now so_far for_now anymore',
)

/** How sure a clause is, from a question to a confirmation. */
export type Certainty = 0 | 1 | 2 | 3 | 4

export const CERTAINTY: ReadonlyMap<string, Certainty> = new Map([
  ...[
    'whether',
    'unclear',
    'unsure',
    'undecided',
    'unverified',
    'unconfirmed',
    'to_be_decided',
    'to_be_determined',
    'to_be_confirmed',
    'up_in_the_air',
    'tbd',
    'consider',
    'considering',
    'contemplate',
    'contemplating',
    'explore',
    'exploring',
    'thinking_about',
    'thinking_of',
    'think_about',
    'evaluate',
    'evaluating',
    'wonder',
    'wondering',
    'discuss',
    'discussing',
    'debating',
    'weighing',
    'looking_into',
    'look_into',
    'under_consideration',
    'on_the_fence',
    'mull',
    'mulling',
    'brainstorming',
    'investigating',
    'investigate',
    'unknown',
    'uncertain',
    'toying',
    'considered',
    'discussed',
  ].map((w) => [w, 0] as const),
  ...[
    'may',
    'might',
    'could',
    'maybe',
    'perhaps',
    'possibly',
    'possible',
    'potentially',
    'potential',
    'conceivably',
    'tentative',
    'tentatively',
    'pencil_in',
    'penciled_in',
    'pencilled_in',
    'penciling_in',
    'pencilling_in',
    'provisional',
    'provisionally',
    'apparently',
    'allegedly',
    'reportedly',
    'rumored',
    'rumoured',
    'supposedly',
    'lean_toward',
    'leaning_toward',
    'leaning_towards',
    'lean_towards',
    'leaning',
    'suspect',
    'suspects',
    'suspected',
    'guess',
    'hopefully',
    'hope',
    'hopes',
    'hoping',
    'suggest',
    'suggests',
    'suggested',
    'propose',
    'proposes',
    'proposed',
    'proposal',
    'speculate',
    'presumably',
    'doubtful',
    'iffy',
    'candidate',
    'draft',
    'likes_the_idea',
    'inclined',
    'tend',
    'tends',
    'lean',
    'leans',
    'rumour',
    'rumours',
    'rumor',
    'rumors',
    'hunch',
    'speculation',
  ].map((w) => [w, 1] as const),
  ...[
    'probably',
    'likely',
    'plan',
    'plans',
    'planning',
    'planned',
    'expect',
    'expects',
    'expected',
    'intend',
    'intends',
    'intending',
    'aim',
    'aims',
    'aiming',
    'want',
    'wants',
    'wanted',
    'wish',
    'think',
    'thinks',
    'believe',
    'believes',
    'seem',
    'seems',
    'appear',
    'appears',
    'should',
    'ought_to',
    'estimate',
    'estimated',
    'assume',
    'assumes',
    'assumed',
    'target',
    'targeting',
    'going_to',
    'will',
    'about_to',
    'schedule',
    'scheduled',
    'try',
    'tries',
    'trying',
    'attempt',
    'attempts',
    'attempted',
    'attempting',
    'prefer',
    'supposed_to',
    'tried',
    'hoped',
  ].map((w) => [w, 2] as const),
  ...[
    'confirm',
    'confirmed',
    'confirms',
    'verified',
    'verify',
    'verifies',
    'definitely',
    'certainly',
    'guaranteed',
    'guarantee',
    'guarantees',
    'certain',
    'finalized',
    'finalised',
    'final',
    'locked',
    'proven',
    'proved',
    'proves',
    'established',
    'undoubtedly',
    'for_sure',
    'for_certain',
    'committed',
    'commits',
    'decided',
    'decides',
    'decision',
    'agreed',
    'approved',
    'signed_off',
    'settled',
    'official',
    'officially',
    'conclusively',
  ].map((w) => [w, 4] as const),
])

/** Which obligation a word puts on what it governs. */
export type Duty = 'required' | 'recommended' | 'permitted' | 'not required' | 'forbidden'

export const DUTIES: ReadonlyMap<string, Duty> = new Map([
  ...[
    'must',
    'shall',
    'have_to',
    'has_to',
    'had_to',
    'having_to',
    'need_to',
    'needs_to',
    'needed_to',
    'need',
    'needs',
    'needed',
    'got_to',
    'required',
    'require',
    'requires',
    'requirement',
    'duty',
    'obligation',
    'mandatory',
    'compulsory',
    'obligatory',
    'obliged',
    'necessary',
    'essential',
    'mandate',
    'mandates',
    'mandated',
    'insist',
    'insists',
    'insisted',
    'demand',
    'demands',
    'make_sure',
    'makes_sure',
    'be_sure_to',
    'ensure',
    'imperative',
    'crucial',
    'non-negotiable',
    'vital',
  ].map((w) => [w, 'required'] as const),
  ...[
    'should',
    'ought_to',
    'recommended',
    'recommend',
    'recommends',
    'advised',
    'advise',
    'advises',
    'advisable',
    'prefer',
    'prefers',
    'preferred',
    'preferable',
    'preferably',
    'ideally',
    'encouraged',
    'had_better',
    'supposed_to',
    'suggested',
    'would_rather',
    'desirable',
  ].map((w) => [w, 'recommended'] as const),
  ...[
    'allowed',
    'allow',
    'allows',
    'permitted',
    'permit',
    'permits',
    'authorized',
    'authorised',
    'can',
    'may',
    'free',
    'welcome',
    'acceptable',
    'allowable',
    'permissible',
    'eligible',
    'okay',
    'ok',
    'fine',
  ].map((w) => [w, 'permitted'] as const),
  ...[
    'optional',
    'unnecessary',
    'needless',
    'voluntary',
    'discretionary',
    'exempt',
    'waived',
    'unneeded',
    'dispensable',
  ].map((w) => [w, 'not required'] as const),
  ...[
    'forbidden',
    'forbid',
    'forbids',
    'prohibited',
    'prohibit',
    'prohibits',
    'banned',
    'ban',
    'bans',
    'disallowed',
    'disallow',
    'disallows',
    'denied',
    'off_limits',
    'impermissible',
    'barred',
    'off-limits',
    'verboten',
    'prohibition',
  ].map((w) => [w, 'forbidden'] as const),
])

/** Say nothing that a summary could be asked to support. */
export const LIGHT = anyOf(`
  a an the this that these those my your his her its our their 's be am is are was were been being have has had having do does did get gets got getting will would shall can could may might must should
  i me you he him she it we us they them user users assistant team someone somebody everyone who whom which what it's there here
  of in on at by for with from to into onto about over as than and or but so if when while then also just still already yet even very really quite too now currently
  please thanks thank hi hello ok okay  yes yeah  let us
                               according_to
  thing things stuff one ones way kind sort such both each either     much many more most less least some any all every    
`)
