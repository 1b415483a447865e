import { describe, test } from 'vitest'
import { expectAtLeast, type Floor } from '../../fidelity/floor.ts'
import { publicSet, publicSets } from '../../fidelity/pairs.ts'

const PUBLIC: Readonly<Record<string, Floor>> = {
  agentmem: { balancedAccuracy: 90, auc: 90, falseAlarms: 8 },
  'breaking-nli': { balancedAccuracy: 98, auc: 98.5, falseAlarms: 2.5 },
  'condaqa-edits': { balancedAccuracy: 72, auc: 76, falseAlarms: 25 },
  'fever-sym': { balancedAccuracy: 58, auc: 68.5, falseAlarms: 37.5 },
  gqnli: { balancedAccuracy: 85, auc: 87.5, falseAlarms: 8.5 },
  med: { balancedAccuracy: 88, auc: 88.5, falseAlarms: 13.5 },
  negnli: { balancedAccuracy: 56, auc: 67, falseAlarms: 25.5 },
  scone: { balancedAccuracy: 96.5, auc: 97.5, falseAlarms: 4 },
  semantoneg: { balancedAccuracy: 96, auc: 98, falseAlarms: 1.7, hardAlarms: 1.7 },
  'summedits-doc': { balancedAccuracy: 59, auc: 60.5, falseAlarms: 30 },
  'summedits-span': { balancedAccuracy: 80.5, auc: 84, falseAlarms: 15.5, hardAlarms: 5 },
  tea: { balancedAccuracy: 52, auc: 55, falseAlarms: 8.5 },
  vitaminc: { balancedAccuracy: 60.5, auc: 67, falseAlarms: 51.5 },
}

const present = publicSets()
const where = present.length > 0 ? '' : ' (skipped: ../shared/corpora/fidelity is not there)'

describe.skipIf(present.length === 0)(`public sets${where}`, () => {
  test.each(Object.entries(PUBLIC))('%s is judged as well as it was', (name, floor) => {
    expectAtLeast(publicSet(name), floor)
  })
})
