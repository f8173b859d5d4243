// Rows read through the driver's internals are complete and in order, or the read fails (src/store/pipelining/).
import { EventEmitter, getEventListeners, once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import pg from 'pg';
import { Parser } from 'pg-protocol/dist/parser.js';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { createLogger } from '../../src/output/log.ts';
import { BlockRow, type RowBlock, textOf } from '../../src/rows/row-block.ts';
import { collectRows, protocolConnectionOf } from '../../src/store/connections/rows-query.ts';
import { createReaders, type Readers } from '../../src/store/pipelining/readers.ts';
import * as factories from '../support/factories.ts';
import {
  complete,
  createFakePostgres,
  dataRow,
  failure,
  message,
  notice,
  PARSED_AND_BOUND,
  READY,
} from '../support/fake-postgres.ts';
import { cloneTemplate, createGateway } from '../support/gateway.ts';

const log = createLogger('silent', { write: () => {} });
const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  vi.restoreAllMocks();
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

function readersOf(url: string, answerTimeoutMs = 10_000, cancels = false): Readers {
  const connection = { connectionString: url, connectionTimeoutMillis: 5_000 };
  const readers = createReaders({ count: 2, connection, answerTimeoutMs, cancels, log });
  cleanups.push(() => readers.close());
  return readers;
}

async function fakeReaders(answer: (text: string) => readonly Buffer[]): Promise<Readers> {
  const fake = await createFakePostgres(answer);
  cleanups.push(() => fake.close());
  return readersOf(fake.url);
}

async function realReaders({ cancels = false } = {}): Promise<Readers> {
  const database = await cloneTemplate();
  cleanups.push(() => database.drop());
  return readersOf(database.url, undefined, cancels);
}

const fieldsOf = (rows: RowBlock) =>
  rows.map((block, index) =>
    Array.from({ length: block.width }, (_, field) => textOf(new BlockRow(block, index), field)),
  );
const statement = (text: string) => ({ name: '', text });

test('the driver’s versions are pinned, because its internals are used', () => {
  const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
  for (const name of ['pg', 'pg-protocol']) expect(dependencies[name]).toMatch(/^\d+\.\d+\.\d+$/);
});

test('results that arrive in any pieces are complete and belong to their own statements, with notices and errors between their rows', () => {
  const stream = Buffer.concat([
    PARSED_AND_BOUND,
    ...[dataRow('1', 'a'), notice('by the way'), dataRow('2', null), complete('SELECT 2'), READY],
    ...[dataRow('lost'), failure('57014'), READY],
    ...[complete('SELECT 0'), READY],
    ...[dataRow('é'.repeat(9)), dataRow(''), complete('SELECT 2'), READY],
  ]);
  for (let cut = 0; cut <= stream.length; cut++) {
    const client = new pg.Client();
    collectRows(client);
    const connection = protocolConnectionOf(client) as unknown as EventEmitter &
      ReturnType<typeof protocolConnectionOf>;
    const socket = new EventEmitter();
    const answers: unknown[] = [];
    connection.attachListeners(socket as never);
    connection.on('commandComplete', ({ rows }) => answers.push(fieldsOf(rows)));
    connection.on('errorMessage', ({ code }) => answers.push(code));
    socket.emit('data', Buffer.from(stream.subarray(0, cut)));
    socket.emit('data', Buffer.from(stream.subarray(cut)));
    expect(answers).toEqual([
      [
        ['1', 'a'],
        ['2', null],
      ],
      '57014',
      [],
      [['é'.repeat(9)], ['']],
    ]);
  }
});

test('concurrent reads share a connection, up to four; cancellable reads share none', async () => {
  for (const [cancels, atOnce, connections] of [
    [false, 4, 1],
    [false, 5, 2],
    [true, 2, 2],
  ] as const) {
    const readers = await realReaders({ cancels });
    const backendOf = async () => {
      const rows = await readers.read(
        statement('select pg_backend_pid()'),
        [],
        0n,
        new AbortController().signal,
      );
      return fieldsOf(rows)[0]?.[0];
    };
    await backendOf();
    const backends = await Promise.all(Array.from({ length: atOnce }, backendOf));
    expect(new Set(backends).size).toBe(connections);
  }
});

describe('on a connection, between statements with ordinary results', () => {
  const good = (text: string) => [PARSED_AND_BOUND, dataRow(text), complete('SELECT 1'), READY];
  const cases: [string, readonly Buffer[], unknown][] = [
    ['no rows are no rows', [complete('SELECT 0'), READY], []],
    [
      'a notice changes nothing',
      [notice('x'), dataRow('1'), notice('y'), complete('SELECT 1'), READY],
      [['1']],
    ],
    ['an error among the rows is that error', [dataRow('1'), failure('XX000'), READY], /failed/],
    [
      'fewer rows than PostgreSQL says are an error',
      [dataRow('1'), complete('SELECT 2'), READY],
      /not read whole/,
    ],
    ['more rows are an error', [dataRow('1'), dataRow('2'), complete('SELECT 1'), READY], /not read whole/],
    ['an end that does not say how many is an error', [complete('SET'), READY], /not read whole/],
    ['no end is an error', [dataRow('1'), READY], /not read whole/],
    ['a suspended portal is an error', [dataRow('1'), message('s'), READY], /not read whole/],
    ['an empty statement is an error', [message('I'), READY], /not read whole/],
  ];
  test.each(cases)('%s', async (_, answer, expected) => {
    const readers = await fakeReaders((text) =>
      text === 'bad' ? [PARSED_AND_BOUND, ...answer] : good(text),
    );
    const texts = ['one', 'two', 'bad', 'three', 'bad', 'four'];
    const outcomes = await Promise.allSettled(texts.map((text) => readers.read(statement(text), [1])));
    for (const [index, text] of texts.entries()) {
      const outcome = outcomes[index];
      const seen =
        outcome?.status === 'fulfilled' ? fieldsOf(outcome.value) : String(outcome?.reason?.message);
      if (text !== 'bad') expect(seen).toEqual([[text]]);
      else if (expected instanceof RegExp) expect(seen).toMatch(expected);
      else expect(seen).toEqual(expected);
    }
  });

  test('invalid bytes close the connection and reject its reads, and the next read is answered over another', async () => {
    const readers = await fakeReaders((text) =>
      text === 'bad' ? [Buffer.from('R\0\0\0\x08\0\0\0\xff', 'latin1')] : good(text),
    );
    await expect(readers.read(statement('bad'), [1])).rejects.toThrow();
    expect(fieldsOf(await readers.read(statement('good'), [1]))).toEqual([['good']]);
  });
});

test('a read that PostgreSQL aborts because of others is repeated a few times', async () => {
  let left = 2;
  const readers = await fakeReaders((text) =>
    text === 'conflict' && left-- > 0
      ? [failure('40001'), READY]
      : [PARSED_AND_BOUND, dataRow('read'), complete('SELECT 1'), READY],
  );
  expect(fieldsOf(await readers.read(statement('conflict'), [1]))).toEqual([['read']]);
  left = 100;
  await expect(readers.read(statement('conflict'), [1])).rejects.toMatchObject({ code: '40001' });
  expect(left).toBeGreaterThan(90);
});

test('huge results, and empty ones, are read completely', async () => {
  const readers = await realReaders();
  const read = (text: string, ...values: unknown[]) => readers.read(statement(text), values).then(fieldsOf);
  const size = 5_000_000;
  const [huge, none, many] = await Promise.all([
    read(`select repeat('é', $1::int), null, repeat('x', $1::int)`, size),
    read('select 1 where false'),
    read('select n from generate_series(1, $1::int) n', 50_000),
  ]);
  expect(huge).toEqual([['é'.repeat(size), null, 'x'.repeat(size)]]);
  expect(none).toEqual([]);
  expect(many).toHaveLength(50_000);
});

test('a statement that cannot be prepared fails alone: those queued under the same name are prepared again', async () => {
  const readers = await realReaders();
  await readers.read(statement('select 1'), []);
  const bad = Promise.allSettled(
    [1, 2, 3].map(() => readers.read({ name: 'x', text: 'select nothing' }, [])),
  );
  const good = Promise.all([4, 5].map((n) => readers.read({ name: 'y', text: 'select $1::int' }, [n])));
  expect((await good).map(fieldsOf)).toEqual([[['4']], [['5']]]);
  for (const outcome of await bad)
    expect(outcome).toMatchObject({ status: 'rejected', reason: { code: '42703' } });
});

test('a statement whose result types have changed since it was prepared is prepared again', async () => {
  const database = await cloneTemplate();
  cleanups.push(() => database.drop());
  const readers = readersOf(database.url);
  const admin = new pg.Client({ connectionString: database.url });
  await admin.connect();
  cleanups.push(() => admin.end());
  await admin.query('create table things (a int); insert into things values (1)');
  const things = { name: 'things', text: 'select a from things' };
  expect(fieldsOf(await readers.read(things, []))).toEqual([['1']]);
  await admin.query('alter table things alter a type text');
  const all = await Promise.all([1, 2, 3].map(() => readers.read(things, [])));
  expect(all.map(fieldsOf)).toEqual([[['1']], [['1']], [['1']]]);
});

describe('a read whose signal is aborted', () => {
  const GONE = new Error('gone');
  const stuck = statement('select pg_sleep(20), $1::int');

  test('is not sent if it was aborted before, or while it waits for a connection', async () => {
    const readers = await realReaders();
    await expect(readers.read(stuck, [1], 1n, AbortSignal.abort(GONE))).rejects.toBe(GONE);
    // A team whose reads have stalled two connections gets no further ones.
    const late = Promise.allSettled([1, 2].map(() => readers.read(stuck, [1], 1n)));
    await expect.poll(() => readers.load().stalled).toBe(2);
    const abort = new AbortController();
    const waiting = readers.read(statement('select $1::int'), [1], 1n, abort.signal);
    expect(readers.load().waiting).toBe(1);
    abort.abort(GONE);
    await expect(waiting).rejects.toBe(GONE);
    await readers.close();
    await late;
  });

  test('is not sent when it waits for its connection to open', async () => {
    const listening = createServer(() => {}).listen(0, '127.0.0.1');
    await once(listening, 'listening');
    const { port } = listening.address() as AddressInfo;
    cleanups.push(async () => void listening.close());
    const readers = readersOf(`postgresql://user@127.0.0.1:${port}/db`);
    const abort = new AbortController();
    const waiting = readers.read(statement('select $1::int'), [1], 1n, abort.signal);
    abort.abort(GONE);
    await expect(waiting).rejects.toBe(GONE);
  });

  test('is not cancelled without the option; with it PostgreSQL cancels it and no other, and no listener is left', async () => {
    const database = await cloneTemplate();
    const connection = { connectionString: database.url, connectionTimeoutMillis: 5_000 };
    const readers = createReaders({ count: 2, connection, answerTimeoutMs: 10_000, cancels: true, log });
    cleanups.push(database.drop, () => readers.close());
    for (let round = 0; round < 20; round++) {
      const abort = new AbortController();
      const read = readers.read(stuck, [1], 1n, abort.signal);
      // The first one's connection is already open; each later one may be aborted before it is sent.
      if (round % 2 === 0) await readers.read(statement('select $1::int'), [1]);
      abort.abort(GONE);
      await expect(read).rejects.toBe(GONE);
      expect(fieldsOf(await readers.read(statement('select $1::int'), [round]))).toEqual([[`${round}`]]);
      expect(getEventListeners(abort.signal, 'abort')).toEqual([]);
    }
  });
});

describe('a driver with other internals is detected when a connection opens: no page is served, not even an empty one', () => {
  const changes: [string, () => void][] = [
    [
      'its parser calls something else for a message',
      () => {
        const { parse, handlePacket } = Parser.prototype as unknown as {
          parse: Parser['parse'];
          handlePacket: unknown;
        };
        vi.spyOn(Parser.prototype, 'parse').mockImplementation(function (this: object, ...args) {
          Object.defineProperty(this, 'handlePacket', { value: handlePacket });
          return Reflect.apply(parse, this, args);
        });
      },
    ],
    [
      'it listens to its socket another way',
      () => {
        const { prototype } = pg.Connection as unknown as {
          prototype: { connect(port: number, host: string): void };
        };
        const { connect } = prototype;
        vi.spyOn(prototype, 'connect').mockImplementation(function (this: object, ...args) {
          Reflect.deleteProperty(this, 'attachListeners');
          return Reflect.apply(connect, this, args);
        });
      },
    ],
    [
      'it tells queries of their end another way',
      () => {
        const { prototype } = pg.Client as unknown as { prototype: { _handleCommandComplete(): void } };
        vi.spyOn(prototype, '_handleCommandComplete').mockImplementation(() => {});
      },
    ],
  ];
  test.each(changes)('%s', async (_, change) => {
    const gateway = await createGateway();
    cleanups.push(() => gateway.close());
    const workspace = await factories.workspace(gateway.app);
    await factories.contact(gateway.app, { workspaceId: workspace.id });
    const caller = await factories.apiKey(gateway.app, { teamId: workspace.teamId });
    change();
    const response = await gateway.send(`/api/v2/workspaces/${workspace.id}/contacts`, { caller });
    expect(response.status).toBe(503);
    expect(gateway.logLines.join()).toMatch(/node-postgres \d+\.\d+\.\d+/);
  });
});
