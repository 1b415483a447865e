import { describe, expect, test } from 'vitest'
import { checkFidelity } from '../../src/guarantees/fidelity/index.ts'

const verdictOf = (source: string, claim: string) => checkFidelity({ source, claim }).verdict

describe('settings are read as what they say', () => {
  test.each([
    ['flags: dark_mode=off, quick_pay=on', 'Quick pay is enabled, while dark mode is disabled.'],
    ['flags: dark_mode=off, quick_pay=on', "Dark mode isn't active."],
    ['flags: dark_mode=off, quick_pay=on', 'Quick pay is switched on.'],
    ['log_level: debug; max_retries: 5', 'There are at most five retries.'],
    ['cache.enabled = false, cache.ttl = 300s', 'The cache is disabled.'],
    ['maxUploadMb=25, allowGuests=false', 'Guests are not allowed.'],
    ['maxUploadMb=25, allowGuests=false', 'The maximum upload is 25 MB.'],
    ['tls_required: yes, port: 5433', 'TLS is required.'],
    ['telemetry: off', 'Telemetry is disabled.'],
  ])('%s → %s', (source, claim) => expect(verdictOf(source, claim)).toBe('faithful'))

  test.each([
    ['flags: dark_mode=off, quick_pay=on', 'Dark mode is turned on and quick pay is turned off.'],
    ['log_level: debug; max_retries: 5', 'The maximum number of retries is 3.'],
    ['cache.enabled = false, cache.ttl = 300s', 'The cache is enabled.'],
    ['maxUploadMb=25, allowGuests=false', 'Guests are allowed.'],
    ['tls_required: yes, port: 5433', 'TLS is optional.'],
    ['telemetry: off', 'Telemetry is on.'],
  ])('%s ↛ %s', (source, claim) => expect(verdictOf(source, claim)).toBe('unfaithful'))

  test('and an answer, or a note, is none', () => {
    expect(verdictOf('User: No, only the docs.', 'Only the docs.')).toBe('faithful')
    expect(verdictOf('Reminder: five people came.', 'Five people came.')).toBe('faithful')
  })
})
