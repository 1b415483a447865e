import { checkFidelity, type FidelityVerdict } from '../../guarantees/fidelity/index.ts'
import type { Context } from '../context.ts'
import { EXIT } from '../exit.ts'

const CODES: Readonly<Record<FidelityVerdict, number>> = {
  faithful: EXIT.ok,
  unfaithful: EXIT.refused,
  abstain: EXIT.undecided,
}

export async function run(
  context: Context,
  _: readonly string[],
  options: { readonly source: string; readonly claim: string; readonly context?: string },
): Promise<number> {
  const { source, claim } = options
  const result = checkFidelity({ source, claim, context: options.context })
  if (context.json) context.printJson(result)
  else {
    const { colors } = context
    const paint = { faithful: colors.green, unfaithful: colors.red, abstain: colors.yellow }[result.verdict]
    context.print(
      `${paint(result.verdict)}  risk ${result.risk.toFixed(2)}`,
      ...result.reasons.map(
        ({ code, severity, message }) => `${colors.bold(code)}  ${colors.dim(severity)}  ${message}`,
      ),
    )
  }
  return CODES[result.verdict]
}
