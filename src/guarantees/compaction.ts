import { parseAnchors, wordsOf } from '../core/anchors.ts'
import { claimsIn } from '../core/claims.ts'
import { isKey, type Key } from '../core/key.ts'
import { inTurns, Turns } from '../threads/turn.ts'
import type { Elision, ElisionMarkers, Language } from './elisions.ts'
import { type GateClaim, type GatePort, type Judged, judgeClaims } from './gate.ts'
import { type AnchorResolver, checkAnchorIsolation, type IsolationCode } from './isolation.ts'
import { anchorDensity, collapsed } from './recall.ts'

/*
 * One compaction, from the summarizer's answer to something that may be registered. Anchors are checked before words:
 * a text whose pointers changed is given back once, with the raw spans (another pass over a drifted summary compounds
 * the drift), and then refused. A claim its span does not say goes back at most twice.
 */

/** What the summarizer is given to read. */
export interface CompactionSpan {
  readonly key: Key
  readonly kind: 'span' | 'summary'
  /** As it has to be printed: `[[KEY]]`. */
  readonly anchor: string
  readonly text: string
}

export interface CompactionRequest {
  /**
   * `compaction`: the spans are new, `prior` is carried on. `re-expansion`: the last answer had lost or changed
   * anchors; the spans are all there is to cover, read again, and `prior` is left out. `correction`: some claims of
   * the last answer are not what their spans say.
   */
  readonly mode: 'compaction' | 're-expansion' | 'correction'
  readonly attempt: number
  readonly spans: readonly CompactionSpan[]
  readonly prior: readonly CompactionSpan[]
  /** Must be printed, byte for byte. */
  readonly protectedAnchors: readonly string[]
  /** May be printed; no others. */
  readonly allowedAnchors: readonly string[]
  /** What was wrong with the last answer, and that answer. */
  readonly problems: readonly CompactionProblem[]
  readonly previous?: string
}

export interface CompactionProblem {
  readonly code:
    | IsolationCode
    | 'ANCHOR_DROPPED'
    | 'ANCHOR_ALTERED'
    | 'ANCHOR_INVENTED'
    | 'DENSITY_COLLAPSED'
    | 'NOT_FAITHFUL'
  /** The anchor or the claim in question. */
  readonly about?: string
  /** What an altered anchor was. */
  readonly original?: string
  readonly message: string
}

export interface CompactionAnswer {
  readonly text: string
  /** Its sentences, unless given. */
  readonly claims?: readonly string[]
  /** How complete the summarizer thinks it is, from 0 to 1. Never believed; see the fifth signal of recall. */
  readonly completeness?: number
}

export type Summarize = (
  request: CompactionRequest,
) => string | CompactionAnswer | Promise<string | CompactionAnswer>

/** What is to be compacted. */
export interface CompactionPlan {
  readonly spans: readonly CompactionSpan[]
  readonly prior: readonly CompactionSpan[]
  /** Anchors of the prior summaries that still lead somewhere. */
  readonly protectedKeys: readonly Key[]
  /** Densities of the summaries that the prior ones replaced, oldest first, the prior ones last. */
  readonly densities: readonly number[]
}

export interface CompactionPort {
  readonly gate: GatePort
  readonly resolve: AnchorResolver
  /** Everything to be covered, read again, newest state. */
  expand(): Promise<readonly CompactionSpan[]>
  /** Checks the shape of what a summarizer returned. */
  answer(value: unknown): CompactionAnswer
}

export interface CompactionRules {
  readonly minAnchorDensity: number
  readonly languages: readonly (Language | ElisionMarkers)[] | undefined
}

export interface CompactedClaim {
  readonly text: string
  readonly derivable: boolean
  /** Still not what its span says after two corrections: the gate refuses it. */
  readonly unverified: boolean
  readonly problems: readonly CompactionProblem[]
}

export interface Draft {
  readonly text: string
  readonly completeness?: number
  readonly claims: readonly CompactedClaim[]
  readonly anchors: readonly Key[]
  readonly density: number
  /** Elisions in sentences that print no key. */
  readonly orphans: readonly Elision[]
  readonly attempts: number
  readonly reexpanded: boolean
}

export type CompactionOutcome =
  | { readonly kept: true; readonly draft: Draft }
  | { readonly kept: false; readonly problems: readonly CompactionProblem[]; readonly attempts: number }

/** How often unfaithful claims go back. */
const CORRECTIONS = 2

/** Problems that no second attempt is given for. */
const HARD_STOPS: readonly CompactionProblem['code'][] = ['DENSITY_COLLAPSED', 'DENSITY_BELOW_FLOOR']

export async function runCompaction(
  plan: CompactionPlan,
  summarize: Summarize,
  port: CompactionPort,
  rules: CompactionRules,
): Promise<CompactionOutcome> {
  const protectedAnchors = plan.protectedKeys.map(printed)
  const allowed = new Set<Key>([...plan.protectedKeys, ...plan.spans.map((span) => span.key)])
  let { spans, prior } = plan
  let mode: CompactionRequest['mode'] = 'compaction'
  let problems: readonly CompactionProblem[] = []
  let previous: string | undefined
  let reexpanded = false
  let corrections = 0
  const turns = new Turns()
  for (let attempt = 1; ; attempt++) {
    const answer = port.answer(
      await summarize({
        mode,
        attempt,
        spans,
        prior,
        protectedAnchors,
        allowedAnchors: [...allowed].map(printed),
        problems,
        ...(previous === undefined ? {} : { previous }),
      }),
    )
    previous = answer.text
    const isolation = await checkAnchorIsolation(answer.text, port.resolve, {
      minAnchorDensity: rules.minAnchorDensity,
      ...(rules.languages === undefined ? {} : { languages: rules.languages }),
    })
    const drift = await inTurns(driftOf(answer.text, plan.protectedKeys, allowed))
    const named = new Set(drift.map((problem) => problem.about))
    problems = [
      ...drift,
      ...isolation.violations
        .filter(({ anchor }) => anchor === undefined || !named.has(anchor))
        .map(({ code, anchor, message }) => ({
          code,
          ...(anchor === undefined ? {} : { about: anchor }),
          message,
        })),
      ...collapseOf(plan.densities, anchorDensity(answer.text, rules.languages)),
    ]
    if (problems.length > 0) {
      if (reexpanded || problems.some(({ code }) => HARD_STOPS.includes(code)))
        return { kept: false, problems, attempts: attempt }
      reexpanded = true
      mode = 're-expansion'
      spans = await port.expand()
      prior = []
      continue
    }
    await turns.step()
    const judged = await judgeDraft(port.gate, answer)
    const unfaithful = judged.flatMap(problemsOf)
    await turns.step()
    if (unfaithful.length > 0 && corrections < CORRECTIONS) {
      corrections++
      mode = 'correction'
      problems = unfaithful
      continue
    }
    return {
      kept: true,
      draft: {
        text: answer.text,
        ...(answer.completeness === undefined ? {} : { completeness: answer.completeness }),
        claims: judged.map((claim) => {
          const found = problemsOf(claim)
          return {
            text: claim.text,
            derivable: claim.derivable,
            unverified: found.length > 0,
            problems: found,
          }
        }),
        anchors: isolation.anchors,
        density: isolation.density,
        orphans: isolation.orphans,
        attempts: attempt,
        reexpanded,
      },
    }
  }
}

const printed = (key: Key): string => `[[${key}]]`

/**
 * Claims of a text that is not registered yet, against the spans whose keys it prints for them. Where the summarizer
 * lists its claims, a sentence that it left out of the list is still said: it joins them if it is unfaithful.
 */
async function judgeDraft(gate: GatePort, answer: CompactionAnswer): Promise<readonly Judged[]> {
  const { text } = answer
  const judge = (claims: readonly string[]) =>
    judgeClaims(
      gate,
      claims.map(
        (claim): GateClaim => ({
          text: claim,
          selfSufficient: false,
          beside: [],
          within: text,
          against: [],
          unverified: false,
        }),
      ),
      { allowUnverified: false, allowBesideKeys: false },
    )
  const sentences = await inTurns(claimsIn(text))
  if (answer.claims === undefined) return await judge(sentences)
  const listed = new Set(answer.claims.map(wordsOf))
  const unlisted = await judge(sentences.filter((sentence) => !listed.has(wordsOf(sentence))))
  return [...(await judge(answer.claims)), ...unlisted.filter((claim) => problemsOf(claim).length > 0)]
}

const problemsOf = (claim: Judged): CompactionProblem[] =>
  claim.reasons.flatMap(({ code, message }) =>
    code === 'NOT_FAITHFUL' ? [{ code, about: claim.text, message: `"${claim.text}" ${message}` }] : [],
  )

function collapseOf(densities: readonly number[], density: number): CompactionProblem[] {
  if (!collapsed([...densities, density])) return []
  return [
    {
      code: 'DENSITY_COLLAPSED',
      message: `anchor density fell to ${density.toFixed(2)}, from ${Math.max(...densities).toFixed(2)} in an earlier epoch: pointers are becoming prose`,
    },
  ]
}

/** How the anchors of an answer differ from those it may and must print. */
function* driftOf(
  text: string,
  required: readonly Key[],
  allowed: ReadonlySet<Key>,
): Generator<void, CompactionProblem[]> {
  const { keys, notKeys } = parseAnchors(text)
  yield
  const there = new Set(keys)
  const missing = required.filter((key) => !there.has(key))
  const problems: CompactionProblem[] = []
  const altered = new Set<Key>()
  const strange = [...keys.filter((key) => !allowed.has(key)), ...notKeys]
  // What was dropped is the likelier origin of what is strange; a new span's key may have been mistyped as well.
  const dropped = new Set(missing)
  const origins = [...missing, ...[...allowed].filter((key) => !there.has(key) && !dropped.has(key))]
  for (const anchor of strange) {
    yield
    const original = origins.find((key) => !altered.has(key) && resembles(anchor, key))
    if (original !== undefined) {
      altered.add(original)
      problems.push({
        code: 'ANCHOR_ALTERED',
        about: anchor,
        original,
        message: `[[${anchor}]] was [[${original}]]; print anchors byte for byte`,
      })
    } else if (isKey(anchor))
      problems.push({
        code: 'ANCHOR_INVENTED',
        about: anchor,
        message: `[[${anchor}]] is none of the anchors that were given`,
      })
  }
  yield
  const bare = missing.length === 0 ? '' : text.replace(/\[\[[^[\]]*\]\]/g, ' ').toUpperCase()
  for (const key of missing) {
    yield
    if (altered.has(key)) continue
    problems.push(
      bare.includes(key)
        ? {
            code: 'ANCHOR_ALTERED',
            about: key,
            original: key,
            message: `${key} lost its brackets; print [[${key}]]`,
          }
        : {
            code: 'ANCHOR_DROPPED',
            about: key,
            message: `[[${key}]] is missing; it still leads somewhere, so it has to stay`,
          },
    )
  }
  return problems
}

/** Whether a key was meant: its letters in another case, with words around it, cut short, or a few of them wrong. */
function resembles(anchor: string, key: Key): boolean {
  const bare = anchor.toUpperCase().replace(/[^0-9A-Z]/g, '')
  if (bare === '') return false
  if (bare.includes(key)) return true
  if (bare.length >= 12 && bare.length < key.length && (key.startsWith(bare) || key.endsWith(bare)))
    return true
  // Keys minted together differ in their last letters alone: only what no other key explains counts, so few may differ.
  return distance(bare, key, SLIPS) <= SLIPS
}

const SLIPS = 3

/** Levenshtein's distance, given up beyond a limit. */
function distance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) > limit) return limit + 1
  let row = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++)
      next[j] = Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1))
    row = next
  }
  return row[b.length]!
}
