export type { BatchLimits } from './batches.ts'
export {
  type AiSdkEmbeddingModel,
  type AiSdkOptions,
  type ChromaEmbeddingFunction,
  fromAiSdk,
  fromChroma,
  fromLangChain,
  type LangChainEmbeddings,
  type WrapperOptions,
} from './foreign.ts'
export { type LocalEmbedder, localEmbedder } from './local.ts'
export { type OpenAiOptions, openaiEmbedder } from './openai.ts'
