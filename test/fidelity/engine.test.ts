import { describe, expect, test } from 'vitest'
import { checkFidelity, judgeFidelity } from '../../src/guarantees/fidelity/index.ts'

const hardCodes = (source: string, claim: string) =>
  checkFidelity({ source, claim })
    .reasons.filter(({ severity }) => severity === 'hard')
    .map(({ code }) => code)

const verdict = (source: string, claim: string, context?: string) =>
  checkFidelity({ source, claim, context }).verdict

const PENCILLED =
  "Let's pencil in Thursday for the migration, but I want a rollback path ready — don't treat it as optional."
const INVERTED = 'User confirmed the migration window is Thursday and that rollback is not required.'

describe('the summary that inverted its source', () => {
  const { verdict, reasons } = checkFidelity({ source: PENCILLED, claim: INVERTED })

  test('is unfaithful, for its certainty and for its negation', () => {
    expect(verdict).toBe('unfaithful')
    expect(reasons.filter(({ severity }) => severity === 'hard').map(({ code }) => code)).toEqual([
      'polarity_flip',
      'modality_upgrade',
    ])
  })

  test('each reason points at the words on both sides', () => {
    const cited = reasons
      .filter(({ severity }) => severity === 'hard')
      .map(({ sourceRange: s, claimRange: c }) => [
        PENCILLED.slice(s.start, s.end),
        INVERTED.slice(c.start, c.end),
      ])
    expect(cited).toEqual([
      ["n't treat it as optional", 'not required'],
      ['pencil in', 'confirmed'],
    ])
  })

  test('a summary that keeps the hedge and the demand is faithful', () => {
    expect(
      verdictOf('The user tentatively scheduled the migration for Thursday and requires a rollback path.'),
    ).toBe('faithful')
  })

  const verdictOf = (claim: string) => checkFidelity({ source: PENCILLED, claim }).verdict
})

describe('negation', () => {
  test.each([
    ["Ana hasn't signed the contract yet.", 'The contract has not yet been signed by Ana.'],
    ['We no longer support Node 16.', 'Support for Node 16 has been dropped.'],
    ['We failed to reproduce the bug on Linux.', 'The bug could not be reproduced on Linux.'],
    ['He refused to grant write access to the bot.', 'He did not give the bot write access.'],
    ['The endpoint is unsafe.', 'The endpoint is not safe.'],
    ["That's not a bad idea.", "That's a good idea."],
    ['Access to prod is denied for contractors.', 'Contractors are not allowed to access prod.'],
    ['Nobody has approved the change request.', 'The change request has not been approved.'],
  ])('%s → %s', (source, claim) => {
    expect(verdict(source, claim)).toBe('faithful')
  })

  test.each([
    ["Ana hasn't signed the contract yet.", 'Ana has signed the contract.'],
    ['We no longer support Node 16.', 'Node 16 is still supported.'],
    ['We failed to reproduce the bug on Linux.', 'We reproduced the bug on Linux.'],
    ['He refused to grant write access to the bot.', 'He agreed to grant write access to the bot.'],
    ['Run the job without the cache.', 'The job should be run with the cache.'],
    ["That's not a bad idea.", "That's a bad idea."],
    ['Refund to her card, not store credit.', 'Refund to store credit.'],
    ['The statement that the server is down is false.', 'The server is down.'],
  ])('%s ↛ %s', (source, claim) => {
    expect(hardCodes(source, claim)).toContain('polarity_flip')
  })
})

describe('quantifiers', () => {
  test.each([
    ['None of the candidates had Rust experience.', 'No candidate had Rust experience.'],
    ['Not all of the backups were encrypted.', 'Some backups were unencrypted.'],
    ['All nodes are healthy.', 'Most nodes are healthy.'],
  ])('%s → %s', (source, claim) => {
    expect(verdict(source, claim)).toBe('faithful')
  })

  test.each([
    ['Not all of the backups were encrypted.', 'All of the backups were encrypted.'],
    ['Most nodes are healthy.', 'All nodes are healthy.'],
    ['Few customers use the legacy export.', 'Many customers use the legacy export.'],
    ['Almost everyone backed option B.', 'Everyone backed option B.'],
  ])('%s ↛ %s', (source, claim) => {
    expect(hardCodes(source, claim)).toContain('quantifier_shift')
  })
})

describe('certainty, obligation, conditions', () => {
  test.each([
    ["We're considering switching to Kafka.", 'The team has decided to switch to Kafka.', 'modality_upgrade'],
    ["Let's raise the timeout to 45 seconds.", 'The timeout was raised to 45 seconds.', 'modality_upgrade'],
    [
      'Sofia promised to review the threat model.',
      'Sofia has reviewed the threat model.',
      'modality_upgrade',
    ],
    ['I used to work at a bank.', 'The user works at a bank.', 'modality_upgrade'],
    ['2FA is mandatory for the finance group.', '2FA is optional for the finance group.', 'polarity_flip'],
    [
      "If the vendor agrees, we'll sign in June.",
      'The contract will be signed in June.',
      'condition_dropped',
    ],
  ])('%s ↛ %s', (source, claim, code) => {
    expect(hardCodes(source, claim)).toContain(code)
  })

  test.each([
    ["We're considering switching to Kafka.", 'Switching to Kafka is under consideration.'],
    ['2FA is mandatory for the finance group.', '2FA is not optional for the finance group.'],
    ["If the vendor agrees, we'll sign in June.", 'Signing in June depends on the vendor agreeing.'],
    ['You must wear a badge in the lab.', 'Wearing a badge in the lab is required.'],
    ["There's no need to migrate the archive table.", 'The archive table need not be migrated.'],
    [
      'Do not restart the primary before the replica has caught up.',
      'Restart the primary only after the replica has caught up.',
    ],
  ])('%s → %s', (source, claim) => {
    expect(verdict(source, claim)).toBe('faithful')
  })
})

describe('numbers', () => {
  test.each([
    ['The budget is $12,500 for Q3.', 'The Q3 budget is 12.5k dollars.'],
    [
      'The patient should take at most 40 mg of simvastatin per day.',
      'Simvastatin must not exceed 40 mg daily.',
    ],
    ['The rollback lasted 45 minutes.', 'The rollback lasted three quarters of an hour.'],
    ['The limit is 2 GB.', 'The limit is 2048 MB.'],
    ['Two of the five nodes are down.', 'Three of the five nodes are still up.'],
    ['p95 fell to 95 ms.', 'p95 is below 100 ms.'],
    ['The change goes live on 5 June.', 'The change goes live on June 5th.'],
    ['We have $40k left. Half of that is for training.', 'About $20,000 is for training.'],
  ])('%s → %s', (source, claim) => {
    expect(verdict(source, claim)).toBe('faithful')
  })

  test.each([
    ['The budget is $12,500 for Q3.', 'The Q3 budget is $15,200.'],
    ['Retry with a 30 second backoff.', 'Retry with a 30 minute backoff.'],
    ['The dose is at most 40 mg.', 'The dose is at least 40 mg.'],
    ['Two of the five nodes are down.', 'Five of the nodes are down.'],
    ['Latency dropped from 420 ms to 180 ms.', 'Latency dropped from 180 ms to 420 ms.'],
    ['The demo is on Tuesday.', 'The demo is on Thursday.'],
    ['The freeze starts Friday and lifts Monday.', 'The freeze begins Monday.'],
  ])('%s ↛ %s', (source, claim) => {
    expect(hardCodes(source, claim)).toContain('number_mismatch')
  })
})

describe('names and parts', () => {
  test.each([
    ['The service runs on Heroku.', 'The service runs on Netlify.', 'entity_mismatch'],
    [
      'Priya will own billing and Marcus will own the audit log.',
      'Priya will own the audit log.',
      'entity_mismatch',
    ],
    ['Ana approved the request of Ben.', 'Ben approved Ana.', 'role_swap'],
  ])('%s ↛ %s', (source, claim, code) => {
    expect(hardCodes(source, claim)).toContain(code)
  })

  test('a passive keeps who does what', () => {
    expect(verdict('Ana approved the request.', 'The request was approved by Ana.')).toBe('faithful')
  })
})

describe('generalising', () => {
  test.each([
    ['The man owns a spaniel.', 'The man owns a dog.'],
    ['The man does not own a dog.', 'The man does not own a spaniel.'],
    ['It is a lie that the man does not own a spaniel.', 'It is a lie that the man does not own a dog.'],
    ['We never deploy on Fridays.', 'We never deploy new services on Fridays.'],
  ])('%s → %s', (source, claim) => {
    expect(verdict(source, claim)).toBe('faithful')
  })

  test.each([
    ['The man owns a dog.', 'The man owns a spaniel.'],
    ['The man does not own a spaniel.', 'The man does not own a dog.'],
    ['We never deploy new services on Fridays.', 'We never deploy services on Fridays.'],
    ['The man wears a red hat.', 'The man wears a green hat.'],
  ])('%s ↛ %s', (source, claim) => {
    const { verdict, reasons } = checkFidelity({ source, claim })
    expect(verdict).toBe('unfaithful')
    expect(reasons.map(({ code, severity }) => `${code} ${severity}`)).toEqual(['unsupported soft'])
  })
})

describe('the answer', () => {
  test('abstains where nothing of the claim is in the source', () => {
    expect(verdict('The build is green.', 'Lunch tasted wonderful.')).toBe('abstain')
  })

  test('is the same for the same pair', () => {
    const pair = { source: PENCILLED, claim: INVERTED }
    expect(JSON.stringify(checkFidelity(pair))).toBe(JSON.stringify(checkFidelity(pair)))
  })

  test('survives texts without words', () => {
    for (const text of ['', ' ', '…', '?!', '👍', '--- ---', "'''", 'a'.repeat(5000)])
      expect(checkFidelity({ source: text, claim: text }).reasons).toEqual([])
  })

  test('a name known from earlier turns may stand for a pronoun, not for anything else', () => {
    const pair = ['He will send the invoice on Monday.', 'Marcus will send the invoice on Monday.'] as const
    const named = checkFidelity({ source: pair[0], claim: pair[1], context: 'Marcus: I am on it.' })
    const unnamed = checkFidelity({ source: pair[0], claim: pair[1] })
    expect(named.risk).toBeLessThan(unnamed.risk)
    expect(
      verdict('The invoice goes out on Monday.', 'The invoice goes out on Tuesday.', 'Tuesday works.'),
    ).toBe('unfaithful')
  })

  test('a second opinion is asked only on abstention, and keeps the reasons', async () => {
    const asked: string[] = []
    const opinion = async ({ claim }: { claim: string }) => {
      asked.push(claim)
      return 'unfaithful' as const
    }
    const unsure = { source: 'The build is green.', claim: 'Lunch tasted wonderful.' }
    expect((await judgeFidelity(unsure, opinion)).verdict).toBe('unfaithful')
    expect((await judgeFidelity(unsure)).verdict).toBe('abstain')
    expect((await judgeFidelity({ source: PENCILLED, claim: INVERTED }, opinion)).verdict).toBe('unfaithful')
    expect(asked).toEqual([unsure.claim])
  })
})
