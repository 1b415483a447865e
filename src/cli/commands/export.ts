import { exportChroma } from '../../wire/chroma/transfer.ts'
import type { Context } from '../context.ts'
import { type TransferFlags, transfer } from './transfer.ts'

export async function run(
  context: Context,
  [protocol]: readonly string[],
  flags: TransferFlags,
): Promise<number> {
  return await transfer(context, protocol, flags, await context.existing(), exportChroma)
}
