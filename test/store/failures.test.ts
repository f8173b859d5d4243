// Which database failures are temporary (503), and which are internal errors (500).
import { describe, expect, test } from 'vitest';
import { AppError, notFound } from '../../src/errors.ts';
import { toStoreError } from '../../src/store/connections/failures.ts';

/** An error in the form of each layer: the driver's own, Prisma's around it, and one as a cause. */
const FORMS: Record<string, (code: string) => Error> = {
  'the driver': (code) => Object.assign(new Error('x'), { code }),
  Prisma: (originalCode) =>
    Object.assign(new Error('x'), {
      code: 'P2010',
      meta: { driverAdapterError: Object.assign(new Error('x'), { cause: { originalCode } }) },
    }),
  'an error around it': (code) =>
    new Error('x', { cause: new Error('y', { cause: Object.assign(new Error('z'), { code }) }) }),
};

describe.each(Object.entries(FORMS))('from %s', (_, make) => {
  test.each([
    '08006',
    '53300',
    '57P01',
    '57P03',
    '57014',
    '40001',
    '40P01',
    '25006',
    'ECONNREFUSED',
    'ENOENT',
    'EAI_AGAIN',
    'EMFILE',
    'ENFILE',
    'ENOBUFS',
    'EADDRNOTAVAIL',
    'ENETUNREACH',
    'EAGAIN',
    'EPERM',
  ])('%s is unavailable, with a time to try again and the failure as its cause', (code) => {
    const failure = make(code);
    const error = toStoreError(failure);
    expect(error).toBeInstanceOf(AppError);
    expect(error).toMatchObject({ code: 'unavailable', retryAfterSeconds: 2, cause: failure });
  });

  test.each(['23505', '23514', '22P02', '42P01', '42601', '58030', 'ERR_ASSERTION'])(
    '%s stays as it is',
    (code) => {
      const failure = make(code);
      expect(toStoreError(failure)).toBe(failure);
    },
  );
});

test.each([
  'timeout exceeded when trying to connect',
  'timeout expired',
  'Connection terminated unexpectedly',
  'Cannot use a pool after calling end on the pool',
])('"%s" is unavailable', (message) => {
  expect(toStoreError(new Error(message))).toMatchObject({ code: 'unavailable' });
});

test.each([
  'SSL SYSCALL error: EOF detected',
  'could not commit transaction for shard 102011 on at least one active node',
])('a node that Citus has lost is unavailable, though it says only: %s', (message) => {
  expect(toStoreError(Object.assign(new Error(message), { code: 'XX000' }))).toMatchObject({
    code: 'unavailable',
  });
  // In the words of a client.
  const refused = Object.assign(new Error(`invalid input syntax: "${message}"`), { code: '22P02' });
  expect(toStoreError(refused)).toBe(refused);
});

test('our own refusals, and values that are not errors, pass through', () => {
  for (const thrown of [notFound('X'), null, undefined, 'text', 7]) expect(toStoreError(thrown)).toBe(thrown);
});

test('an error that is its own cause ends', () => {
  const circular = new Error('x');
  circular.cause = circular;
  expect(toStoreError(circular)).toBe(circular);
});
