import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { turns, turnsFromMessages } from '../../src/chunking/index.ts'
import { expectPromises, prose } from './promises.ts'

const speakers = (text: string) =>
  turns()
    .chunk(text)
    .map((chunk) => chunk.metadata?.speaker)

describe('turns', () => {
  it('makes one chunk of each turn, with its speaker', () => {
    const text = 'Meeting of May\n\nAnna Berg: hello\nall of you\n\n\nBEN: Yes.\nAnna Berg: Yes.\n'
    expect(turns().chunk(text)).toEqual([
      { start: 0, end: 14, text: 'Meeting of May' },
      { start: 16, end: 43, text: 'Anna Berg: hello\nall of you', metadata: { speaker: 'Anna Berg' } },
      { start: 46, end: 55, text: 'BEN: Yes.', metadata: { speaker: 'BEN' } },
      { start: 56, end: 71, text: 'Anna Berg: Yes.', metadata: { speaker: 'Anna Berg' } },
    ])
  })

  it('accepts exactly the forms it documents', () => {
    const accepted = {
      'Anna Berg: text': 'Anna Berg',
      'Anna Berg:': 'Anna Berg',
      'SPEAKER_00: text': 'SPEAKER_00',
      'user: text': 'user',
      'Anna Berg (00:12): text': 'Anna Berg',
      'The Chair (Hon. A. Rota (Nipissing, Lib.)): text': 'The Chair',
      '[00:12:31] Anna: text': 'Anna',
      '00:12 Anna: text': 'Anna',
      '**User:** text': 'User',
      '**User**: text': 'User',
      '### Assistant': 'Assistant',
      '## Anna Berg:': 'Anna Berg',
      '田中：はい': '田中',
      "O'Neil Jr.: no": "O'Neil Jr.",
      'Speaker 1: a': 'Speaker 1',
      "Chris d'Entremont: a": "Chris d'Entremont",
      'Anna van der Berg: a': 'Anna van der Berg',
    }
    for (const [line, speaker] of Object.entries(accepted))
      expect(speakers(`${line}\n`), line).toEqual([speaker])
    const refused = [
      'the reason is: x',
      'https://example.org',
      '  Anna: x',
      '### Introduction',
      'a:b',
      '12: x',
      ': x',
    ]
    refused.push(
      '**bold** text',
      `${'Very '.repeat(6)}Long: x`,
      '**User** text',
      'What? Anna: x',
      'de la: x',
      '####### User',
    )
    for (const line of refused) expect(speakers(line), line).toEqual([undefined])
  })

  it('takes nothing inside a closed fence for a turn, and goes on when a fence is never closed', () => {
    expect(speakers('User: a\n```\nError: x\n```\nAssistant: b')).toEqual(['User', 'Assistant'])
    expect(speakers('User: a\n```\nError: x\n~~~\nAssistant: b')).toEqual(['User', 'Error', 'Assistant'])
  })

  it('cuts a turn longer than max, each part with its speaker, and never joins turns', () => {
    const text = `Anna: ${prose(900)}\n\n${prose(300, 4)}\nBen: Yes.\nAnna: Yes.`
    const chunks = expectPromises(turns({ max: 300 }), text, 300)
    expect(chunks.slice(-2).map((c) => c.text)).toEqual(['Ben: Yes.', 'Anna: Yes.'])
    expect(new Set(chunks.slice(0, -2).map((c) => c.metadata?.speaker))).toEqual(new Set(['Anna']))
  })

  it('an appended turn leaves all chunks before it as they were', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('Yes.', 'No.', prose(400), 'one\n\ntwo'), { minLength: 1 }),
        (said) => {
          const text = said.map((one, i) => `${i % 2 ? 'Ben' : 'Anna'}: ${one}`).join('\n')
          const before = turns({ max: 200 }).chunk(text)
          expect(turns({ max: 200 }).chunk(`${text}\nCem: more`).slice(0, -1)).toEqual(before)
        },
      ),
    )
  })
})

describe('turnsFromMessages', () => {
  it('reads the common shapes of chat transcripts', () => {
    expect(
      turnsFromMessages([
        { role: 'user', content: 'Hello' },
        {
          role: 'assistant',
          content: [{ type: 'text', text: 'One' }, { type: 'image' }, { type: 'text', text: 'Two' }],
        },
        { speaker: 'Grad E', content: 'I guess .' },
        { author: 'Ben', text: 'Hi' },
        { role: 'user', name: 'carla', text: ['a', 'b'] },
      ]),
    ).toEqual([
      { text: 'Hello', metadata: { speaker: 'user' } },
      { text: 'One\n\nTwo', metadata: { speaker: 'assistant' } },
      { text: 'I guess .', metadata: { speaker: 'Grad E' } },
      { text: 'Hi', metadata: { speaker: 'Ben' } },
      { text: 'a\n\nb', metadata: { speaker: 'carla' } },
    ])
  })

  it('leaves out messages without text', () => {
    const call = { role: 'assistant', content: null, tool_calls: [{}] }
    expect(turnsFromMessages([call, { role: 'tool', content: ' ' }, { role: 'user' }])).toEqual([])
  })

  it('names the message that it cannot read', () => {
    const failing: [unknown, string][] = [
      [{ content: 'x' }, 'messages[1]'],
      [null, 'messages[1]'],
      [{ role: 'user', content: 7 }, 'messages[1].content'],
      [{ role: 'user', content: [7] }, 'messages[1].content[0]'],
    ]
    for (const [message, path] of failing) {
      expect(() => turnsFromMessages([{ role: 'user', content: 'a' }, message as never])).toThrow(
        expect.objectContaining({ code: 'INVALID_ARGUMENT', detail: expect.objectContaining({ path }) }),
      )
    }
  })
})
