import type { QuantityKind } from './quantities.ts'

/** Units, scales and number words: what a number may be written with. */

/** Kind and size of a unit, in the base unit of its kind. */
export const UNITS = new Map<string, readonly [QuantityKind, number, string]>()
const define = (kind: QuantityKind, table: string) => {
  for (const entry of table.split(',')) {
    const [names, factor] = entry.trim().split('=') as [string, string]
    for (const name of names.split(' ')) UNITS.set(name, [kind, Number(factor), ''])
  }
}
define(
  'duration',
  'ms msec msecs millisecond milliseconds=0.001,µs us microsecond microseconds=0.000001,s sec secs second seconds=1,min mins minute minutes=60,h hr hrs hour hours=3600,d day days=86400,week weeks wk wks=604800,fortnight=1209600,month months=2629800,quarter quarters=7889400,year years yr yrs=31557600,decade decades=315576000',
)
define(
  'bytes',
  'b byte bytes=1,kb kib kilobyte kilobytes=1024,mb mib megabyte megabytes=1048576,gb gib gig gigs gigabyte gigabytes=1073741824,tb tib terabyte terabytes=1099511627776',
)
define(
  'length',
  'mm millimeter millimeters=0.001,cm centimeter centimeters=0.01,meter meters metre metres=1,km kilometer kilometers kilometre kilometres=1000,inch inches=0.0254,foot feet ft=0.3048,mile miles=1609.344,yard yards=0.9144',
)
define(
  'mass',
  'mg milligram milligrams=0.001,gram grams=1,kg kilo kilos kilogram kilograms=1000,lb lbs pound pounds=453.592,tonne tonnes=1000000',
)
define('share', '% percent pct=0.01')

export const CURRENCIES: Readonly<Record<string, string>> = {
  $: 'usd',
  dollar: 'usd',
  dollars: 'usd',
  usd: 'usd',
  bucks: 'usd',
  '€': 'eur',
  euro: 'eur',
  euros: 'eur',
  eur: 'eur',
  '£': 'gbp',
  gbp: 'gbp',
  '¥': 'jpy',
  yen: 'jpy',
  cents: 'cent',
}
export const SCALES: Readonly<Record<string, number>> = {
  hundred: 100,
  thousand: 1e3,
  k: 1e3,
  grand: 1e3,
  million: 1e6,
  m: 1e6,
  mn: 1e6,
  mm: 1e6,
  billion: 1e9,
  bn: 1e9,
  trillion: 1e12,
  dozen: 12,
}
export const ONES: Readonly<Record<string, number>> = {
  zero: 0,
  one: 1,
  two: 2,
  three: 3,
  four: 4,
  five: 5,
  six: 6,
  seven: 7,
  eight: 8,
  nine: 9,
  ten: 10,
  eleven: 11,
  twelve: 12,
  thirteen: 13,
  fourteen: 14,
  fifteen: 15,
  sixteen: 16,
  seventeen: 17,
  eighteen: 18,
  nineteen: 19,
  twenty: 20,
  thirty: 30,
  forty: 40,
  fifty: 50,
  sixty: 60,
  seventy: 70,
  eighty: 80,
  ninety: 90,
  dozen: 12,
  hundred: 100,
  thousand: 1000,
  million: 1e6,
}
export const TIMES: Readonly<Record<string, number>> = { once: 1, twice: 2, thrice: 3 }
export const ORDINALS: Readonly<Record<string, number>> = {
  first: 1,
  second: 2,
  third: 3,
  fourth: 4,
  fifth: 5,
  sixth: 6,
  seventh: 7,
  eighth: 8,
  ninth: 9,
  tenth: 10,
  eleventh: 11,
  twelfth: 12,
  thirteenth: 13,
  fourteenth: 14,
  fifteenth: 15,
  sixteenth: 16,
  seventeenth: 17,
  eighteenth: 18,
  nineteenth: 19,
  twentieth: 20,
  last: -1,
  final: -1,
}
export const FRACTIONS: Readonly<Record<string, number>> = {
  half: 0.5,
  halves: 0.5,
  third: 1 / 3,
  thirds: 1 / 3,
  quarter: 0.25,
  quarters: 0.25,
  fourth: 0.25,
  fourths: 0.25,
  fifth: 0.2,
  fifths: 0.2,
  sixth: 1 / 6,
  tenth: 0.1,
  tenths: 0.1,
}
