import { describe, expect, test } from 'vitest'
import { checkFidelity } from '../../src/guarantees/fidelity/index.ts'

const verdict = (source: string, claim: string) => checkFidelity({ source, claim }).verdict
const hardCodes = (source: string, claim: string) =>
  checkFidelity({ source, claim })
    .reasons.filter(({ severity }) => severity === 'hard')
    .map(({ code }) => code)

describe('what is required is not told as optional', () => {
  const WANTED =
    "Let's pencil in Thursday for the migration, but I want a rollback path ready — don't treat it as optional."

  test.each([
    [WANTED, 'Rollback is not required for the migration.'],
    [WANTED, 'Rollback is optional for the migration.'],
    [WANTED, 'A rollback path is not needed.'],
    [WANTED, 'Rollback can be skipped.'],
    [WANTED, 'There is no need for a rollback path.'],
    [WANTED, 'No rollback path is needed.'],
    ['A backup must be taken before the upgrade.', 'A backup is not required before the upgrade.'],
    ['A second signature is mandatory for refunds.', 'A second signature is optional for refunds.'],
    ['Review is required for hotfixes.', 'Review is not needed for hotfixes.'],
  ])('%s / %s', (source, claim) => {
    expect(verdict(source, claim)).toBe('unfaithful')
    expect(hardCodes(source, claim)).toContain('polarity_flip')
  })

  test.each([
    [WANTED, 'A rollback path must be ready.'],
    [WANTED, 'A rollback path is not optional.'],
    ['A second signature is mandatory for refunds.', 'A second signature is required for refunds.'],
  ])('nor is its own demand refused: %s / %s', (source, claim) => {
    expect(verdict(source, claim)).toBe('faithful')
  })
})

describe('what is not required is not told as required', () => {
  test.each([
    ['Rollback is not required for this release.', 'A rollback path must be ready.'],
    ['Rollback is optional for this release.', 'Rollback is required for this release.'],
    ['A deposit is not needed for members.', 'A deposit is mandatory for members.'],
    ['Approval is not necessary for small purchases.', 'Approval is required for small purchases.'],
  ])('%s / %s', (source, claim) => {
    expect(verdict(source, claim)).toBe('unfaithful')
  })
})

describe('an exception is not left out', () => {
  test.each([
    ['All tests passed except the login test.', 'All tests passed.'],
    ['Everyone signed the contract apart from Tomas.', 'Everyone signed the contract.'],
    ['Every region was migrated with the exception of Frankfurt.', 'Every region was migrated.'],
    ['All tests but one passed.', 'All tests passed.'],
    ['Nobody complained except the tenant upstairs.', 'Nobody complained.'],
  ])('%s / %s', (source, claim) => {
    expect(verdict(source, claim)).toBe('unfaithful')
  })

  test.each([
    ['All tests passed except the login test.', 'All tests passed except the login test.'],
    ['All tests passed except the login test.', 'All tests but the login test passed.'],
    ['All tests passed except the login test.', 'The login test did not pass.'],
  ])('and where it is told, the claim stands: %s / %s', (source, claim) => {
    expect(verdict(source, claim)).toBe('faithful')
  })
})

describe('an answer denies nothing in its own sentence', () => {
  test.each([
    ['No, the old server stays until March.', 'The old server stays until March.'],
    ['Nope, we ship on Friday.', 'We ship on Friday.'],
    ['Yes, the invoice was paid.', 'The invoice was paid.'],
    ['Ana: No, the meeting is on Tuesday.', 'The meeting is on Tuesday.'],
  ])('%s / %s', (source, claim) => {
    expect(verdict(source, claim)).toBe('faithful')
  })

  test.each([
    ['No, the old server does not stay.', 'The old server stays.'],
    ['No server stays until March.', 'The server stays until March.'],
  ])('but a denial does: %s / %s', (source, claim) => {
    expect(verdict(source, claim)).toBe('unfaithful')
  })
})

describe('whole sentences of the source are faithful to it', () => {
  test.each([
    [
      "Don't stop. Don't stop at that part because it matters.",
      "Don't stop at that part because it matters.",
    ],
    [
      "I'd like to show you the agenda, I don't know if it was sent.",
      "I'd like to show you the agenda, I don't know if it was sent.",
    ],
    ['Ben: The disk is full. It has not been cleaned. Call Ana.', 'The disk is full. Call Ana.'],
    [
      'Briefing journalists early is okay if they have agreed in writing.',
      'Briefing journalists early is okay if they have agreed in writing.',
    ],
  ])('%s / %s', (source, claim) => {
    expect(checkFidelity({ source, claim })).toEqual({ verdict: 'faithful', risk: 0, reasons: [] })
  })

  test('half a sentence is no whole one', () => {
    expect(verdict('It is false that the disk is full.', 'The disk is full.')).toBe('unfaithful')
  })
})

describe('parts are not exchanged', () => {
  test.each([
    ['Tomas took over the on-call shift from Marcus.', 'Marcus took over the on-call shift from Tomas.'],
    ['Dana reports to Lee.', 'Lee reports to Dana.'],
    ['Anna bought the car from Ben.', 'Anna sold the car to Ben.'],
    ['The audit comes before the release.', 'The release comes before the audit.'],
    ['The importer is blocked by the parser.', 'The parser is blocked by the importer.'],
    ['Anna sold the car to Ben.', 'Ben sold the car to Anna.'],
    ['Ines handed over the keys to Priya.', 'Priya handed over the keys to Ines.'],
    ['Marcus inherits the flat from Tomas.', 'Tomas inherits the flat from Marcus.'],
  ])('%s / %s', (source, claim) => {
    expect(verdict(source, claim)).toBe('unfaithful')
    expect(hardCodes(source, claim)).toContain('role_swap')
  })
})

test.each([
  ['Anna bought the car from Ben.', 'Ben sold the car to Anna.'],
  ['The parser blocks the importer.', 'The importer is blocked by the parser.'],
])('the same parts seen from the other side are faithful: %s / %s', (source, claim) => {
  expect(verdict(source, claim)).toBe('faithful')
})

describe('two denials are none', () => {
  test.each([
    ["Priya didn't forget to check the migration script.", 'Priya checked the migration script.'],
    ['Our landlord sent the lease.', "Our landlord didn't forget to send the lease."],
    ['The backup never fails to run.', 'The backup runs.'],
  ])('%s / %s', (source, claim) => {
    expect(verdict(source, claim)).toBe('faithful')
  })

  test.each([
    ['Priya forgot to check the migration script.', 'Priya checked the migration script.'],
    ['It is not true that the backup runs.', 'The backup runs.'],
  ])('and one is one: %s / %s', (source, claim) => {
    expect(verdict(source, claim)).toBe('unfaithful')
  })
})
