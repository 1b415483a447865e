/**
 * Which pairs may be looked at while rules are written, and which folds thresholds are fitted on. Both go by contrast
 * group, never by pair: siblings share a source, and a rule that has seen one has seen them all.
 */

/** Changing it invalidates every figure published so far. */
const SPLIT_SEED = 'spanstore-fidelity-1'
export const FOLDS = 5

/** The contrast group of a pair: its id without the part behind the last colon. */
const groupOf = (id: string): string => id.slice(0, Math.max(0, id.lastIndexOf(':'))) || id

/** FNV-1a with a final avalanche; 32 bits, the same on every machine. */
export function hash(text: string): number {
  let h = 0x811c9dc5
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193)
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return (h ^ (h >>> 16)) >>> 0
}

/** 0 … FOLDS - 1. */
export const foldOf = (id: string): number => hash(`${SPLIT_SEED}/fold/${groupOf(id)}`) % FOLDS

/** `dev` may be read when rules are written; `heldOut` is scored, not read. */
export const halfOf = (id: string): 'dev' | 'heldOut' =>
  hash(`${SPLIT_SEED}/half/${groupOf(id)}`) % 2 === 0 ? 'dev' : 'heldOut'
