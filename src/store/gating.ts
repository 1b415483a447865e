import { wordsOf } from '../core/anchors.ts'
import { encodeCursor } from '../core/cursor.ts'
import { SpanStoreError } from '../core/errors.ts'
import { type Key, parseKey } from '../core/key.ts'
import type { FetchResult, Summary } from '../core/model.ts'
import { judgeFidelity, type SecondOpinion } from '../guarantees/fidelity/index.ts'
import {
  type ClaimVerdict,
  type GateAllowances,
  type GateClaim,
  type GateReason,
  type Judged,
  judgeClaims,
  type Rehydrated,
  reasonsAgainstSummary,
} from '../guarantees/gate.ts'
import type { GateRecord } from '../ports/gates.ts'
import type { CollectionInfo } from '../ports/ledger.ts'
import { inTurns, Turns } from '../threads/turn.ts'
import { array, flag, identifier, invalid, object, wellFormed, wholeNumber } from './input.ts'
import type { SessionNotes } from './observer.ts'
import type { SessionContext } from './session-context.ts'

/** A claim about to be acted on. */
export interface ClaimInput {
  /** With the anchors it prints, if it prints any. */
  readonly text: string
  /** The claim carries enough to act on it. Taken as the caller's opinion: it is checked against its source all the same. */
  readonly selfSufficient?: boolean
  /** A key it stands on, beside those printed in its text. Any text: what was never a key here is `KEY_ABSENT`. */
  readonly dependencyKey?: string | undefined
  readonly dependencyKeys?: readonly string[]
  /** The summary it comes from, whose text may print its keys. */
  readonly summary?: string
}

export interface GateOptions {
  /** What is about to be done, for the log. */
  readonly action?: string
  /** Let claims pass that nothing contradicts, though no source is known or the check cannot tell. Default false. */
  readonly allowUnverified?: boolean
  /** Let keys count that are not printed in the summary's text. Default false. */
  readonly allowBesideKeys?: boolean
  /** Asked where the fidelity check abstains. */
  readonly secondOpinion?: SecondOpinion
  /**
   * Say where each key stands when the collection is searched with the claim's own words. Default true; one search of
   * words for each claim.
   */
  readonly ranks?: boolean
}

export interface Gated {
  /** `substantiated` when every claim is. */
  readonly verdict: 'substantiated' | 'refused'
  readonly action?: string
  readonly claims: readonly ClaimVerdict[]
  /** What speaks against the whole: no claims, or a summary that cannot be read. */
  readonly reasons: readonly GateReason[]
  /** Where the store stood: for `recheck`, right before the action. */
  readonly cursor: string
  /** Its number in the log: gates that looked at the same moment share their cursor. */
  readonly gate: number
}

export interface Recheck {
  readonly verdict: 'holds' | 'refused'
  /** Keys the gate relied on to which something has happened since. */
  readonly moved: readonly Key[]
  readonly message: string
  /** Where the store stands now. */
  readonly cursor: string
}

const CLAIM_FIELDS = ['text', 'selfSufficient', 'dependencyKey', 'dependencyKeys', 'summary']
const OPTIONS = ['action', 'allowUnverified', 'allowBesideKeys', 'secondOpinion', 'ranks']

/** Milliseconds at a stretch for what is done for each of many claims, beside judging them. */
const STRETCH = 3

/** How far down a search is looked for a key. */
const RANKS = 50

/** What a session knows of its collection, and what it may do there. */
export interface Gatehouse {
  readonly context: SessionContext
  readonly info: CollectionInfo
  readonly session: string
  readonly notes: SessionNotes
}

export async function gate(
  house: Gatehouse,
  asked: string | readonly ClaimInput[],
  options: GateOptions,
): Promise<Gated> {
  object('options', options, OPTIONS)
  const action = options.action === undefined ? undefined : identifier('options.action', options.action)
  const allowances: GateAllowances = {
    allowUnverified: flag('options.allowUnverified', options.allowUnverified),
    allowBesideKeys: flag('options.allowBesideKeys', options.allowBesideKeys),
  }
  const ranks = flag('options.ranks', options.ranks ?? true)
  const { secondOpinion } = options
  if (secondOpinion !== undefined && typeof secondOpinion !== 'function')
    throw invalid('options.secondOpinion', secondOpinion, 'give a function from a pair to a verdict')
  const turns = new Turns(STRETCH)
  const inputs = typeof asked === 'string' ? asked : await inTurns(claimInputs(asked), STRETCH)

  const { context, info, session } = house
  // Read first: whatever changes while the claims are judged shows at the recheck.
  const positions = await positionsOf(house)
  const cursor = encodeCursor(positions)
  const { claims, against } = await claimsOf(house, inputs)
  const judged = await judgeClaims(
    {
      fetch: (keys) => rehydrate(house, keys, 'gate'),
      judge: (pair) => judgeFidelity(pair, secondOpinion),
    },
    claims.map(({ claim }) => claim),
    allowances,
  )
  const ranked: Judged[] = []
  for (const one of judged) {
    await turns.step()
    ranked.push(ranks ? { ...one, rehydrated: await withRanks(house, one) } : one)
  }
  const verdict =
    against.length === 0 && ranked.length > 0 && ranked.every((one) => one.verdict === 'substantiated')
      ? 'substantiated'
      : 'refused'
  const before = await context.ledger.gates.authorities(
    info.ref,
    session,
    ranked.map((one) => one.text),
  )
  const position = positions.get(info.id) ?? 0
  const records: GateRecord['claims'][number][] = []
  for (const [i, one] of ranked.entries()) {
    await turns.step()
    const { summary } = claims[i]!
    records.push({
      text: one.text,
      ...(summary === undefined ? {} : { summary }),
      verdict: one.verdict,
      // Let through by an allowance, nothing was compared: that verifies nothing.
      verified: one.verdict === 'substantiated' && one.compared,
      ...(one.code === undefined ? {} : { code: one.code }),
      keys: one.rehydrated.flatMap(({ key, identical, status }) =>
        status === 'ok' ? [key] : identical === undefined ? [] : [identical],
      ),
    })
  }
  const { gate: id, at } = await context.ledger.gates.record(info.ref, session, {
    position,
    cursor,
    positions,
    verdict,
    ...(action === undefined ? {} : { action }),
    claims: records,
  })
  const verdicts: ClaimVerdict[] = []
  for (const [i, { compared, ...one }] of ranked.entries()) {
    await turns.step()
    verdicts.push({
      ...one,
      authority:
        one.verdict === 'substantiated' && compared ? { state: 'verified', position, at } : before[i]!,
    })
  }
  return {
    verdict,
    ...(action === undefined ? {} : { action }),
    claims: verdicts,
    reasons: against,
    cursor,
    gate: id,
  }
}

/** @throws REHYDRATION_BOUNDARY naming every refused claim */
export async function assertGate(
  house: Gatehouse,
  asked: string | readonly ClaimInput[],
  options: GateOptions,
): Promise<Gated> {
  const gated = await gate(house, asked, options)
  if (gated.verdict === 'substantiated') return gated
  const refused = gated.claims.filter((claim) => claim.verdict === 'refused')
  const lines = [
    ...gated.reasons.map((reason) => `${reason.code}: ${reason.message}`),
    ...refused.map(
      (claim) =>
        `${JSON.stringify(claim.text)} ${claim.reasons.map(({ code, message }) => `${message} (${code})`).join('; ')}`,
    ),
  ]
  throw new SpanStoreError(
    'REHYDRATION_BOUNDARY',
    `${gated.action === undefined ? 'the action' : JSON.stringify(gated.action)} is refused, because ${
      refused.length === 0
        ? 'it stands on nothing'
        : `${refused.length} of ${gated.claims.length} claims cannot be substantiated now`
    }: ${lines.join('\n  ')}\nRead the spans again, correct what was said, and ask again`,
    {
      ...(gated.action === undefined ? {} : { action: gated.action }),
      codes: gated.reasons.map((reason) => reason.code),
      claims: refused.map(({ text, code, reasons }) => ({
        text,
        code: code!,
        reasons: reasons.map(({ code, key, successors, message }) => ({
          code,
          message,
          ...(key === undefined ? {} : { key }),
          ...(successors === undefined ? {} : { successors }),
        })),
      })),
    },
  )
}

/** One comparison where nothing moved; else one look at what the gate had relied on. */
export async function recheck(house: Gatehouse, gated: string | Gated): Promise<Recheck> {
  const { cursor, gate: id } =
    typeof gated === 'string' ? { cursor: gated } : object('gated', gated, GATED_FIELDS)
  if (typeof cursor !== 'string') throw invalid('cursor', cursor, 'give the cursor that gate returned')
  const { context, info, session } = house
  const now = encodeCursor(await positionsOf(house))
  const relied = await context.ledger.gates.relied(
    info.ref,
    session,
    cursor,
    id === undefined ? undefined : wholeNumber('gated.gate', id, 1),
  )
  const refused = (message: string, moved: readonly Key[] = []): Recheck => ({
    verdict: 'refused',
    moved,
    message,
    cursor: now,
  })
  if (relied === undefined) return refused('no gate of this session answered this cursor; ask the gate first')
  if (relied.verdict === 'refused') return refused('the gate refused; correct what it named and ask it again')
  if (now === cursor) return { verdict: 'holds', moved: [], message: 'nothing moved', cursor: now }
  const moved = await relied.moved()
  return moved.length === 0
    ? { verdict: 'holds', moved, message: 'nothing moved that the claims stand on', cursor: now }
    : refused(`${moved.join(', ')} moved since the gate looked; ask it again`, moved)
}

const GATED_FIELDS = ['verdict', 'action', 'claims', 'reasons', 'cursor', 'gate']

/** Reads keys on behalf of one of the store's own passes, and writes down that it did. */
export async function rehydrate(
  { context, notes }: Gatehouse,
  keys: readonly string[],
  purpose: 'gate' | 'compact',
): Promise<readonly FetchResult[]> {
  const results = await context.ledger.fetch(keys)
  const turns = new Turns(STRETCH)
  for (const result of results) {
    await turns.step()
    notes.read(result, { cited: 'self', purpose })
  }
  return results
}

async function positionsOf({ context }: Gatehouse): Promise<ReadonlyMap<string, number>> {
  return new Map((await context.ledger.collections()).map(({ id, position }) => [id, position]))
}

interface Asked {
  readonly claim: GateClaim
  readonly summary: Key | undefined
}

interface ClaimParts {
  readonly text: string
  readonly selfSufficient: boolean
  readonly beside: readonly string[]
  readonly summary: Key | undefined
}

function* claimInputs(claims: unknown): Generator<void, ClaimParts[]> {
  const inputs: ClaimParts[] = []
  for (const [i, claim] of array('claims', claims).entries()) {
    inputs.push(claimInput(claim, i))
    yield
  }
  return inputs
}

function claimInput(value: unknown, i: number): ClaimParts {
  const path = `claims[${i}]`
  const claim = object(path, value, CLAIM_FIELDS)
  const text = wellFormed(`${path}.text`, claim.text)
  if (text.trim() === '') throw invalid(`${path}.text`, text, 'a claim says something')
  const keys = [
    // The seed writes "no key" as None.
    ...(claim.dependencyKey === undefined || claim.dependencyKey === null
      ? []
      : [wellFormed(`${path}.dependencyKey`, claim.dependencyKey)]),
    ...array(`${path}.dependencyKeys`, claim.dependencyKeys ?? []).map((key, j) =>
      wellFormed(`${path}.dependencyKeys[${j}]`, key),
    ),
  ]
  return {
    text,
    selfSufficient: flag(`${path}.selfSufficient`, claim.selfSufficient),
    beside: [...new Set(keys)],
    summary: claim.summary === undefined ? undefined : parseKey(claim.summary, `${path}.summary`),
  }
}

/** The claims to judge, with the summaries they come from, and what speaks against having any. */
async function claimsOf(
  house: Gatehouse,
  inputs: string | readonly ClaimParts[],
): Promise<{ readonly claims: readonly Asked[]; readonly against: readonly GateReason[] }> {
  if (typeof inputs === 'string') {
    const key = parseKey(inputs, 'claims')
    const summary = await summaryAt(house, key)
    if (summary.status !== 'ok' || summary.kind !== 'summary')
      return { claims: [], against: reasonsAgainstSummary(summary) }
    const { span } = summary
    const against = reasonsAgainstSummary(summary)
    return {
      claims: span.claims.map(({ text, unverified }) => ({
        summary: span.key,
        claim: { text, selfSufficient: false, beside: [], within: span.text, against, unverified },
      })),
      against: span.claims.length === 0 ? [noClaims(`summary ${key} makes none`)] : [],
    }
  }
  if (inputs.length === 0) return { claims: [], against: [noClaims('none was given')] }
  const summaries = new Map<Key, FetchResult>()
  for (const { summary } of inputs)
    if (summary !== undefined && !summaries.has(summary))
      summaries.set(summary, await summaryAt(house, summary))
  const turns = new Turns(STRETCH)
  /** Claims that each summary registered although they were found unfaithful. */
  const unfaithful = new Map<Summary, ReadonlySet<string>>()
  const claims: Asked[] = []
  for (const { text, selfSufficient, beside, summary } of inputs) {
    await turns.step()
    const found = summary === undefined ? undefined : summaries.get(summary)!
    const readable = found?.status === 'ok' && found.kind === 'summary' ? found.span : undefined
    if (readable !== undefined && !unfaithful.has(readable))
      unfaithful.set(
        readable,
        new Set(readable.claims.flatMap((claim) => (claim.unverified ? [claim.text] : []))),
      )
    claims.push({
      summary: readable?.key,
      claim: {
        text,
        selfSufficient,
        beside,
        within: readable?.text,
        against: found === undefined ? [] : reasonsAgainstSummary(found),
        unverified: readable !== undefined && unfaithful.get(readable)!.has(text),
      },
    })
  }
  return { claims, against: [] }
}

const noClaims = (why: string): GateReason => ({
  code: 'NO_CLAIMS',
  message: `no claims to judge: ${why}. Name what the action stands on`,
})

/** A summary, or the live one that says the same in its place. */
async function summaryAt({ context }: Gatehouse, key: Key): Promise<FetchResult> {
  const found = await context.ledger.fetchOne(key)
  const identical = found.status === 'tombstone' ? found.tombstone.identical : undefined
  return identical === undefined ? found : await context.ledger.fetchOne(identical)
}

/** Adds where each key of the claim stands when the collection is searched with the claim's own words. */
async function withRanks({ context }: Gatehouse, claim: Judged): Promise<readonly Rehydrated[]> {
  // What a search would take for its own signs is no part of a claim.
  const text = wordsOf(claim.text)
    .replace(/["*]|(?<!\S)[+-]/g, ' ')
    .trim()
  const own = claim.rehydrated.filter((one) => one.through === undefined)
  if (text === '' || own.length === 0) return claim.rehydrated
  const { hits } = await context.search({ text, mode: 'text', k: RANKS })
  const ranks = new Map(hits.map((hit, i) => [hit.key, i + 1]))
  return claim.rehydrated.map((one) => {
    const rank =
      one.through === undefined ? (ranks.get(one.key) ?? ranks.get(one.identical ?? one.key)) : undefined
    return rank === undefined ? one : { ...one, rank }
  })
}
