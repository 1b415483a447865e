import { AskedThread, ThreadLost } from '../../threads/ask.ts'
import { judge } from './judge.ts'
import type { JudgeCalls } from './judge-thread.ts'
import type { FidelityPair, FidelityResult } from './types.ts'

/** How long the thread is kept, in milliseconds. */
const IDLE = 10_000

/** One for the process: it holds nothing but texts read last. */
const thread = new AskedThread<JudgeCalls>('guarantees/fidelity/judge-thread', {
  name: 'spanstore-fidelity',
  data: undefined,
  idle: IDLE,
})

/** `judge` in a thread; here, where that is lost. */
export async function judgeElsewhere(pair: FidelityPair): Promise<FidelityResult> {
  try {
    return await thread.ask('judge', [pair])
  } catch (error) {
    if (!(error instanceof ThreadLost)) throw error
    return judge(pair)
  }
}
