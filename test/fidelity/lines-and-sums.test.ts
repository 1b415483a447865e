import { describe, expect, test } from 'vitest'
import { checkFidelity } from '../../src/guarantees/fidelity/index.ts'

const verdictOf = (source: string, claim: string) => checkFidelity({ source, claim }).verdict

describe('a line between some and all others', () => {
  test.each([
    ['All services are up except billing.', 'Billing is not up.'],
    ['Everyone has signed apart from the landlord.', 'The landlord has not signed.'],
    ['Apart from Kim and Raj nobody has the door code.', 'Only Kim and Raj have the door code.'],
    ['No one but the owner may rename it.', 'Only the owner may rename it.'],
    ['Only admins can delete projects.', 'Non-admins cannot delete projects.'],
    ['The library is open every day but Sunday.', 'The library is open on Mondays.'],
    ['The exporter runs only on Mondays.', 'The exporter does not run on Tuesdays.'],
  ])('%s → %s', (source, claim) => expect(verdictOf(source, claim)).toBe('faithful'))

  test.each([
    ['All services are up except billing.', 'Billing is up.'],
    ['Everyone has signed apart from the landlord.', 'The landlord has signed.'],
    ['Apart from Kim and Raj nobody has the door code.', 'Everybody has the door code.'],
    ['Apart from Kim and Raj nobody has the door code.', 'Only Kim has the door code.'],
    ['Only admins can delete projects.', 'Editors can delete projects.'],
    ['The library is open every day but Sunday.', 'The library is open on Sundays.'],
    ['All but two of the sensors report.', 'Two sensors report.'],
  ])('%s ↛ %s', (source, claim) => expect(verdictOf(source, claim)).toBe('unfaithful'))
})

describe('numbers that come out of others', () => {
  test.each([
    ['Of the 20 guests, 15 came.', '15 of the 20 guests came.'],
    ['The rent went from 900 to 950 euros.', 'The rent rose by 50 euros.'],
    ['There are three talks, 10 minutes each.', 'The talks take 30 minutes in total.'],
    ['Maintenance lasted from 1:00 to 3:00.', 'Maintenance lasted two hours.'],
    ['The build takes 20 minutes and the tests take 5.', 'The tests take 5 minutes.'],
    ['Bags over 20 kilos cost extra.', 'A 25-kilo bag costs extra.'],
    ['One in ten parcels arrives damaged.', '10% of parcels arrive damaged.'],
    ['The shop opens at half past nine.', 'The shop opens at 9:30.'],
    ['Her contract ends 31/12/2026.', 'Her contract ends on 31 December 2026.'],
  ])('%s → %s', (source, claim) => expect(verdictOf(source, claim)).toBe('faithful'))

  test.each([
    ['There are three talks, 10 minutes each.', 'The talks take 40 minutes in total.'],
    ['Delivery takes 3-5 business days.', 'Delivery takes 3 days.'],
    ['Delivery takes 3-5 business days.', 'Delivery takes at most 4 days.'],
    ['CPU use dropped by 20 percent.', 'CPU use dropped to 20 percent.'],
    ['The rent went from 900 to 950 euros.', 'The rent is still 900 euros.'],
    ['Bags over 20 kilos cost extra.', 'A 15-kilo bag costs extra.'],
    ['The migration took 58 minutes.', 'The migration took more than an hour.'],
  ])('%s ↛ %s', (source, claim) => expect(verdictOf(source, claim)).toBe('unfaithful'))
})

describe('kinds and directions', () => {
  test.each([
    ['The diver has not seen any fish.', 'The diver has not seen any pike.'],
    ['I have never seen a bird.', 'I have never seen a hummingbird.'],
    ['Almost nobody chose tea or ordered cake.', 'Almost nobody ordered cake.'],
    [
      'Less than five of the campers had a sunburn or caught a cold.',
      'Less than five of the campers caught a cold.',
    ],
  ])('%s → %s', (source, claim) => expect(verdictOf(source, claim)).toBe('faithful'))

  test.each([
    ['No alien saw any doves.', 'No alien saw any birds.'],
    ['Exactly 12 visitors played with toy cars.', 'Exactly 12 visitors played with toys.'],
    ['Every road to the left leads to the end of the world.', 'Every road leads to the end of the world.'],
  ])('%s ↛ %s', (source, claim) => expect(verdictOf(source, claim)).toBe('unfaithful'))
})

describe('which way something went', () => {
  test.each([
    ['The wait at the clinic went from 40 minutes to 15.', 'Waiting times at the clinic decreased.'],
    ['Membership went from 300 to 250 last year.', 'Membership did not grow last year.'],
    ['Our quota went from 5 to 8 GB and prices fell.', 'Prices fell.'],
    ['Bake it at 180 degrees or less.', 'Bake it at no more than 180 degrees.'],
    ['Turn it to 5 or lower the blinds.', 'Turn it to 5 or lower the blinds, please.'],
  ])('%s → %s', (source, claim) => expect(verdictOf(source, claim)).toBe('faithful'))

  test.each([
    ['The wait at the clinic went from 40 minutes to 15.', 'Waiting times at the clinic increased.'],
    ['Membership went from 300 to 250 last year.', 'Membership grew last year.'],
    ['The subscription was cut from 20 to 12 euros.', 'The subscription got more expensive.'],
    ['Bake it at 180 degrees or less.', 'Bake it at a minimum of 180 degrees.'],
    ['Groups of 12 people or more get a discount.', 'Only groups of fewer than 12 people get a discount.'],
    ['The board voted for it by seven to two.', 'The board voted for it unanimously.'],
  ])('%s ↛ %s', (source, claim) => expect(verdictOf(source, claim)).toBe('unfaithful'))
})

describe('some told of all', () => {
  test.each([
    ["Invoices under 200 don't need a second signature.", 'No invoice needs a second signature.'],
    ["Bags over 20 kilos aren't accepted.", 'No bags are accepted.'],
    ["Guests with a cold shouldn't visit.", 'No guests should visit.'],
    ['Only paying members may vote.', 'All members may vote.'],
    ['All employees in the Berlin office get a travel card.', 'All employees get a travel card.'],
    [
      'Every sample from the east field failed; in the west field one of twelve did.',
      'All of the samples failed.',
    ],
    ['All children who can swim may join.', 'All children may join.'],
    [
      'The guarantee covers the motor for 5 years and everything else for one.',
      'The guarantee covers everything for five years.',
    ],
    ['Tom brings the salad, everyone else brings wine.', 'Everyone brings wine.'],
  ])('%s ↛ %s', (source, claim) => expect(verdictOf(source, claim)).toBe('unfaithful'))

  test.each([
    ["Invoices don't need a second signature.", 'No invoice needs a second signature.'],
    ["Invoices under 200 don't need a second signature.", 'No invoice under 200 needs a second signature.'],
    ['All members may vote.', 'Every member may vote.'],
    ['All windows on the ground floor have locks.', 'Every ground-floor window has a lock.'],
    ['Everything else is covered for one year.', 'Everything else is covered for a year.'],
  ])('%s → %s', (source, claim) => expect(verdictOf(source, claim)).toBe('faithful'))
})

describe('an hour beyond, or before, another', () => {
  test.each([
    ['Parking is free after 6 pm.', 'You can park for free at 9 pm.'],
    ['The office is staffed until 4 pm.', 'The office is staffed at 2 pm.'],
    ['Calls before 9 am go to voicemail.', 'A call at 8 am goes to voicemail.'],
  ])('%s → %s', (source, claim) => expect(verdictOf(source, claim)).toBe('faithful'))

  test.each([
    ['Parking is free after 6 pm.', 'You can park for free at 5 pm.'],
    ['The office is staffed until 4 pm.', 'The office is staffed at 5 pm.'],
    ['Calls before 9 am go to voicemail.', 'A call at 10 am goes to voicemail.'],
  ])('%s ↛ %s', (source, claim) => expect(verdictOf(source, claim)).toBe('unfaithful'))
})
