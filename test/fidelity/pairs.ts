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

/** Names of the public sets at hand; none where `../shared/corpora/fidelity` is missing. */
export const publicSets = (): string[] =>
  existsSync(CORPORA)
    ? readdirSync(CORPORA)
        .filter((name) => name.endsWith('.jsonl'))
        .map((name) => name.slice(0, -'.jsonl'.length))
        .sort()
    : []

export const publicSet = (name: string): LabelledPair[] => parsed(new URL(`${name}.jsonl`, CORPORA))
