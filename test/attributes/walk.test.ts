import { expect, test } from 'vitest'
import { openAttributes } from '../../src/attributes/database.ts'
import { unpackIds } from '../../src/attributes/ids.ts'
import { type Place, Postings, walk } from '../../src/attributes/postings.ts'

test('a walk through postings meets each once, and no step holds many more spans than it may', async () => {
  const { connection } = openAttributes('store', undefined)
  const postings = new Postings()
  const given = new Set<string>()
  for (let id = 1; id <= 3_000; id++) {
    postings.add(id, JSON.stringify({ rare: id % 997, common: id % 3, same: true }))
    for (const entry of [`rare ${id % 997}`, `common ${id % 3}`, 'same']) given.add(`${entry}: ${id}`)
  }
  await postings.write(connection, 1, async () => {})
  const paths = new Map(connection.rows<[number, string]>('SELECT id, path FROM attribute_field'))
  const met: string[] = []
  let steps = 0
  for (let at: Place | undefined; ; steps++) {
    const { rows, last } = walk(connection, 1, at, 400)
    const spans = rows.map(([, , , first, packed]) => (packed === null ? [first] : [...unpackIds(packed)]))
    expect(spans.slice(0, -1).flat().length).toBeLessThan(400)
    rows.forEach(([field, , value], i) => {
      const name = (JSON.parse(paths.get(field)!) as string[])[0]
      for (const id of spans[i]!) met.push(name === 'same' ? `same: ${id}` : `${name} ${value}: ${id}`)
    })
    if (last === undefined) break
    at = last
  }
  expect(steps).toBeGreaterThan(10)
  expect(met).toHaveLength(given.size)
  expect(new Set(met)).toEqual(given)
  connection.db.close()
})
