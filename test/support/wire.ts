// A client that writes raw bytes, which no HTTP library would send.
import { once } from 'node:events';
import { connect } from 'node:net';

interface Options {
  /** Disconnects when the bytes are sent: normally, or with a reset. */
  readonly hangUp?: 'end' | 'reset';
}

/** Sends bytes in one piece, one character for each byte. Returns everything until the other side closes. */
export async function sendBytes(port: number, bytes: string, { hangUp }: Options = {}): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  let received = '';
  socket.setEncoding('latin1').on('data', (text: string) => {
    received += text;
  });
  // A reset after the answer is an end too.
  socket.on('error', () => {});
  await once(socket, 'connect');
  await new Promise((sent) => socket.write(bytes, 'latin1', sent));
  const closed = once(socket, 'close');
  if (hangUp === 'end') socket.destroySoon();
  if (hangUp === 'reset') socket.resetAndDestroy();
  await closed;
  return received;
}

/** The answers in a text, in their order. */
export function toResponses(text: string): Response[] {
  const responses: Response[] = [];
  for (let rest = text; rest !== ''; ) {
    const [, code, fields, behind = ''] =
      /^HTTP\/1\.1 (\d{3}) [\w -]+\r\n(.*?\r\n)??\r\n(.*)$/s.exec(rest) ?? [];
    if (code === undefined) throw new Error(`No answer: ${JSON.stringify(rest)}`);
    const headers = new Headers((fields ?? '').split('\r\n').filter(Boolean).map(toField));
    const isChunked = headers.get('Transfer-Encoding') === 'chunked';
    const [body, next] = isChunked
      ? readChunks(behind)
      : cut(behind, Number(headers.get('Content-Length') ?? 0));
    if (code !== '100')
      responses.push(
        new Response(body === '' ? null : Buffer.from(body, 'latin1'), { status: Number(code), headers }),
      );
    rest = next;
  }
  return responses;
}

function toField(line: string): [string, string] {
  return [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1)];
}

function cut(text: string, at: number): [string, string] {
  return [text.slice(0, at), text.slice(at)];
}

function readChunks(text: string): [string, string] {
  let body = '';
  for (let rest = text; ; ) {
    const [, size = '', behind = ''] = /^([\da-f]+)\r\n(.*)$/s.exec(rest) ?? [];
    const [chunk, next] = cut(behind, Number.parseInt(size, 16));
    if (chunk === '') return [body, next.slice(2)];
    body += chunk;
    rest = next.slice(2);
  }
}
