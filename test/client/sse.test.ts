import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Message, MessageParser } from '../../src/client/sse.ts'

const encoder = new TextEncoder()

function parsed(text: string, cuts: readonly number[] = []): Message[] {
  const bytes = encoder.encode(text)
  const parser = new MessageParser()
  const edges = [
    0,
    ...[...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b),
    bytes.length,
  ]
  return edges.slice(1).flatMap((end, i) => [...parser.feed(bytes.subarray(edges[i], end))])
}

const message = (data: string | undefined, more: Partial<Message> = {}): Message => ({
  event: 'message',
  data,
  id: undefined,
  ...more,
})

describe('a stream of Server-Sent Events', () => {
  test.each<[string, string, Message[]]>([
    ['one line', 'data: a\n\n', [message('a')]],
    ['several lines', 'data: a\ndata:b\ndata\ndata:  c\n\n', [message('a\nb\n\n c')]],
    ['a name and an id', 'event: end\nid: 7\ndata: a\n\n', [message('a', { event: 'end', id: '7' })]],
    ['an id alone', 'id: 7\n\n', [message(undefined, { id: '7' })]],
    [
      'a name that does not last',
      'event: x\ndata: a\n\ndata: b\n\n',
      [message('a', { event: 'x' }), message('b')],
    ],
    ['comments and what it does not know', ': hm\nretry: 10\ncolour: red\ndata: a\n\n: \n\n', [message('a')]],
    ['every end of line', 'data: a\r\ndata: b\rdata: c\n\r\ndata: d\r\r', [message('a\nb\nc'), message('d')]],
    ['an id with a null is none', 'id: a\0b\ndata: a\n\n', [message('a')]],
    ['nothing that was not finished', 'data: a\n\ndata: b\n', [message('a')]],
    ['letters of several bytes', 'data: 鷺 🦦\n\n', [message('鷺 🦦')]],
  ])('is taken apart: %s', (_, text, messages) => {
    // The last line end of a stream may be half of one, so that another follows.
    expect(parsed(`${text}:\n`)).toEqual(messages)
  })

  test('is the same whatever the chunks it comes in', () => {
    const line = fc.constantFrom(
      'data: 鷺',
      'data: 🦦',
      'id: 1',
      'event: end',
      ': ',
      '',
      'data',
      'data: {"a":"\\n"}',
    )
    const end = fc.constantFrom('\n', '\r', '\r\n')
    fc.assert(
      fc.property(fc.array(fc.tuple(line, end)), fc.array(fc.nat()), (lines, cuts) => {
        const text = `${lines.map(([one, after]) => one + after).join('')}:\n`
        expect(parsed(text, cuts)).toEqual(parsed(text))
      }),
    )
  })
})
