import { describe, test } from 'vitest'
import { expectAtLeast, type Floor } from '../../fidelity/floor.ts'
import { publicSet, publicSets } from '../../fidelity/pairs.ts'

const PUBLIC: Readonly<Record<string, Floor>> = {
  agentmem: { balancedAccuracy: 90, auc: 90, falseAlarms: 8 },
  'breaking-nli': { balancedAccuracy: 98, auc: 98.5, falseAlarms: 2.5 },
  'condaqa-edits': { balancedAccuracy: 71, auc: 73, falseAlarms: 27.5 },
  'fever-sym': { balancedAccuracy: 58.5, auc: 69, falseAlarms: 37.5 },
  gqnli: { balancedAccuracy: 83.5, auc: 86.5, falseAlarms: 11 },
  med: { balancedAccuracy: 88, auc: 88.5, falseAlarms: 13.5 },
  negnli: { balancedAccuracy: 58, auc: 68.5, falseAlarms: 29 },
  scone: { balancedAccuracy: 96.5, auc: 97.5, falseAlarms: 4 },
  semantoneg: { balancedAccuracy: 95.5, auc: 97.5, falseAlarms: 2.5, hardAlarms: 2.5 },
  'summedits-doc': { balancedAccuracy: 57.5, auc: 59.5, falseAlarms: 30 },
  'summedits-span': { balancedAccuracy: 80.5, auc: 84, falseAlarms: 15.5, hardAlarms: 5 },
  tea: { balancedAccuracy: 48.5, auc: 50.5, falseAlarms: 7 },
  vitaminc: { balancedAccuracy: 60.5, auc: 66, falseAlarms: 49 },
}

const present = publicSets()
const where = present.length > 0 ? '' : ' (skipped: ../shared/corpora/fidelity is not there)'

describe.skipIf(present.length === 0)(`public sets${where}`, () => {
  test.each(Object.entries(PUBLIC))('%s is judged as well as it was', (name, floor) => {
    expectAtLeast(publicSet(name), floor)
  })
})
