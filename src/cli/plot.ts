import type { Reading } from '../index.ts'

/*
 * The monitor's readings over cycles, as a picture: one panel for each signal, a line where a threshold is, a mark
 * where it was elevated, and the cycles at which compaction was stopped.
 */

interface Line {
  readonly name: string
  readonly color: string
  readonly value: (reading: Reading) => number | undefined
}

interface Panel {
  readonly signal: number
  readonly title: string
  readonly lines: readonly Line[]
  readonly threshold?: number
  /** The top of the scale, at least. */
  readonly top: number
}

const BLUE = '#1f5fa8'
const ORANGE = '#c75a00'
const RED = '#b3182b'
const GREY = '#8a8a8a'

const PANELS: readonly Panel[] = [
  {
    signal: 1,
    title: '1  cited keys that do not resolve',
    lines: [{ name: 'keys', color: BLUE, value: ({ overhang }) => overhang }],
    top: 4,
  },
  {
    signal: 2,
    title: '2  hit rates',
    lines: [
      { name: 'self-cited', color: BLUE, value: ({ selfCitedHitRate }) => selfCitedHitRate },
      { name: 'external', color: ORANGE, value: ({ externalCitedHitRate }) => externalCitedHitRate },
    ],
    top: 1,
  },
  {
    signal: 3,
    title: '3  part of the context that is there twice',
    lines: [{ name: 'density', color: BLUE, value: ({ duplicateDensity }) => duplicateDensity }],
    threshold: 0.08,
    top: 0.16,
  },
  {
    signal: 4,
    title: '4  summaries that cite more than before',
    lines: [{ name: 'summaries', color: BLUE, value: ({ inflated }) => inflated }],
    top: 4,
  },
  {
    signal: 5,
    title: '5  median age in cycles',
    lines: [
      { name: 'rehydrated', color: BLUE, value: ({ rehydratedAge }) => rehydratedAge },
      { name: 'cited', color: ORANGE, value: ({ citedAge }) => citedAge },
    ],
    top: 4,
  },
]

const WIDTH = 900
const LEFT = 60
const RIGHT = 20
const HEIGHT = 90
const GAP = 44
const HEAD = 56

const round = (value: number) => Math.round(value * 100) / 100

const escapeXml = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

/** An SVG document. */
export function plotReadings(session: string, readings: readonly Reading[]): string {
  const first = readings[0]?.cycle ?? 0
  const last = Math.max(first + 1, readings.at(-1)?.cycle ?? 1)
  const x = (cycle: number) => round(LEFT + ((cycle - first) / (last - first)) * (WIDTH - LEFT - RIGHT))
  const total = HEAD + PANELS.length * (HEIGHT + GAP)
  const stops = readings.filter(
    ({ decision }, i) => decision !== 'proceed' && readings[i - 1]?.decision !== decision,
  )
  const parts = [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${total}" viewBox="0 0 ${WIDTH} ${total}" font-family="sans-serif" font-size="12">`,
    `<title>${escapeXml(`Signals of session ${session}`)}</title>`,
    `<rect width="${WIDTH}" height="${total}" fill="white"/>`,
    `<text x="${LEFT}" y="24" font-size="15">${escapeXml(`Session ${session}, cycles ${first} to ${last}`)}</text>`,
    ...stops.map(
      ({ cycle, decision }) =>
        `<line x1="${x(cycle)}" x2="${x(cycle)}" y1="${HEAD - 14}" y2="${total - GAP}" stroke="${RED}" stroke-dasharray="4 3"/>` +
        `<text x="${x(cycle) - 4}" y="${HEAD - 18}" fill="${RED}" text-anchor="${x(cycle) > WIDTH / 2 ? 'end' : 'start'}">${decision}, cycle ${cycle}</text>`,
    ),
    ...PANELS.map((panel, i) => drawPanel(panel, readings, HEAD + i * (HEIGHT + GAP), x)),
    `<text x="${LEFT}" y="${total - 12}" fill="${GREY}">cycle ${first}</text>`,
    `<text x="${WIDTH - RIGHT}" y="${total - 12}" fill="${GREY}" text-anchor="end">cycle ${last}</text>`,
    '</svg>',
  ]
  return `${parts.join('\n')}\n`
}

function drawPanel(
  { signal, title, lines, threshold, top }: Panel,
  readings: readonly Reading[],
  at: number,
  x: (cycle: number) => number,
): string {
  const base = at + 16 + HEIGHT
  const values = lines.flatMap(({ value }) => readings.flatMap((reading) => value(reading) ?? []))
  const highest = Math.max(top, ...values)
  const y = (value: number) => round(base - (value / highest) * HEIGHT)
  const legend = lines.map(
    ({ name, color }, i) => `<tspan fill="${color}"${i === 0 ? '' : ' dx="10"'}>${name}</tspan>`,
  )
  return [
    `<text x="${LEFT}" y="${at + 10}">${title}<tspan dx="14"/>${lines.length > 1 ? legend.join('') : ''}</text>`,
    `<line x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${base}" y2="${base}" stroke="${GREY}"/>`,
    `<text x="${LEFT - 6}" y="${base}" fill="${GREY}" text-anchor="end">0</text>`,
    `<text x="${LEFT - 6}" y="${base - HEIGHT + 8}" fill="${GREY}" text-anchor="end">${round(highest)}</text>`,
    ...(threshold === undefined
      ? []
      : [
          `<line x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${y(threshold)}" y2="${y(threshold)}" stroke="${RED}" stroke-width="0.7"/>`,
        ]),
    ...lines.flatMap(({ color, value }) => drawLine(readings, value, color, x, y)),
    ...readings
      .filter(({ elevated }) => elevated.includes(signal))
      .map(({ cycle }) => `<rect x="${x(cycle) - 1.5}" y="${base + 3}" width="3" height="5" fill="${RED}"/>`),
  ].join('\n')
}

/** Readings without a number are gaps, not zeros. */
function drawLine(
  readings: readonly Reading[],
  value: Line['value'],
  color: string,
  x: (cycle: number) => number,
  y: (value: number) => number,
): string[] {
  const runs: string[][] = [[]]
  for (const reading of readings) {
    const number = value(reading)
    if (number === undefined) runs.push([])
    else runs.at(-1)!.push(`${x(reading.cycle)},${y(number)}`)
  }
  return runs
    .filter((run) => run.length > 0)
    .map((run) =>
      run.length === 1
        ? `<circle cx="${run[0]!.split(',')[0]}" cy="${run[0]!.split(',')[1]}" r="1.5" fill="${color}"/>`
        : `<polyline points="${run.join(' ')}" fill="none" stroke="${color}" stroke-width="1.5"/>`,
    )
}
