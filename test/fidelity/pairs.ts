import { existsSync, readdirSync, readFileSync } from 'node:fs'

/** One line of a set: a source, a claim about it, and what a careful reader says. */
export interface LabelledPair {
  /** `group:member`; see `split.ts`. */
  readonly id: string
  readonly source: string
  readonly claim: string
  /** `faithful`: whoever accepts the source must accept the claim. Everything else is `unfaithful`. */
  readonly label: 'faithful' | 'unfaithful'
  /** What the pair is about: negation, quantifier, number … */
  readonly kind: string
}

const CORPORA = new URL('../../../shared/corpora/fidelity/', import.meta.url)

const parsed = (file: URL): LabelledPair[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as LabelledPair)

/** Our own pairs: what agents remember, written by hand. */
export const agentMemory = (): LabelledPair[] => parsed(new URL('agent-memory.jsonl', import.meta.url))

/**
 * 360 shorter ones by an author who had not seen the check, of which 70.6 % were judged rightly before anybody read them
 * (false alarms 21.7 %, recall 64.4 %). Rules have been written on all of them since: no measure of what the check can do
 * with new ones, but of what it has learnt.
 */
export const shortNotes = (): LabelledPair[] => parsed(new URL('short-notes.jsonl', import.meta.url))

/** Names of the public sets at hand; none where `../shared/corpora/fidelity` is missing. */
export const publicSets = (): string[] =>
  existsSync(CORPORA)
    ? readdirSync(CORPORA)
        .filter((name) => name.endsWith('.jsonl'))
        .map((name) => name.slice(0, -'.jsonl'.length))
        .sort()
    : []

export const publicSet = (name: string): LabelledPair[] => parsed(new URL(`${name}.jsonl`, CORPORA))
