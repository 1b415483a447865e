import type { Token } from './tokens.ts'

/**
 * Noun, verb, adjective, adverb, pronoun, determiner, preposition, coordinator, subordinator, modal, auxiliary,
 * infinitive marker, number, negator, mark.
 */
export type Tag = 'N' | 'V' | 'A' | 'R' | 'P' | 'D' | 'I' | 'C' | 'S' | 'M' | 'X' | 'T' | '#' | '-' | '.'

export interface Word extends Token {
  readonly tag: Tag
  /** Of the class the tag says; the norm where the tables have none. */
  readonly lemma: string
  /** The form of a verb, '' for other words: base, -s, past or participle, -ing. */
  readonly form: VerbForm
}

export type VerbForm = '' | 'base' | 's' | 'ed' | 'ing'
