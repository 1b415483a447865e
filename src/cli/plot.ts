import type { Reading } from '../index.ts'

/*
 * The monitor's readings over cycles, as a picture: one panel for each signal, with its threshold, a red mark under
 * each cycle at which it was elevated, and lines through all of them where the first signal rose and where compaction
 * was stopped.
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
const ORANGE = '#e08a2e'
const RED = '#b3182b'
const GREY = '#6f6f6f'
const FAINT = '#e4e4e4'

const PANELS: readonly Panel[] = [
  {
    signal: 1,
    title: 'cited keys that do not resolve',
    lines: [{ name: 'keys', color: BLUE, value: ({ overhang }) => overhang }],
    top: 4,
  },
  {
    signal: 2,
    title: 'hit rates',
    lines: [
      { name: 'self-cited', color: BLUE, value: ({ selfCitedHitRate }) => selfCitedHitRate },
      { name: 'external', color: ORANGE, value: ({ externalCitedHitRate }) => externalCitedHitRate },
    ],
    top: 1,
  },
  {
    signal: 3,
    title: 'part of the context that is there twice',
    lines: [{ name: 'density', color: BLUE, value: ({ duplicateDensity }) => duplicateDensity }],
    threshold: 0.08,
    top: 0.2,
  },
  {
    signal: 4,
    title: 'summaries that cite more than what they replaced',
    lines: [{ name: 'summaries', color: BLUE, value: ({ inflated }) => inflated }],
    top: 4,
  },
  {
    signal: 5,
    title: 'median age in cycles',
    lines: [
      { name: 'rehydrated', color: BLUE, value: ({ rehydratedAge }) => rehydratedAge },
      { name: 'cited', color: ORANGE, value: ({ citedAge }) => citedAge },
    ],
    top: 4,
  },
]

const WIDTH = 900
const LEFT = 64
const RIGHT = 28
const TITLE = 18
const HEIGHT = 84
const GAP = 34
const HEAD = 92
const FOOT = 40
/** Of a letter, about. */
const LETTER = 6.6

const round = (value: number) => Math.round(value * 100) / 100

const escapeXml = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

/** 1, 2 or 5 times a power of ten, not below. */
function niceStep(rough: number): number {
  const power = 10 ** Math.floor(Math.log10(rough))
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= rough * 0.999)!
}

const text = (x: number, y: number, content: string, more = '') =>
  `<text x="${round(x)}" y="${round(y)}"${more}>${content}</text>`

const line = (x1: number, y1: number, x2: number, y2: number, more: string) =>
  `<line x1="${round(x1)}" x2="${round(x2)}" y1="${round(y1)}" y2="${round(y2)}" ${more}/>`

/** An SVG document. */
export function plotReadings(session: string, readings: readonly Reading[]): string {
  const first = readings[0]?.cycle ?? 0
  const last = Math.max(first + 1, readings.at(-1)?.cycle ?? 1)
  const x = (cycle: number) => round(LEFT + ((cycle - first) / (last - first)) * (WIDTH - LEFT - RIGHT))
  const bottom = HEAD + PANELS.length * (TITLE + HEIGHT + GAP) - GAP
  const total = bottom + FOOT
  const step = Math.max(1, niceStep((last - first) / 10))
  const ticks: number[] = []
  for (let cycle = Math.ceil(first / step) * step; cycle <= last; cycle += step) ticks.push(cycle)
  const parts = [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${total}" viewBox="0 0 ${WIDTH} ${total}" font-family="sans-serif" font-size="12">`,
    `<title>${escapeXml(`Signals of session ${session}`)}</title>`,
    `<rect width="${WIDTH}" height="${total}" fill="white"/>`,
    text(LEFT, 24, escapeXml(`Session ${session}, cycles ${first} to ${last}`), ' font-size="15"'),
    ...drawKey(),
    ...ticks.flatMap((cycle) => [
      ...PANELS.map((_, i) => {
        const top = HEAD + i * (TITLE + HEIGHT + GAP) + TITLE
        return line(x(cycle), top, x(cycle), top + HEIGHT, `stroke="${FAINT}"`)
      }),
      text(x(cycle), bottom + 22, String(cycle), ` fill="${GREY}" text-anchor="middle"`),
    ]),
    text(LEFT - 10, bottom + 22, 'cycle', ` fill="${GREY}" text-anchor="end"`),
    ...drawEvents(readings, bottom, x),
    ...PANELS.map((panel, i) => drawPanel(panel, readings, HEAD + i * (TITLE + HEIGHT + GAP), x)),
    '</svg>',
  ]
  return `${parts.join('\n')}\n`
}

/** What the marks mean. */
function drawKey(): string[] {
  const y = 44
  const entries: readonly (readonly [string, (at: number) => string])[] = [
    ['signal elevated', (at) => `<rect x="${at + 8}" y="${y - 8}" width="4" height="7" fill="${RED}"/>`],
    ['threshold', (at) => line(at, y - 4, at + 18, y - 4, `stroke="${RED}" stroke-width="0.8"`)],
    ['first signal', (at) => line(at + 9, y - 11, at + 9, y + 2, `stroke="${GREY}" stroke-dasharray="1 2"`)],
    [
      'compaction stopped',
      (at) => line(at + 9, y - 11, at + 9, y + 2, `stroke="${RED}" stroke-dasharray="4 3"`),
    ],
  ]
  let at = LEFT
  return entries.map(([name, mark]) => {
    const drawn = `${mark(at)}${text(at + 24, y, name, ` fill="${GREY}"`)}`
    at += 24 + name.length * LETTER + 22
    return drawn
  })
}

/** The first signal, and each time the decision became another than to proceed; labels where there is room for them. */
function drawEvents(readings: readonly Reading[], bottom: number, x: (cycle: number) => number): string[] {
  const rise = readings.find(({ elevated }) => elevated.length > 0)
  const stops = readings.filter(
    ({ decision }, i) => decision !== 'proceed' && readings[i - 1]?.decision !== decision,
  )
  const drawn: string[] = []
  const label = (cycle: number, y: number, words: string, color: string, free: number): number => {
    const length = words.length * LETTER
    const middle = Math.min(WIDTH - RIGHT - length / 2, Math.max(LEFT + length / 2, x(cycle)))
    if (middle - length / 2 < free) return free
    drawn.push(text(middle, y, words, ` fill="${color}" text-anchor="middle"`))
    return middle + length / 2 + 8
  }
  if (rise !== undefined) {
    drawn.push(
      line(x(rise.cycle), HEAD - 22, x(rise.cycle), bottom, `stroke="${GREY}" stroke-dasharray="1 2"`),
    )
    label(rise.cycle, HEAD - 26, `signal ${rise.elevated.join(', ')}, cycle ${rise.cycle}`, GREY, 0)
  }
  let free = 0
  for (const { cycle, decision } of stops) {
    drawn.push(line(x(cycle), HEAD - 8, x(cycle), bottom, `stroke="${RED}" stroke-dasharray="4 3"`))
    const words = decision === 'freeze_and_rollback' ? 'roll back' : decision
    free = label(cycle, HEAD - 11, free === 0 ? `${words}, cycle ${cycle}` : String(cycle), RED, free)
  }
  return drawn
}

function drawPanel(
  { signal, title, lines, threshold, top }: Panel,
  readings: readonly Reading[],
  at: number,
  x: (cycle: number) => number,
): string {
  const base = at + TITLE + HEIGHT
  const values = lines.flatMap(({ value }) => readings.flatMap((reading) => value(reading) ?? []))
  const most = Math.max(top, ...values)
  const step = niceStep(most / 4)
  const highest = Math.ceil(round(most / step) - 1e-9) * step
  const y = (value: number) => round(base - (value / highest) * HEIGHT)
  const scale = [0, highest / 2, highest].flatMap((value) => [
    line(LEFT, y(value), WIDTH - RIGHT, y(value), `stroke="${value === 0 ? GREY : FAINT}"`),
    text(LEFT - 8, y(value) + 4, String(round(value)), ` fill="${GREY}" text-anchor="end"`),
  ])
  return [
    text(LEFT, at + 10, `${signal}  ${title}`, ' xml:space="preserve"'),
    ...(lines.length > 1 ? drawNames(lines, at + 10) : []),
    ...scale,
    ...(threshold === undefined
      ? []
      : [line(LEFT, y(threshold), WIDTH - RIGHT, y(threshold), `stroke="${RED}" stroke-width="0.8"`)]),
    ...(values.length > 0
      ? []
      : [
          text(
            (LEFT + WIDTH - RIGHT) / 2,
            base - HEIGHT / 2 + 4,
            'no number',
            ` fill="${GREY}" text-anchor="middle"`,
          ),
        ]),
    // The first on top and thinner: where two run together, both are seen.
    ...lines.map((one, i) => drawLine(readings, one, i === 0 ? 1.5 : 3, x, y).join('\n')).reverse(),
    ...marked(readings, signal).map(
      ([from, to]) =>
        `<rect x="${round(x(from) - 1.5)}" y="${base + 3}" width="${round(x(to) - x(from) + 3)}" height="6" fill="${RED}"/>`,
    ),
  ].join('\n')
}

/** Names of lines at the right, each behind a piece of it. */
function drawNames(lines: readonly Line[], y: number): string[] {
  const width = lines.reduce((sum, { name }) => sum + 24 + name.length * LETTER + 14, -14)
  let at = WIDTH - RIGHT - width
  return lines.map(({ name, color }, i) => {
    const drawn =
      line(at, y - 4, at + 18, y - 4, `stroke="${color}" stroke-width="${i === 0 ? 1.5 : 3}"`) +
      text(at + 24, y, name, ` fill="${GREY}"`)
    at += 24 + name.length * LETTER + 14
    return drawn
  })
}

/** Runs of cycles at which a signal was elevated. */
function marked(readings: readonly Reading[], signal: number): [number, number][] {
  const runs: [number, number][] = []
  let open = false
  for (const { cycle, elevated } of readings) {
    if (!elevated.includes(signal)) open = false
    else if (open) runs.at(-1)![1] = cycle
    else {
      runs.push([cycle, cycle])
      open = true
    }
  }
  return runs
}

/** Readings without a number are gaps, not zeros. */
function drawLine(
  readings: readonly Reading[],
  { value, color }: Line,
  width: number,
  x: (cycle: number) => number,
  y: (value: number) => number,
): string[] {
  const runs: [number, number][][] = [[]]
  for (const reading of readings) {
    const number = value(reading)
    if (number === undefined) runs.push([])
    else runs.at(-1)!.push([x(reading.cycle), y(number)])
  }
  return runs
    .filter((run) => run.length > 0)
    .map((run) =>
      run.length === 1
        ? `<circle cx="${run[0]![0]}" cy="${run[0]![1]}" r="${width}" fill="${color}"/>`
        : `<polyline points="${run.map((point) => point.join(',')).join(' ')}" fill="none" stroke="${color}" stroke-width="${width}" stroke-linejoin="round"/>`,
    )
}
