import { answerCalls } from '../../threads/answer.ts'
import { judge } from './judge.ts'
import type { FidelityPair, FidelityResult } from './types.ts'

/*
 * The whole of a thread that judges long texts: reading a hundred thousand characters takes a good part of a second, in
 * one piece.
 */

export type JudgeCalls = { readonly judge: (pair: FidelityPair) => FidelityResult }

answerCalls<JudgeCalls>({ judge: (_, pair) => judge(pair) }, () => {})
