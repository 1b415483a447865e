import { encodeCursor } from '../core/cursor.ts'

/**
 * The positions a subscription has passed, so that each delivery can give the cursor as of itself although most
 * cursors are never asked for and a store may have many collections: a base, and the steps since. The base is
 * renewed when the steps outnumber it, which keeps a step at constant cost.
 */
export class Trail {
  #base = new Map<string, number>()
  #steps: { readonly id: string; readonly position: number }[] = []

  /** @returns the cursor after this step, to be worked out when called */
  step(id: string, position: number): () => string {
    if (this.#steps.length > 64 + this.#base.size) {
      this.#base = walk(this.#base, this.#steps, this.#steps.length)
      this.#steps = []
    }
    this.#steps.push({ id, position })
    return this.now()
  }

  /** The cursor as it stands, to be worked out when called. */
  now(): () => string {
    const count = this.#steps.length
    const base = this.#base
    const steps = this.#steps
    return () => encodeCursor(walk(base, steps, count))
  }
}

function walk(
  base: ReadonlyMap<string, number>,
  steps: readonly { readonly id: string; readonly position: number }[],
  count: number,
): Map<string, number> {
  const positions = new Map(base)
  for (let i = 0; i < count; i++) positions.set(steps[i]!.id, steps[i]!.position)
  return positions
}
