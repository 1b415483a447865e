import { describe, expect, test } from 'vitest'
import { checkFidelity } from '../../src/guarantees/fidelity/index.ts'

const check = (source: string, claim: string) => checkFidelity({ source, claim })
const codes = (source: string, claim: string) =>
  check(source, claim)
    .reasons.filter(({ severity }) => severity === 'hard')
    .map(({ code }) => code)

describe('one amount written in two ways is one amount', () => {
  test.each([
    ['Errors rose by 12%.', 'Errors rose by 12 percent.'],
    ['Errors rose by 12 per cent.', 'Errors rose by 12%.'],
    ['The meeting is at 14:30.', 'The meeting is at 2:30 pm.'],
    ['The meeting is at 2.30pm.', 'The meeting is at 14:30.'],
    ['The call is at 9am.', 'The call is at 09:00.'],
    ['We have 12k users.', 'We have 12,000 users.'],
    ['We have 1.5 million users.', 'We have 1,500,000 users.'],
    ['The budget is $50k.', 'The budget is 50,000 dollars.'],
    ['The budget is USD 500.', 'The budget is $500.'],
    ['We ordered half a dozen chairs.', 'We ordered six chairs.'],
    ['It takes half an hour.', 'It takes 30 minutes.'],
    ['It takes an hour and a half.', 'It takes 90 minutes.'],
    ['It takes one and a half hours.', 'It takes 90 minutes.'],
    ['The limit is 2 GB.', 'The limit is 2048 MB.'],
    ['The limit is 2GB.', 'The limit is 2 GB.'],
    ['The release is on 12 May.', 'The release is on May 12th.'],
    ['It takes 12-15 days.', 'It takes 12 to 15 days.'],
    ['It takes 12 to 15 days.', 'It takes between 12 and 15 days.'],
    ['The timeout is 30 seconds.', 'The timeout is 30s.'],
    ['Backups run three times per week.', 'Backups run three times a week.'],
  ])('%s = %s', (source, claim) => {
    expect(check(source, claim)).toMatchObject({ verdict: 'faithful' })
    expect(check(claim, source)).toMatchObject({ verdict: 'faithful' })
  })
})

describe('another amount is a number mismatch', () => {
  test.each([
    ['Errors rose by 12 per cent.', 'Errors rose by 15%.'],
    ['The meeting is at 14:30.', 'The meeting is at 3:30 pm.'],
    ['The call is at 9 pm.', 'The call is at 9 am.'],
    ['We have 12k users.', 'We have 1,200 users.'],
    ['The budget is $50k.', 'The budget is €50k.'],
    ['The limit is 2GB.', 'The limit is 2TB.'],
    ['It takes an hour and a half.', 'It takes 80 minutes.'],
    ['It takes 12-15 days.', 'It takes 10-15 days.'],
    // Of the same number, counted by another period or over another thing.
    ['Backups run three times per week.', 'Backups run three times per month.'],
    ['Rent is 900 euros per month.', 'Rent is 900 euros per week.'],
    ['The limit is 100 requests per second.', 'The limit is 100 requests per minute.'],
    ['The plan costs 20 euros per seat.', 'The plan costs 20 euros per team.'],
    ['There are 4 cats and 7 dogs.', 'There are 7 cats.'],
    ['We bought four laptops and two monitors.', 'We bought two laptops.'],
    ['There were 40 cats and 70 dogs.', 'There were more cats than dogs.'],
  ])('%s ≠ %s', (source, claim) => {
    expect(check(source, claim).verdict).toBe('unfaithful')
    expect(codes(source, claim)).toContain('number_mismatch')
  })

  test('a range holds a point of it, and no range that moved one end', () => {
    expect(check('The ratio was 86.4.', 'The ratio was between 86 and 87.').verdict).toBe('faithful')
    expect(check('The ratio was 88.4.', 'The ratio was between 86 and 87.').verdict).toBe('unfaithful')
    expect(check('It costs 40 to 60 euros.', 'It costs between 30 and 60 euros.').verdict).toBe('unfaithful')
  })
})

describe('a quantifier stronger than that of the source is a shift', () => {
  test.each([
    ['Almost everyone backed the plan.', 'Everyone backed the plan.'],
    ['Hiring for backend roles is paused.', 'All hiring is paused.'],
    ['She usually takes the train.', 'She always takes the train.'],
    ['She rarely takes the train.', 'She never takes the train.'],
    ['New hires pick between a laptop and a tablet.', 'New hires get both a laptop and a tablet.'],
    ['She codes mostly in Kotlin.', 'She codes only in Kotlin.'],
    ['Search is enabled for the finance workspace only.', 'Search is enabled for every workspace.'],
    ['Half of that is set aside, the rest is free.', 'Most of that is set aside.'],
  ])('%s ≠ %s', (source, claim) => {
    expect(check(source, claim).verdict).toBe('unfaithful')
    expect(codes(source, claim)).toContain('quantifier_shift')
  })

  test('most may rest on a share above a half', () => {
    expect(check('More than half of the jobs failed.', 'Most jobs failed.').verdict).toBe('faithful')
    expect(check('70% of the jobs failed.', 'Most jobs failed.').verdict).toBe('faithful')
  })
})
