import type { Key } from '../core/key.ts'
import type { FetchResult, Reason, Summary } from '../core/model.ts'
import type { CollectionInfo } from '../ports/ledger.ts'
import type { Reconcilable, ReconcileCommand, Reconciliation, RegisterCommand } from '../ports/sessions.ts'
import { inTurns, Turns } from '../threads/turn.ts'
import { flag, invalid, object } from './input.ts'
import { registering, type SummaryInput } from './registration.ts'
import type { SessionContext } from './session-context.ts'

/** A text to rewrite a summary from, and the key to cite it by. */
export interface RewriteSource {
  readonly key: Key
  readonly text: string
  /**
   * `live`: still as the summary cites it. `identical`: retired, but its text is back, so the citation may stay.
   * `successor`: it stands where `replaces` stood. `rewritten`: a summary rewritten in this pass; cite it by this key.
   */
  readonly via: 'live' | 'identical' | 'successor' | 'rewritten'
  readonly replaces?: Key
}

export interface RewriteTask {
  readonly summary: Summary
  readonly sources: readonly RewriteSource[]
  /** What the summary cites that nothing stands for any more. */
  readonly gone: readonly {
    readonly key: Key
    readonly status: 'empty' | 'tombstone' | 'absent' | 'stale'
    readonly reason?: Reason
  }[]
}

/** A text alone, a summary, or `withdraw` for one that has nothing left to say; nothing where it cannot be rewritten. */
export type Rewrite =
  | string
  | Pick<SummaryInput, 'text' | 'claims' | 'dependsOn' | 'covers' | 'completeness'>
  | { readonly withdraw: true }
  | undefined

export interface Reconciling {
  /** Called for each summary that is not current, those it may stand on first. */
  readonly summarize: (task: RewriteTask) => Rewrite | Promise<Rewrite>
}

export interface Unresolved {
  readonly key: Key
  /**
   * `NOT_REWRITTEN`: the summarizer gave nothing back. `NO_ANCHORS`: its text cites no key. `CITES_UNRESOLVABLE`: it
   * cites keys that do not resolve, named in `keys`.
   */
  readonly why: 'NOT_REWRITTEN' | 'NO_ANCHORS' | 'CITES_UNRESOLVABLE'
  readonly keys: readonly Key[]
}

export interface ReconcileResult {
  /** `incomplete`: something could not be rewritten, nothing was written, and a freeze stays. */
  readonly outcome: 'reconciled' | 'incomplete'
  /** The epoch of the pass; 0 where nothing was written. */
  readonly epoch: number
  readonly position: number
  readonly rewritten: readonly { readonly from: Key; readonly to: Key }[]
  readonly withdrawn: readonly Key[]
  readonly unresolved: readonly Unresolved[]
  /** Keys read by the pass, and how many of them had text to stand on. */
  readonly rehydrated: { readonly asked: number; readonly ok: number }
  /** What the agent cited in its own words and no longer resolves: for the agent to correct. */
  readonly citations: readonly FetchResult[]
  /** Whether a freeze ended. */
  readonly resumed: boolean
}

/**
 * Rehydrates what the session cites, has every summary that is not current rewritten from what stands for its
 * sources now, and commits all of it with a new epoch, or nothing.
 */
export async function reconcileOf(
  context: SessionContext,
  info: CollectionInfo,
  session: string,
  options: Reconciling,
): Promise<ReconcileResult> {
  const { summarize } = object('reconcile', options, ['summarize'])
  if (typeof summarize !== 'function')
    throw invalid('reconcile.summarize', summarize, 'give a function that rewrites a summary')
  const { ledger, observer } = context
  await observer.flush()
  const plan = await ledger.sessions.reconciliation(info.ref, session)
  const rehydrated = await rehydrateAll(context, info, session, plan)
  const { rewrites, withdrawn, unresolved } = await rewriteAll(context, info, plan, options.summarize)
  const common = { unresolved, rehydrated, citations: plan.citations }
  if (unresolved.length > 0) {
    const position = plan.basedOn.get(info.id) ?? 0
    return {
      ...common,
      outcome: 'incomplete',
      epoch: 0,
      position,
      rewritten: [],
      withdrawn: [],
      resumed: false,
    }
  }
  const { mark, basedOn, fingerprint } = plan
  const done = await ledger.sessions.reconcile(info.ref, session, {
    mark,
    basedOn,
    fingerprint,
    rewrites,
    withdrawn,
  })
  return {
    ...common,
    outcome: 'reconciled',
    epoch: done.epoch,
    position: done.position,
    rewritten: rewrites.map(({ key }, i) => ({ from: key, to: done.keys[i]! })),
    withdrawn,
    resumed: done.resumed,
  }
}

/** Every key the session's summaries or its agent cite is read once, for the log as well. */
async function rehydrateAll(
  { ledger, observer }: SessionContext,
  info: CollectionInfo,
  session: string,
  plan: Reconciliation,
): Promise<{ asked: number; ok: number }> {
  const results = [...(await ledger.fetch(plan.cited)), ...plan.citations]
  const turns = new Turns()
  for (const result of results) {
    await turns.step()
    observer.rehydrated(info.ref, session, result, { cited: 'self', purpose: 'reconcile' })
  }
  const gone = (result: FetchResult) =>
    result.status !== 'ok' && !(result.status === 'tombstone' && result.tombstone.identical !== undefined)
  return { asked: results.length, ok: results.filter((result) => !gone(result)).length }
}

async function rewriteAll(
  context: SessionContext,
  info: CollectionInfo,
  plan: Reconciliation,
  summarize: Reconciling['summarize'],
) {
  const rewrites: { key: Key; summary: RegisterCommand }[] = []
  const withdrawn = new Set<Key>()
  const unresolved: Unresolved[] = []
  /** Texts that summaries of this pass have from now on, by their old keys. */
  const texts = new Map<Key, string>()
  const turns = new Turns()
  for (const one of supportsFirst(plan.summaries)) {
    await turns.step()
    const { key } = one.summary
    const rewrite = await summarize(taskOf(one, texts, withdrawn))
    if (rewrite === undefined || rewrite === null) {
      unresolved.push({ key, why: 'NOT_REWRITTEN', keys: one.summary.causes.map((cause) => cause.key) })
      continue
    }
    if (typeof rewrite === 'object' && 'withdraw' in rewrite) {
      object('summarize()', rewrite, ['withdraw'])
      if (!flag('summarize().withdraw', rewrite.withdraw))
        throw invalid('summarize().withdraw', rewrite.withdraw, 'say true, or give a text')
      withdrawn.add(key)
      continue
    }
    const summary = await inTurns(rewriteOf(info, one, rewrite))
    const broken = await unresolvable(context, summary, texts, withdrawn)
    if (summary.dependsOn.length === 0) unresolved.push({ key, why: 'NO_ANCHORS', keys: [] })
    else if (broken.length > 0) unresolved.push({ key, why: 'CITES_UNRESOLVABLE', keys: broken })
    else {
      rewrites.push({ key, summary })
      texts.set(key, summary.text)
    }
  }
  return { rewrites, withdrawn: [...withdrawn], unresolved } satisfies Pick<
    ReconcileCommand,
    'rewrites' | 'withdrawn'
  > & {
    unresolved: Unresolved[]
  }
}

function taskOf(
  { summary, standings }: Reconcilable,
  texts: ReadonlyMap<Key, string>,
  withdrawn: ReadonlySet<Key>,
): RewriteTask {
  const sources = new Map<Key, RewriteSource>()
  const gone: { key: Key; status: 'empty' | 'tombstone' | 'absent' | 'stale'; reason?: Reason }[] = []
  for (const { key, result, satisfied, live } of standings) {
    const rewritten = texts.get(key)
    if (rewritten !== undefined) {
      sources.set(key, { key, text: rewritten, via: 'rewritten' })
      continue
    }
    const usable = live.flatMap((one) =>
      one.status === 'ok' && !withdrawn.has(one.key) && (isSupport(one) || texts.has(one.key))
        ? [{ key: one.key, text: one.span.text }]
        : [],
    )
    if (satisfied && usable.length > 0)
      sources.set(key, { key, text: usable[0]!.text, via: result.status === 'ok' ? 'live' : 'identical' })
    else if (usable.length > 0)
      for (const one of usable) {
        const own = texts.get(one.key)
        if (!sources.has(one.key))
          sources.set(
            one.key,
            own === undefined
              ? { ...one, via: one.key === key ? 'live' : 'successor', replaces: key }
              : { key: one.key, text: own, via: 'rewritten', replaces: key },
          )
      }
    else
      gone.push({
        key,
        status: result.status === 'ok' ? 'stale' : result.status,
        ...(result.status === 'tombstone' ? { reason: result.tombstone.reason } : {}),
      })
  }
  return { summary, sources: [...sources.values()], gone }
}

const isSupport = (result: Extract<FetchResult, { status: 'ok' }>): boolean =>
  result.kind === 'span' || result.span.state === 'current'

/** Those that others of the pass stand on, or would go on from, come first. */
function supportsFirst(summaries: readonly Reconcilable[]): Reconcilable[] {
  const byKey = new Map(summaries.map((one) => [one.summary.key, one]))
  const ordered = new Set<Reconcilable>()
  const seen = new Set<Reconcilable>()
  const visit = (one: Reconcilable) => {
    if (seen.has(one)) return
    seen.add(one)
    for (const { live } of one.standings)
      for (const { key } of live) {
        const support = byKey.get(key)
        if (support !== undefined) visit(support)
      }
    ordered.add(one)
  }
  for (const one of summaries) visit(one)
  return [...ordered]
}

function rewriteOf(
  info: CollectionInfo,
  { summary, covers }: Reconcilable,
  rewrite: Exclude<Rewrite, undefined | { readonly withdraw: true }>,
): Generator<void, RegisterCommand> {
  const given = typeof rewrite === 'string' ? { text: rewrite } : rewrite
  return registering(info, { covers, ...given, replaces: summary.key }, `summarize() for ${summary.key}`)
}

/** What a rewritten summary would cite that nothing stands for, summaries of this pass aside. */
async function unresolvable(
  { ledger }: SessionContext,
  { dependsOn }: RegisterCommand,
  texts: ReadonlyMap<Key, string>,
  withdrawn: ReadonlySet<Key>,
): Promise<Key[]> {
  const keys = dependsOn.map(({ key }) => key).filter((key) => !texts.has(key))
  const results = await ledger.fetch(keys)
  return keys.filter((key, i) => {
    const result = results[i]!
    if (withdrawn.has(key)) return true
    if (result.status === 'tombstone') return result.tombstone.identical === undefined
    if (result.status !== 'ok') return true
    return result.kind === 'summary' && result.span.state !== 'current'
  })
}
