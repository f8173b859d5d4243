// A client of HTTP/1.1 that sends bytes unchanged over one connection after the other, and reads the answers.

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Buffer;
  /** From the first byte sent to the last one received. */
  readonly ms: number;
}

export interface Client {
  /** Resolves to the answer. @throws Error if the connection ends without one, or the bytes are not HTTP */
  send(bytes: Buffer, isHead?: boolean): Promise<Answer>;
  close(): void;
}

/** Longer than any limit of the gateway. */
const MAX_WAIT_MS = 60_000;

export function createClient(port: number): Client {
  let socket: Socket | null = null;

  async function open(): Promise<Socket> {
    const opened = connect({ port, host: '127.0.0.1', noDelay: true });
    // The code that waits for an answer sees the end.
    opened.on('error', () => {});
    await once(opened, 'connect');
    return opened;
  }

  return {
    async send(bytes, isHead = false) {
      if (socket === null || socket.destroyed || !socket.writable || socket.readableEnded)
        socket = await open();
      const used = socket;
      const startedAt = performance.now();
      const received = receive(used, isHead);
      used.write(bytes);
      try {
        const { isLast, ...answer } = await received;
        if (isLast) used.destroy();
        return { ...answer, ms: performance.now() - startedAt };
      } catch (error) {
        used.destroy();
        throw error;
      }
    },
    close: () => socket?.destroy(),
  };
}

/** How long to wait for further bytes: node:http sends no more answers after the client ends its side. */
const QUIET_MS = [100, 3_000];
const FINAL = /^HTTP\/1\.1 [2-5]/m;

/**
 * Sends bytes over a new connection, and ends this side when nothing has come for a while. Returns everything until the other side ends
 * it, one character for each byte.
 */
export async function exchangeBytes(port: number, bytes: Buffer): Promise<string> {
  let received = '';
  for (const quietMs of QUIET_MS) {
    received = await exchangeOnce(port, bytes, quietMs);
    if (FINAL.test(received)) break;
  }
  return received;
}

async function exchangeOnce(port: number, bytes: Buffer, quietMs: number): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  let received = '';
  const quiet = setTimeout(() => socket.end(), quietMs);
  socket.setEncoding('latin1').on('data', (text: string) => {
    received += text;
    quiet.refresh();
  });
  // A reset after the answer is an end too.
  socket.on('error', () => {});
  socket.setTimeout(MAX_WAIT_MS, () => socket.destroy());
  socket.write(bytes);
  await once(socket, 'close');
  clearTimeout(quiet);
  return received;
}

type Received = Omit<Answer, 'ms'> & { readonly isLast: boolean };

function receive(socket: Socket, isHead: boolean): Promise<Received> {
  return new Promise((resolve, reject) => {
    let bytes = Buffer.alloc(0);
    const timer = setTimeout(() => done(new Error('There was no answer.')), MAX_WAIT_MS);
    const done = (outcome: Received | Error) => {
      clearTimeout(timer);
      socket.off('data', onData).off('close', onClose);
      if (outcome instanceof Error) reject(outcome);
      else resolve(outcome);
    };
    const onData = (chunk: Buffer) => {
      bytes = Buffer.concat([bytes, chunk]);
      try {
        const answer = parseAnswer(bytes, isHead);
        if (answer !== null) done(answer);
      } catch (error) {
        done(error as Error);
      }
    };
    const onClose = () =>
      done(
        new Error(`The connection ended after ${bytes.length} bytes: ${bytes.toString('latin1', 0, 300)}`),
      );
    socket.on('data', onData).on('close', onClose);
  });
}

/** The first answer in the bytes, null while it is incomplete. Skips interim answers. */
function parseAnswer(bytes: Buffer, isHead: boolean): Received | null {
  const end = bytes.indexOf('\r\n\r\n');
  if (end < 0) return null;
  const [line = '', ...fields] = bytes.toString('latin1', 0, end).split('\r\n');
  const status = Number(/^HTTP\/1\.1 (\d{3}) [\x20-\x7e]*$/.exec(line)?.[1] ?? Number.NaN);
  if (Number.isNaN(status)) throw new Error(`This is no HTTP: ${line.slice(0, 300)}`);
  const rest = bytes.subarray(end + 4);
  if (status < 200) return parseAnswer(rest, isHead);
  const headers = new Headers();
  for (const field of fields)
    headers.append(field.slice(0, field.indexOf(':')), field.slice(field.indexOf(':') + 1));
  const framed =
    isHead || status === 204 || status === 304
      ? { body: Buffer.alloc(0), behind: rest }
      : bodyIn(rest, headers);
  if (framed === null) return null;
  if (framed.behind.length > 0)
    throw new Error(`There are bytes behind the answer: ${framed.behind.toString('latin1', 0, 300)}`);
  return {
    status,
    headers,
    body: decoded(framed.body, headers),
    isLast: headers.get('connection') === 'close',
  };
}

const DECODERS: Readonly<Record<string, ((body: Buffer) => Buffer) | undefined>> = {
  gzip: gunzipSync,
  zstd: zstdDecompressSync,
  br: brotliDecompressSync,
};

/** A body without its content coding: some requests accept any. */
function decoded(body: Buffer, headers: Headers): Buffer {
  const decode = DECODERS[headers.get('content-encoding') ?? ''];
  return body.length === 0 || decode === undefined ? body : decode(body);
}

function bodyIn(bytes: Buffer, headers: Headers): { body: Buffer; behind: Buffer } | null {
  if (headers.get('transfer-encoding') !== 'chunked') {
    const length = Number(headers.get('content-length') ?? Number.NaN);
    if (Number.isNaN(length)) throw new Error('The answer has no length.');
    return bytes.length < length ? null : { body: bytes.subarray(0, length), behind: bytes.subarray(length) };
  }
  const chunks: Buffer[] = [];
  for (let at = 0; ; ) {
    const end = bytes.indexOf('\r\n', at);
    if (end < 0) return null;
    const size = Number.parseInt(bytes.toString('latin1', at, end), 16);
    if (bytes.length < end + 2 + size + 2) return null;
    chunks.push(bytes.subarray(end + 2, end + 2 + size));
    at = end + 2 + size + 2;
    if (size === 0) return { body: Buffer.concat(chunks), behind: bytes.subarray(at) };
  }
}
