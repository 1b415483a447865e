const WORDS = ['zero', 'one', 'two', 'three']

/** Spans whose vectors are the axes of a space. */
export const axes = (dimensions: number) =>
  Array.from({ length: dimensions }, (_, i) => ({
    text: `axis ${WORDS[i]}`,
    vector: Array.from({ length: dimensions }, (_, j) => (i === j ? 1 : 0)),
  }))
