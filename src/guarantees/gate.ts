import { parseAnchors, wordsOf } from '../core/anchors.ts'
import type { Authority } from '../core/authority.ts'
import { derivableKeys } from '../core/claims.ts'
import type { Key } from '../core/key.ts'
import type { FetchResult, Summary } from '../core/model.ts'
import { nextTurn, Turns } from '../threads/turn.ts'
import type { FidelityPair, FidelityReason, FidelityResult } from './fidelity/index.ts'

/*
 * The gate before an irreversible action. A claim passes when every key it stands on answers now and the claim says
 * what is found there. A key that names a summary counts only through those of its claims that pass themselves, down
 * to spans: nothing is laundered through a summary of a summary. Whatever is not known is a refusal.
 */

/** Why a claim, or the whole, is refused. The order is the order in which one of several is named first. */
export const GATE_CODES = [
  /** Nothing to judge: an action that names no claim has not said what it stands on. */
  'NO_CLAIMS',
  /** The key is not printed in the summary's own text, or there is no key at all. */
  'NO_DERIVABLE_KEY',
  /** The summary, or one that a key names, has lost what it stands on. */
  'SUMMARY_STALE',
  'KEY_ABSENT',
  'KEY_TOMBSTONE',
  'KEY_EMPTY',
  /** The span does not say what the claim says. */
  'NOT_FAITHFUL',
  /** Whether it does could not be told, or was not when the claim was registered. */
  'UNVERIFIED',
] as const

export type GateCode = (typeof GATE_CODES)[number]

export interface GateReason {
  readonly code: GateCode
  readonly message: string
  /** The key in question, as it was asked for. */
  readonly key?: string
  /** Of a retired key: where to go on. */
  readonly successors?: readonly Key[]
  /** What the fidelity check found. */
  readonly fidelity?: readonly FidelityReason[]
  /** Why the claims of the summary that `key` names are refused themselves, as far down as they lead. */
  readonly within?: readonly GateReason[]
}

/** A key that was rehydrated for a claim. */
export interface Rehydrated {
  readonly key: Key
  readonly status: FetchResult['status']
  readonly kind?: 'span' | 'summary'
  /** Whether it was printed in the summary's text, or came beside it. */
  readonly printed: boolean
  /** The live key that brought the same text back. */
  readonly identical?: Key
  /** The summary through whose claims it was reached. */
  readonly through?: Key
  /** Where the key stands when the collection is searched with the claim's own words: 1 is the best hit. */
  readonly rank?: number
}

export interface ClaimVerdict {
  readonly text: string
  readonly verdict: 'substantiated' | 'refused'
  /** What it stands on: its own words, checked against their source, or what was retrieved. */
  readonly source: 'summary' | 'retrieval'
  /** The text it was checked against. */
  readonly span?: string
  readonly via?: 'identical'
  /** The first of the reasons. */
  readonly code?: GateCode
  readonly reasons: readonly GateReason[]
  /** Whether a key can be derived from the summary's text alone. */
  readonly derivable: boolean
  readonly rehydrated: readonly Rehydrated[]
  readonly authority: Authority
}

/** A claim about to be acted on. */
export interface GateClaim {
  readonly text: string
  /** The caller's word; it is checked like any other. */
  readonly selfSufficient: boolean
  /** Keys given beside the text. */
  readonly beside: readonly string[]
  /** The text of the summary it belongs to: what its keys have to be printed in. Undefined: its own text alone. */
  readonly within: string | undefined
  /** What speaks against taking anything from that summary (`reasonsAgainstSummary`). */
  readonly against: readonly GateReason[]
  /** It was registered although it was found unfaithful. */
  readonly unverified: boolean
}

export interface GatePort {
  /** Rehydrates keys, in order. */
  fetch(keys: readonly string[]): Promise<readonly FetchResult[]>
  judge(pair: FidelityPair): Promise<FidelityResult>
}

export interface GateAllowances {
  /** Let a claim pass that nothing contradicts, though its source is not known or the check could not tell. */
  readonly allowUnverified: boolean
  /** Let keys count that are not printed in the summary's text. */
  readonly allowBesideKeys: boolean
}

/** `ClaimVerdict` before the log is asked. `compared`: it was found to say what its keys lead to. */
export type Judged = Omit<ClaimVerdict, 'authority'> & { readonly compared: boolean }

/** Judges claims. Every reason that speaks against one is named, not the first alone. */
export async function judgeClaims(
  port: GatePort,
  claims: readonly GateClaim[],
  allowances: GateAllowances,
): Promise<readonly Judged[]> {
  const inquiry = new Inquiry(port)
  const judged: Judged[] = []
  // Who calls may have looked at all of them before.
  await nextTurn()
  for (const claim of claims) {
    const { found, reasons, printed, fidelity } = await examine(inquiry, claim, allowances)
    const texts = found.flatMap((one) => one.text ?? [])
    judged.push({
      text: claim.text,
      verdict: reasons.length === 0 ? 'substantiated' : 'refused',
      source: claim.selfSufficient ? 'summary' : 'retrieval',
      ...(texts.length === 0 ? {} : { span: texts.join('\n') }),
      ...(found.some((one) => one.own.identical !== undefined) ? { via: 'identical' } : {}),
      ...(reasons.length === 0 ? {} : { code: reasons[0]!.code }),
      reasons,
      derivable: printed,
      compared: fidelity?.verdict === 'faithful',
      rehydrated: everyKey(found),
    })
  }
  return judged
}

interface Examined {
  readonly found: readonly Found[]
  readonly reasons: readonly GateReason[]
  /** Whether a key is printed for the claim. */
  readonly printed: boolean
  readonly fidelity: FidelityResult | undefined
}

async function examine(inquiry: Inquiry, claim: GateClaim, allowances: GateAllowances): Promise<Examined> {
  await inquiry.turns.step()
  const reasons: GateReason[] = [...claim.against]
  const text = claim.within ?? claim.text
  const own = derivableKeys(claim.text, text)
  await inquiry.turns.step()
  const anywhere = inquiry.printedIn(text)
  await inquiry.turns.step()
  const beside = claim.beside.filter((key) => !own.includes(key as Key))
  const printed = [...own, ...beside.filter((key) => anywhere.has(key))]
  const unprinted = beside.filter((key) => !anywhere.has(key))
  if (!claim.selfSufficient) {
    if (printed.length + unprinted.length === 0)
      reasons.push({
        code: 'NO_DERIVABLE_KEY',
        message: 'is not self-sufficient, and no key is printed with it',
      })
    if (!allowances.allowBesideKeys)
      reasons.push(
        ...unprinted.map((key) => ({
          code: 'NO_DERIVABLE_KEY' as const,
          key,
          message: `stands on ${key}, which is not printed in the summary's text`,
        })),
      )
  }
  const found = [...(await inquiry.rehydrate(printed, true)), ...(await inquiry.rehydrate(unprinted, false))]
  for (const one of found) reasons.push(...one.reasons)

  const standing = found.every((one) => one.reasons.length === 0)
  const words = wordsOf(claim.text)
  let fidelity: FidelityResult | undefined
  if (words === '') reasons.push({ code: 'UNVERIFIED', message: 'says nothing that could be checked' })
  else if (found.length > 0 && standing)
    fidelity = await inquiry.compare(
      words,
      found.map((one) => one.text!),
    )
  else if (found.length === 0 && claim.selfSufficient && !allowances.allowUnverified)
    reasons.push({
      code: 'UNVERIFIED',
      message: 'calls itself self-sufficient, and no source is known to check it against',
    })
  if (fidelity?.verdict === 'unfaithful') reasons.push(notFaithful(fidelity, 'its key leads to'))
  // A second opinion that is none of the three verdicts is no opinion.
  else if (fidelity !== undefined && fidelity.verdict !== 'faithful' && !allowances.allowUnverified)
    reasons.push({
      code: 'UNVERIFIED',
      message: 'could not be compared with what its key leads to; give a second opinion',
      fidelity: fidelity.reasons,
    })
  if (claim.unverified && !allowances.allowUnverified)
    reasons.push({ code: 'UNVERIFIED', message: 'was registered although it was found unfaithful' })
  if (!standing && words !== '') reasons.push(...(await inquiry.contradicted(words, found)))

  reasons.sort((a, b) => GATE_CODES.indexOf(a.code) - GATE_CODES.indexOf(b.code))
  return { found, reasons, printed: printed.length > 0, fidelity }
}

/** Every key that was led to, each once: those of the claim first, then what was reached through summaries. */
function everyKey(found: readonly Found[]): Rehydrated[] {
  const keys = new Map<Key, Rehydrated>()
  const seen = new Set<Found>()
  let wave = found.map((one) => ({ one, through: undefined as Key | undefined }))
  while (wave.length > 0) {
    const next: typeof wave = []
    for (const { one, through } of wave) {
      if (seen.has(one)) continue
      seen.add(one)
      if (!keys.has(one.own.key))
        keys.set(one.own.key, through === undefined ? one.own : { ...one.own, through })
      const below = one.own.kind === 'summary' ? one.own.key : through
      next.push(...one.below.map((under) => ({ one: under, through: below })))
    }
    wave = next
  }
  return [...keys.values()]
}

const notFaithful = (fidelity: FidelityResult, where: string): GateReason => ({
  code: 'NOT_FAITHFUL',
  message: `does not say what ${where}: ${
    fidelity.reasons.map((reason) => reason.message).join('; ') || 'the check found them apart'
  }`,
  fidelity: fidelity.reasons,
})

/** Why a claim cannot be taken from this summary, whatever its keys answer. */
export function reasonsAgainstSummary(summary: FetchResult): GateReason[] {
  const { key } = summary
  switch (summary.status) {
    case 'ok':
      if (summary.kind === 'span')
        return [{ code: 'NO_CLAIMS', key, message: `comes from ${key}, which is a span, not a summary` }]
      return summary.span.state === 'current' ? [] : [stale(summary.span)]
    case 'empty':
      return [{ code: 'KEY_EMPTY', key, message: `comes from ${key}, which holds no text` }]
    case 'absent':
      return [
        { code: 'KEY_ABSENT', key, message: `comes from ${key}, which was never assigned in this store` },
      ]
    case 'tombstone':
      return [retired(summary)]
  }
}

const stale = ({ key, state, causes }: Summary): GateReason => ({
  code: 'SUMMARY_STALE',
  key,
  successors: causes.flatMap((cause) => cause.successors ?? []),
  message: `stands on summary ${key}, which is ${state}: ${causes
    .map((cause) => `${cause.key} is ${cause.reason ?? cause.status}`)
    .join(', ')}`,
})

const retired = ({ key, tombstone }: Extract<FetchResult, { status: 'tombstone' }>): GateReason => ({
  code: 'KEY_TOMBSTONE',
  key,
  successors: tombstone.successors,
  message: `stands on ${key}, which was retired (${tombstone.reason})${
    tombstone.successors.length === 0 ? '' : `; continue from ${tombstone.successors.join(', ')}`
  }`,
})

/** What came of one key: a text to compare with, or reasons against it. */
interface Found {
  readonly own: Rehydrated
  readonly text?: string
  readonly reasons: readonly GateReason[]
  /** What it was reached by: its `identical`, or what a summary's substantiated claims stand on. */
  readonly below: readonly Found[]
}

/** One gate's look at the store: nothing is asked twice, and nothing outside what the claims stand on is asked. */
class Inquiry {
  readonly #port: GatePort
  readonly #results = new Map<string, FetchResult>()
  readonly #found = new Map<string, Found>()
  /** Summaries whose claims are being judged: one that stands on itself stands on nothing. */
  readonly #open = new Set<Key>()
  /** Of the text that was asked about last: all claims of a summary are printed in one. */
  #printed: { readonly text: string; readonly keys: ReadonlySet<string> } | undefined
  /** Taken between claims: there may be thousands. */
  readonly turns = new Turns(4)

  constructor(port: GatePort) {
    this.#port = port
  }

  printedIn(text: string): ReadonlySet<string> {
    if (this.#printed?.text !== text) this.#printed = { text, keys: new Set<string>(parseAnchors(text).keys) }
    return this.#printed.keys
  }

  async rehydrate(keys: readonly string[], printed: boolean): Promise<readonly Found[]> {
    const missing = [...new Set(keys)].filter((key) => !this.#results.has(key))
    if (missing.length > 0)
      for (const [i, result] of (await this.#port.fetch(missing)).entries())
        this.#results.set(missing[i]!, result)
    const found: Found[] = []
    for (const key of keys) {
      const before = this.#found.get(key)
      found.push(before ?? (await this.#follow(this.#results.get(key)!, printed)))
      this.#found.set(key, found.at(-1)!)
    }
    return found
  }

  async #follow(result: FetchResult, printed: boolean): Promise<Found> {
    const { key, status } = result
    const own: Rehydrated = { key, status, printed, ...(status === 'absent' ? {} : { kind: result.kind }) }
    const against = (code: GateCode, message: string): Found => ({
      own,
      reasons: [{ code, key, message }],
      below: [],
    })
    switch (result.status) {
      case 'ok':
        return result.kind === 'span'
          ? { own, text: result.span.text, reasons: [], below: [] }
          : await this.#through(result.span, own)
      case 'absent':
        return against('KEY_ABSENT', `stands on ${key}, which was never assigned in this store`)
      case 'empty':
        return against('KEY_EMPTY', `stands on ${key}, which is live and holds no text to stand on`)
      case 'tombstone': {
        const { identical } = result.tombstone
        if (identical === undefined) return { own, reasons: [retired(result)], below: [] }
        const [living] = await this.rehydrate([identical], printed)
        return { ...living!, own: { ...own, identical }, below: [living!] }
      }
    }
  }

  /** A summary is what its substantiated claims say. */
  async #through(summary: Summary, own: Rehydrated): Promise<Found> {
    const { key } = summary
    if (summary.state !== 'current') return { own, reasons: [stale(summary)], below: [] }
    if (this.#open.has(key))
      return {
        own,
        reasons: [{ code: 'UNVERIFIED', key, message: `stands on summary ${key}, which stands on itself` }],
        below: [],
      }
    this.#open.add(key)
    const texts: string[] = []
    const reasons: GateReason[] = []
    const below = new Set<Found>()
    for (const claim of summary.claims) {
      const examined = await examine(
        this,
        {
          text: claim.text,
          selfSufficient: false,
          beside: [],
          within: summary.text,
          against: [],
          unverified: claim.unverified,
        },
        STRICT,
      )
      if (examined.reasons.length > 0) {
        reasons.push(...examined.reasons.flatMap((reason) => reason.within ?? reason))
        continue
      }
      texts.push(wordsOf(claim.text))
      for (const found of examined.found) below.add(found)
    }
    this.#open.delete(key)
    if (texts.length > 0) return { own, text: texts.join('\n'), reasons: [], below: [...below] }
    return {
      own,
      reasons: [
        {
          code: reasons[0]?.code ?? 'UNVERIFIED',
          key,
          message: `stands on summary ${key}, none of whose claims is substantiated`,
          within: reasons.slice(0, WITHIN),
        },
      ],
      below: [],
    }
  }

  /**
   * Whether the texts, together or one of them alone, say what the claim says, and none of them denies it. Together,
   * because a claim may join what two spans say; alone, because the words of another span may stand in the way.
   */
  async compare(claim: string, texts: readonly string[]): Promise<FidelityResult> {
    const together = await this.#port.judge({ source: texts.join('\n'), claim })
    if (texts.length === 1) return together
    const alone: FidelityResult[] = []
    for (const source of texts) alone.push(await this.#port.judge({ source, claim }))
    const denied = alone.find(
      ({ verdict, reasons }) =>
        verdict === 'unfaithful' &&
        reasons.some((reason) => reason.code === 'polarity_flip' && reason.severity === 'hard'),
    )
    return denied ?? [together, ...alone].find(({ verdict }) => verdict === 'faithful') ?? together
  }

  /** Some key leads nowhere; what the others lead to, and what continues it, may tell that the claim was wrong as well. */
  async contradicted(claim: string, found: readonly Found[]): Promise<GateReason[]> {
    const successors = found.flatMap(({ reasons }) =>
      reasons.flatMap((reason) => (reason.code === 'KEY_TOMBSTONE' ? (reason.successors ?? []) : [])),
    )
    const texts = found.flatMap((one) => one.text ?? [])
    if (successors.length > 0)
      for (const result of await this.#port.fetch(successors))
        if (result.status === 'ok' && result.kind === 'span') texts.push(result.span.text)
    if (texts.length === 0) return []
    const fidelity = await this.compare(claim, texts)
    return fidelity.verdict === 'unfaithful'
      ? [notFaithful(fidelity, 'its keys lead to, or those that continue them')]
      : []
  }
}

/** How many reasons are reported of what lies below one key. */
const WITHIN = 20

const STRICT: GateAllowances = { allowUnverified: false, allowBesideKeys: false }
