/**
 * What a word makes of its complement: "managed to ship" says it shipped, "failed to ship" that it did not,
 * "regrets shipping" that it did whether or not "regrets" is denied, "wants to ship" neither.
 */
export type Effect =
  /** Holds when the operator holds, not when it is denied: manage, continue. */
  | 'affirms'
  /** The reverse: fail, refuse, avoid, prevent. */
  | 'denies'
  /** Holds either way: know, regret. */
  | 'presupposes'
  /** Open; a denial of the operator denies it all the same: think, want, plan, likely. */
  | 'raises'
  /** Open: say, wonder, ask. */
  | 'leaves open'

const WORDS: readonly (readonly [Effect, string])[] = [
  [
    'affirms',
    `true case way fact manage succeed remember get happen bother dare able continue keep start begin commence resume proceed help choose elect opt let make cause force enable allow permit lead
     bring drive compel oblige induce persuade convince train teach use serve suffice enough ready hasten condescend care trouble venture turn_out see_fit take make_sure ensure be_sure_to
     guarantee capable free welcome authorize authorise qualify invite vow decide settled agree arrange commit pledge resolve undertake volunteer prefer love like enjoy go_ahead going_ahead went_ahead carry_on
     come rush hurry prepared prepare set_up set assign hired hire task deploy configure run execute grant give approve approved allowed permitted enabled entitled eligible necessary duty obligation required require need must mandatory obligated obliged force forced
     urge order command instruct direct tell ask request remind encourage prompt advise recommend suggest get_around_to get_round_to talk_into`,
  ],
  [
    'denies',
    `pretend feign fail forget neglect refuse decline avoid refrain omit skip stop quit cease resist reject prevent prohibit forbid ban deny dispute doubt disprove refute hesitate hate dislike loathe
     block bar stall hinder inhibit preclude disallow discourage dissuade deter restrain abstain desist keep_from unable incapable impossible reluctant unwilling unlikely lack miss drop remove delete
     cancel abandon exclude disable eliminate discontinue revoke waive end halt terminate scrap ditch discard suspend withhold oppose renounce ignore
     turn_off turned_off turning_off turns_off switch_off switched_off shut_down called_off call_off ruled_out rule_out rules_out phase_out phased_out get_rid_of got_rid_of do_away_with opt_out opted_out left_out leave_out
     decide_against decided_against advise_against advised_against recommend_against recommended_against warn_against warned_against hold_off holding_off held_off give_up gave_up given_up turn_down turned_down turns_down
     stay_away_from steer_clear_of keep_away_from spare forgo forego shun evade escape uncommon unusual rare unsuccessful false untrue lie myth wrong incorrect failure refusal inability absence lack prohibition ban rejection avoidance denial
     veto nix scratch pull retire sunset overlook dodge hold_back too come_close_to stop_short_of talk_out_of argue_out_of`,
  ],
  [
    'presupposes',
    `surprise fact know realize realise notice regret discover find learn recall aware glad sorry happy sad pleased surprised disappointed proud reveal admit acknowledge recognize recognise point_out appreciate resent
     remember_that understand see observe hear mind odd strange unfortunate fortunate lucky amazed annoyed upset ignore discover confess disclose emphasize emphasise stress prove show demonstrate confirm verify find_out found_out`,
  ],
  [
    'raises',
    `think believe want expect plan intend suppose seem appear likely imagine reckon guess feel hope wish aim mean try attempt seek going_to used_to tend propose supposed desire
     evidence proof indication intention expected planned scheduled probable advisable wise recommended ideal should want_to looking consider`,
  ],
  [
    'leaves open',
    `say offer claim state report argue assert mention declare announce allege suggest hint wonder ask question whether predict warn promise swear threaten worry fear suspect speculate dream
     consider contemplate discuss debate explore evaluate investigate study check test review decide_on look_into looking_into thinking_about thinking_of unclear unsure unverified unknown uncertain possible potential insist maintain write post demand option chance opportunity proposal permission reminder motion invitation`,
  ],
]

const effects = new Map<string, Effect>()
for (const [effect, words] of WORDS)
  for (const word of words.trim().split(/\s+/)) if (!effects.has(word)) effects.set(word, effect)

export const effectOf = (lemma: string): Effect | undefined => effects.get(lemma)

/** Verbs of holding something true that may not be: what is under them is somebody's view. */
const VIEWS = new Set(
  'claim allege assume presume suspect suppose guess reckon imagine dream think believe feel argue pretend wonder hypothesize speculate doubt insinuate'.split(
    ' ',
  ),
)
export const isView = (lemma: string): boolean => VIEWS.has(lemma)

/** Words that also deny a thing they take as object, or as subject in the passive: support was dropped. */
const OBJECTS = new Set(
  `lack miss avoid drop remove delete cancel abandon exclude disable reject refuse decline prevent block prohibit forbid ban deny skip omit eliminate discontinue revoke waive stop end cease halt terminate
   scrap ditch discard suspend withhold oppose disallow turn_off turned_off turning_off turns_off switch_off switched_off shut_down called_off call_off ruled_out rule_out rules_out phase_out phased_out get_rid_of got_rid_of
   left_out leave_out turn_down turned_down turns_down hate dislike loathe forgo forego veto scratch retire sunset neglect decided_against decide_against advised_against recommended_against opposed bar barred reverse
   back_out_of pull_out_of run_out_of give_up_on outgrow contest withdraw skip give_up quit call_off shelve axe abolish forget overlook fall_apart rain_off opt_out_of unsubscribe bail_on cut_out do_without discontinued expired lapsed cancelled canceled out_of_the_question off_the_table out_of_scope out_of_service out_of_order out_of_stock off_limits fall_through break_down turn_away knock_down strike_down vote_down pass_up back_out pull_out take_down write_off wipe_out throw_away throw_out close_down wind_down shut_off leave_off put_on_hold walk_back walk_away_from closed can_not_stand can_not_bear can_not_abide could_not_stand dead broken gone down off void invalid inactive offline lapse expire dispute protest decommission deactivate uninstall repeal rescind nullify annul overturn retract free_of devoid_of clear_of objection against undo omit bypass pause freeze frozen unavailable missing absent nonexistent forbidden prohibited banned impossible disabled lost lose fail resist doubt deprecate false untrue optional unnecessary unwelcome`.split(
    /\s+/,
  ),
)

export const deniesItsObject = (lemma: string): boolean => OBJECTS.has(lemma)

/** Words by which what they are said of is there, in use, wanted or going on. */
const FAVOURS = new Set(
  `be have get do there exist want need use include contain take hold see apply happen occur remain stay go available option
   accept approve keep retain continue maintain support endorse back adopt like love prefer enjoy welcome allow allowed permit enable activate introduce launch
   ship offer provide work run function operate succeed pass open active online live valid alive intact agree attend join receive renew extend honour honor
   kept enabled supported included wanted installed running going_ahead went_ahead go_ahead turn_on turned_on switch_on switched_on on possible fine ok okay sign_up signed_up add create
   choose pick select chosen go_through go_up exist unchanged good useful welcome required mandatory necessary essential resume restore reinstate present buy own carry_on embrace favour favor unavoidable inevitable like_to planned part`.split(
    /\s+/,
  ),
)

/** Whether a predicate is for what it is said of, or against it; `undefined` for those that are neither. */
export const bearingOf = (lemma: string): 'for' | 'against' | undefined =>
  OBJECTS.has(lemma) ? 'against' : FAVOURS.has(lemma) ? 'for' : undefined
