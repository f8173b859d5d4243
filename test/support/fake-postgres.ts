// A server with the part of PostgreSQL's protocol that a reading connection needs. A test defines its answers.
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';

/** One message of the server. */
export function message(type: string, ...parts: (string | Buffer)[]): Buffer {
  const body = Buffer.concat(
    parts.map((part) => (typeof part === 'string' ? Buffer.from(`${part}\0`) : part)),
  );
  const head = Buffer.alloc(5);
  head.write(type, 'latin1');
  head.writeUInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

const int16 = (value: number) => Buffer.from([value >> 8, value & 255]);
const int32 = (value: number) => Buffer.from([value >> 24, value >> 16, value >> 8, value]);

export const dataRow = (...fields: (string | null)[]): Buffer =>
  message(
    'D',
    int16(fields.length),
    ...fields.flatMap((field) => {
      if (field === null) return [int32(-1)];
      const bytes = Buffer.from(field);
      return [int32(bytes.length), bytes];
    }),
  );
export const complete = (tag: string): Buffer => message('C', tag);
export const READY = message('Z', Buffer.from('I'));
export const notice = (text: string): Buffer => message('N', 'SNOTICE', `M${text}`, Buffer.from([0]));
export const failure = (code: string): Buffer =>
  message('E', 'SERROR', `C${code}`, 'Mfailed', Buffer.from([0]));
export const PARSED_AND_BOUND: Buffer = Buffer.concat([message('1'), message('2')]);

/** The answer to the query that reading connections send when they open (reading-connection.ts). */
const CANARY_ANSWER = [
  PARSED_AND_BOUND,
  dataRow('1', 'é', '1', ''),
  dataRow('2', 'éé', null, ''),
  dataRow('3', 'ééé', '3', ''),
  complete('SELECT 3'),
  READY,
];

export interface FakePostgres {
  readonly url: string;
  close(): Promise<void>;
}

/** @param answer the messages in answer to a statement's text, including `READY` */
export async function createFakePostgres(answer: (text: string) => readonly Buffer[]): Promise<FakePostgres> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    let rest: Buffer = Buffer.alloc(0);
    let isStarted = false;
    let text = '';
    socket.on('data', (bytes: Buffer) => {
      rest = Buffer.concat([rest, bytes]);
      if (!isStarted) {
        if (rest.length < 4 || rest.length < rest.readUInt32BE(0)) return;
        rest = rest.subarray(rest.readUInt32BE(0));
        isStarted = true;
        socket.write(Buffer.concat([message('R', int32(0)), READY]));
      }
      while (rest.length >= 5 && rest.length > rest.readUInt32BE(1)) {
        const [type, end] = [rest.toString('latin1', 0, 1), 1 + rest.readUInt32BE(1)];
        const strings = rest.toString('utf8', 5, end).split('\0');
        rest = rest.subarray(end);
        if (type === 'Q') socket.write(Buffer.concat([complete('SET'), READY]));
        if (type === 'P') text = strings[1] ?? '';
        if (type === 'S')
          for (const part of text.includes('repeat(') ? CANARY_ANSWER : answer(text)) socket.write(part);
        if (type === 'X') socket.end();
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `postgresql://nobody:secret@127.0.0.1:${(server.address() as AddressInfo).port}/fake`,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
