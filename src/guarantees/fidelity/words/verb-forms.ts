import { lemmaOf } from './relations.ts'
import type { VerbForm } from './word.ts'

export const COMPOUND_FORM =
  /^[a-z]+(ing)_|^(?:[a-z]+ed|went|took|taken|brought|got|broke|broken|ran|found|left|put|held|gave|given|cut|set|stuck|led)_/

export function compoundForm(norm: string, base: string | undefined): VerbForm {
  if (/^[a-z]+ing_/.test(norm)) return 'ing'
  if (COMPOUND_FORM.test(norm)) return 'ed'
  if (base === undefined || norm === base) return 'base'
  return /^[a-z]+s_/.test(norm) ? 's' : 'ed'
}

/** Verbs of software that are too new for the tables. */
const NEW_VERBS = new Set(
  'retry|refactor|reboot|whitelist|allowlist|blocklist|onboard|offboard|autoscale|upsell|deprecate|sync|rebase|upvote|snooze|unsubscribe|backfill|redeploy|reindex|hotfix|rollback|login|email|google|opt|provision|containerize|blacklist|subtweet|dm|ping|cc|unblock|unpin|rerun|resync|paginate|serialize|parse|cache|log|migrate|restart|reschedule|renegotiate|downgrade|upgrade|prioritize|deprioritize|finalize|rename|throttle|toggle|disable|enable|automate|truncate|escalate|rotate|pin|ship'.split(
    '|',
  ),
)

export function newVerb(norm: string): string | undefined {
  const direct = newVerbOf(norm)
  if (direct !== undefined) return direct
  if (norm.endsWith('ing')) return newVerbOf(`${norm.slice(0, -3)}e`)
  if (norm.endsWith('ies') || norm.endsWith('ied')) return newVerbOf(`${norm.slice(0, -3)}y`)
  return undefined
}

/** Nouns of software and of the day that are too new for the tables. */
const NEW_NOUNS = new Set(
  'login|logout|hotfix|deploy|sync|resync|rebase|retry|rerun|backfill|ping|dm|podcast|plugin|webhook|standup|timeout|playlist|smartphone|config|dashboard|metric|reboot|repo|changelog|hackathon|offsite|onsite|inbox|spam|selfie|hashtag|blog|vlog|newsfeed|username|passcode|firewall|subnet|namespace|microservice|frontend|backend|middleware|codebase|runbook|postmortem|rollout|signup|checkout|opt-out|opt-in|cutover|failover|workaround|whiteboard|laptop|tablet|charger|email|google'.split(
    '|',
  ),
)

export function newNoun(norm: string): string | undefined {
  if (NEW_NOUNS.has(norm)) return norm
  if (!norm.endsWith('s')) return undefined
  const singular = norm.slice(0, -1)
  if (NEW_NOUNS.has(singular)) return singular
  if (norm.endsWith('ies') && NEW_NOUNS.has(`${norm.slice(0, -3)}y`)) return `${norm.slice(0, -3)}y`
  return norm.endsWith('es') && NEW_NOUNS.has(norm.slice(0, -2)) ? norm.slice(0, -2) : undefined
}

/** What a word that no table has is counted one by: "kiosks" is of "kiosk". */
export const singularOf = (norm: string): string =>
  norm.length > 4 && norm.endsWith('s') && !/(?:ss|us|is|'s)$/.test(norm) ? norm.slice(0, -1) : norm

function newVerbOf(form: string): string | undefined {
  if (NEW_VERBS.has(form)) return form
  for (const ending of ['s', 'es', 'ed', 'd', 'ing'])
    if (form.endsWith(ending) && NEW_VERBS.has(form.slice(0, -ending.length)))
      return form.slice(0, -ending.length)
  return undefined
}

const forms = new Map<string, VerbForm>()

export function formOf(norm: string): VerbForm {
  const known = forms.get(norm)
  if (known !== undefined) return known
  const form = findForm(norm)
  if (forms.size > 20_000) forms.clear()
  forms.set(norm, form)
  return form
}

function findForm(norm: string): VerbForm {
  const lemma = lemmaOf(norm, 'V') ?? newVerb(norm)
  if (lemma === undefined) return ''
  if (norm.endsWith('ing') && lemma !== norm) return 'ing'
  if (lemma === norm) return norm === 'found' || norm === 'left' ? 'ed' : 'base'
  return norm.endsWith('s') && !norm.endsWith('ss') ? 's' : 'ed'
}

/** Verbs whose past looks like their base. */
export const UNCHANGED = new Set(
  'put set cut hit let read cost quit shut split spread hurt cast burst bet run come become overcome bid outbid underbid undercut offset upset reset rerun bid thrust wed rid shed forecast broadcast overrun input output'.split(
    ' ',
  ),
)

export const isBase = (norm: string) =>
  norm === 'be' || norm === 'have' || norm === 'do' || formOf(norm) === 'base'
