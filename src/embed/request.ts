import type { Answers } from './answers.ts'
import { aborted, failed, messageOf } from './failure.ts'
import { LONGEST_ASKED_WAIT, retryAfter, Transient } from './retry.ts'

export interface Endpoint {
  readonly url: URL
  readonly model: string
  readonly answers: Answers
  readonly apiKey: string | undefined
  readonly dimensions: number | undefined
  readonly base64: boolean
  readonly headers: Readonly<Record<string, string>>
  readonly timeout: number
  readonly fetch: typeof fetch
}

/** One attempt: one POST, its answer checked. Throws `Transient` where trying again may help. */
export async function requestVectors(
  endpoint: Endpoint,
  input: readonly string[],
  signal: AbortSignal | undefined,
): Promise<Float32Array[]> {
  const { id } = endpoint.answers
  const { status, headers, body } = await post(endpoint, input, signal)
  if (status < 200 || status > 299) throw refused(endpoint, status, headers, body)
  let answer: unknown
  try {
    answer = JSON.parse(body)
  } catch (error) {
    throw failed(
      id,
      `${endpoint.url.origin} answered status ${status} with a body that is no JSON (${excerpt(endpoint, body)}); does the base URL lead to an OpenAI-compatible API? It usually ends in /v1`,
      error,
    )
  }
  const data = (answer as { data?: unknown } | null)?.data
  if (!Array.isArray(data))
    throw failed(id, `${endpoint.url.origin} answered without a list \`data\`: ${excerpt(endpoint, body)}`)
  return endpoint.answers.accept(inOrder(id, data, input.length), input.length)
}

async function post(endpoint: Endpoint, input: readonly string[], signal: AbortSignal | undefined) {
  const { id } = endpoint.answers
  const attempt = new AbortController()
  const onAbort = () => attempt.abort()
  let late = false
  const timer = setTimeout(() => {
    late = true
    attempt.abort()
  }, endpoint.timeout)
  signal?.addEventListener('abort', onAbort, { once: true })
  try {
    const response = await endpoint.fetch(endpoint.url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(endpoint.apiKey === undefined ? {} : { authorization: `Bearer ${endpoint.apiKey}` }),
        ...endpoint.headers,
      },
      body: JSON.stringify({
        model: endpoint.model,
        input,
        ...(endpoint.dimensions === undefined ? {} : { dimensions: endpoint.dimensions }),
        ...(endpoint.base64 ? { encoding_format: 'base64' } : {}),
      }),
      // Followed, a POST would become a GET.
      redirect: 'manual',
      signal: attempt.signal,
    })
    return { status: response.status, headers: response.headers, body: await response.text() }
  } catch (error) {
    if (signal?.aborted) throw aborted(signal)
    if (late)
      throw new Transient(
        failed(
          id,
          `no answer from ${endpoint.url.origin} within ${endpoint.timeout} ms; send less at once (\`batch\`) or raise \`timeout\``,
          error,
        ),
      )
    throw new Transient(
      failed(
        id,
        `${endpoint.url.origin} cannot be reached (${networkReason(error)}); is the server running?`,
        error,
      ),
    )
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', onAbort)
  }
}

/** fetch says only "fetch failed"; what failed is in its cause. */
function networkReason(error: unknown): string {
  const { cause } = error as { cause?: { code?: unknown; message?: unknown } }
  return String(cause?.code ?? cause?.message ?? messageOf(error))
}

function refused(endpoint: Endpoint, status: number, headers: Headers, body: string): Error {
  const asked = retryAfter(headers, Date.now())
  const failure = failed(
    endpoint.answers.id,
    `${endpoint.url.origin} answered status ${status} (${excerpt(endpoint, body)}); ${adviceFor(status, asked)}`,
  )
  // OpenAI's word for an empty account, which no patience fills.
  const passes = status === 408 || status === 429 || status >= 500
  return passes && !body.includes('insufficient_quota') ? new Transient(failure, asked) : failure
}

function adviceFor(status: number, asked: number | undefined): string {
  if (status < 400) return 'the address has moved: change the base URL'
  if (status === 401 || status === 403) return 'check `apiKey`'
  if (status === 404 || status === 405)
    return 'check the base URL (it usually ends in /v1) and that the server has this model'
  if (status === 413) return 'send less at once: lower `batch`, or cut smaller chunks'
  if (status === 429)
    return (asked ?? 0) > LONGEST_ASKED_WAIT
      ? `it asks to wait ${Math.ceil(asked! / 1000)} s: the quota is used up`
      : 'lower `concurrency` or `batch`, or check the quota'
  if (status === 408 || status >= 500) return 'it was asked again in vain; look at its log'
  return 'a text may be longer than the model takes (cut smaller chunks), or the model does not know a parameter'
}

/** What the server says, short, and never with the key in it. */
function excerpt(endpoint: Endpoint, body: string): string {
  let text = body
  try {
    const { error, message } = JSON.parse(body)
    text = String(error?.message ?? (typeof error === 'string' ? error : message) ?? body)
  } catch {
    // Not JSON: as it is.
  }
  if (endpoint.apiKey !== undefined) text = text.replaceAll(endpoint.apiKey, '[key]')
  text = text.replace(/\s+/g, ' ').trim()
  if (text === '') return 'an empty body'
  return text.length > 300 ? `${text.slice(0, 299)}…` : text
}

/** The vectors by `index`. Servers that leave it out answer in the order of the texts. */
function inOrder(id: string, data: readonly unknown[], texts: number): unknown[] {
  const items = data.map((item) => (item ?? {}) as { index?: unknown; embedding?: unknown })
  const vectors = items.map(({ embedding }) =>
    typeof embedding === 'string' ? decode(id, embedding) : embedding,
  )
  if (items.length !== texts || items.every(({ index }) => index === undefined)) return vectors
  const ordered = new Array<unknown>(vectors.length).fill(undefined)
  items.forEach(({ index }, i) => {
    if (typeof index !== 'number' || !Number.isInteger(index) || !(index >= 0 && index < vectors.length))
      throw failed(id, `answered ${vectors.length} vectors, one with the index ${JSON.stringify(index)}`)
    if (ordered[index] !== undefined) throw failed(id, `answered two vectors with the index ${index}`)
    ordered[index] = vectors[i]
  })
  return ordered
}

/** Little-endian float32, as OpenAI sends it. */
function decode(id: string, base64: string): Float32Array {
  const bytes = Buffer.from(base64, 'base64')
  if (bytes.length === 0 || bytes.length % 4 !== 0)
    throw failed(id, `answered a base64 vector of ${bytes.length} bytes, which are no float32 numbers`)
  const vector = new Float32Array(bytes.length / 4)
  for (let i = 0; i < vector.length; i++) vector[i] = bytes.readFloatLE(i * 4)
  return vector
}
