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

/** The word as another class of word. Spelled out, as every `Word` is: the engine then knows but one shape of words. */
export const retagged = (word: Word, tag: Tag, lemma = word.lemma, form = word.form): Word => ({
  text: word.text,
  norm: word.norm,
  start: word.start,
  end: word.end,
  kind: word.kind,
  proper: word.proper,
  first: word.first,
  tag,
  lemma,
  form,
})

export type VerbForm = '' | 'base' | 's' | 'ed' | 'ing'
