/** Turns texts into vectors. `id` names model and parameters: equal ids mean comparable vectors. */
export interface Embedder {
  readonly id: string
  /** 0 until the first vector, where only the model can say. */
  readonly dimensions: number
  /** Longest input in tokens, where the model has a limit. */
  readonly maxTokens?: number
  embedDocuments(texts: readonly string[], signal?: AbortSignal): Promise<readonly Float32Array[]>
  embedQuery(text: string, signal?: AbortSignal): Promise<Float32Array>
  /** For whoever made it; a store does not close an embedder, which may serve several. */
  close?(): Promise<void>
}
