import { mkdirSync, writeFileSync } from 'node:fs'
import { cpus, loadavg } from 'node:os'
import { blockingBenches } from './blocking.ts'
import { chromaBenches } from './chroma.ts'
import { compactionBenches } from './compaction.ts'
import { eventBenches } from './events.ts'
import { fidelityBenches } from './fidelity.ts'
import { gateBenches } from './gate.ts'
import type { Measured } from './harness.ts'
import { ledgerBenches } from './ledger.ts'
import { searchBenches } from './search.ts'
import { searchDefaultsBench } from './search-defaults.ts'
import { wordBenches } from './text-search.ts'

const SUITES: Readonly<Record<string, (report: (measured: Measured) => void) => Promise<void>>> = {
  ledger: ledgerBenches,
  events: eventBenches,
  search: searchBenches,
  words: wordBenches,
  'search-defaults': searchDefaultsBench,
  compaction: compactionBenches,
  chroma: chromaBenches,
  fidelity: fidelityBenches,
  gate: gateBenches,
  blocking: blockingBenches,
}

const asked = process.argv.slice(2).filter((argument) => !argument.startsWith('-'))
const unknown = asked.filter((name) => !(name in SUITES))
if (unknown.length > 0) {
  console.error(`no bench called ${unknown.join(', ')}; there are ${Object.keys(SUITES).join(', ')}`)
  process.exit(2)
}

const results: Measured[] = []
const number = (value: number) =>
  value >= 1000 ? Math.round(value).toLocaleString('en') : value.toPrecision(3)

for (const name of asked.length > 0 ? asked : Object.keys(SUITES))
  await SUITES[name]!((measured) => {
    results.push(measured)
    const ratio = measured.ratio === undefined ? '' : `  ratio ${measured.ratio.toFixed(2)}`
    const raw = measured.raw === undefined ? '' : ` (raw ${number(measured.raw)})`
    const target = measured.target === undefined ? '' : `  [${measured.target}]`
    const detail =
      measured.detail === undefined
        ? ''
        : `  {${Object.entries(measured.detail)
            .map(([key, value]) => `${key} ${value}`)
            .join(', ')}}`
    console.log(
      `${measured.name}: ${number(measured.value)} ${measured.unit}${raw}${ratio}${target}${detail}`,
    )
  })

mkdirSync('bench/out', { recursive: true })
const machine = { node: process.version, cpu: cpus()[0]?.model, cores: cpus().length, load: loadavg() }
writeFileSync('bench/out/latest.json', `${JSON.stringify({ at: new Date(), machine, results }, null, 2)}\n`)
