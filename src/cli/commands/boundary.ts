import { writeFileSync } from 'node:fs'
import type { Boundary, BoundarySignals } from '../../index.ts'
import type { Context } from '../context.ts'
import { EXIT } from '../exit.ts'
import { count, safe, table } from '../terminal.ts'

interface Options {
  readonly freeze?: boolean
  readonly plot?: string
}

const CODES = {
  proceed: EXIT.ok,
  freeze: EXIT.refused,
  freeze_and_rollback: EXIT.rollback,
} as const

export async function run(context: Context, [id]: readonly string[], options: Options): Promise<number> {
  const session = (await context.collection()).session(id!)
  const boundary = await session.boundary({ enforce: options.freeze === true })
  const readings = await session.readings()
  if (options.plot !== undefined) {
    const { plotReadings } = await import('../plot.ts')
    writeFileSync(options.plot, plotReadings(id!, readings))
  }
  const { self, external } = boundary.signals.selfCitationAsymmetry
  if (boundary.cycle === 0 && readings.length === 0 && self.asked + external.asked === 0) {
    if (context.json) context.printJson({ status: 'absent', session: id })
    else
      context.print(`absent  no session ${JSON.stringify(id)} ever wrote a summary or observed anything here`)
    return EXIT.absent
  }
  if (context.json) context.printJson(boundary)
  else context.print(...show(context, boundary, readings.length, options.plot))
  return CODES[boundary.decision]
}

function show({ colors }: Context, boundary: Boundary, readings: number, plot: string | undefined): string[] {
  const { decision, advice, regime, cycle, reason, due, frozen, conditions } = boundary
  const paint = decision === 'proceed' ? colors.green : colors.red
  const failing = Object.values(conditions).flatMap(({ holds, why }) => (holds ? [] : [why!]))
  return [
    `${paint(decision)}  ${advice}  ${colors.dim(`epoch ${cycle}, ${regime}`)}`,
    `  ${safe(reason)}`,
    ...(frozen === undefined
      ? []
      : [
          colors.red(
            `  frozen since epoch ${frozen.epoch}; ${
              frozen.decision === 'freeze_and_rollback' && !frozen.discarded
                ? 'discardEpoch, then reconcile, ends it'
                : 'reconcile ends it'
            }`,
          ),
        ]),
    '',
    ...table(colors, [{ title: 'signal' }, { title: 'now' }, { title: '' }], rows(boundary.signals)),
    ...failing.map((why) => colors.dim(`condition fails: ${safe(why)}`)),
    ...due.map(
      ({ key, state, causes }) =>
        `due: ${key} is ${state}, because of ${causes.map((cause) => cause.key).join(' ')}`,
    ),
    ...(plot === undefined ? [] : [`${count(readings, 'reading')} drawn in ${plot}`]),
  ]
}

const number = (value: number | undefined): string =>
  value === undefined ? '' : String(Math.round(value * 1000) / 1000)

function rows(signals: BoundarySignals): string[][] {
  const { selfCitationAsymmetry: rates, recencySkew: ages } = signals
  const named: [string, { readonly elevated: boolean; readonly unavailable?: string }, string][] = [
    ['1 citation overhang', signals.citationOverhang, number(signals.citationOverhang.keys.length)],
    [
      '2 self-citation asymmetry',
      rates,
      rates.value === undefined ? '' : `${number(rates.self.rate)} against ${number(rates.external.rate)}`,
    ],
    ['3 duplicate density', signals.duplicateDensity, number(signals.duplicateDensity.value)],
    ['4 reference inflation', signals.referenceInflation, number(signals.referenceInflation.value)],
    [
      '5 recency skew',
      ages,
      ages.value === undefined ? '' : `${number(ages.rehydratedAge)} read, ${number(ages.citedAge)} cited`,
    ],
  ]
  return named.map(([name, { elevated, unavailable }, value]) => [
    name,
    value === '' ? '–' : value,
    elevated ? 'elevated' : (unavailable ?? ''),
  ])
}
