// Page rules and cursors, for any input.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeCursor, encodeCursor } from '../src/cursors.ts';
import { AppError } from '../src/errors.ts';
import { parseConnectionArgs } from '../src/pagination.ts';
import { asksForRegistry, toRegistryPage } from '../src/rest/contacts/refine-filters.ts';
import { parsePageQuery } from '../src/rest/page-query.ts';

const MAX_ID = 2n ** 63n - 1n;
const anyId = fc.bigInt({ min: 0n, max: MAX_ID });
const anyKind = fc.constantFrom('contacts', 'funnels', 'contact', 'contacts:', 'teams', 'a', '');
const registryPage = (text: string) => toRegistryPage(parsePageQuery(new URLSearchParams(text)));
const anyText = fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.base64String());

/** The field in the error of a 422. @throws if `work` does not refuse */
function blamed(work: () => unknown): string | undefined {
  try {
    work();
  } catch (error) {
    expect(error).toBeInstanceOf(AppError);
    const { code, errors } = error as AppError;
    expect(code).toBe('invalid');
    return errors[0]?.field;
  }
  throw new Error('not refused');
}

/** With the padding of RFC 4648 §4. */
const padded = (cursor: string) => cursor.padEnd(Math.ceil(cursor.length / 4) * 4, '=');

describe('cursors', () => {
  test('every id comes back from its cursor', () => {
    fc.assert(
      fc.property(anyKind, anyId, (kind, id) => {
        expect(decodeCursor(kind, encodeCursor(kind, id), 'after')).toEqual({ id });
      }),
    );
  });

  test('a cursor with base64 padding is equal to the one without', () => {
    fc.assert(
      fc.property(anyKind, anyId, (kind, id) => {
        expect(decodeCursor(kind, padded(encodeCursor(kind, id)), 'after')).toEqual({ id });
      }),
    );
    const time = new Date('2026-01-31T09:30:00.000Z');
    for (const id of [1n, 12n, 123n])
      expect(
        decodeCursor(
          'contacts',
          padded(encodeCursor('contacts', id, 'updatedAt', time)),
          'after',
          'updatedAt',
        ),
      ).toEqual({ id, value: time });
  });

  test('other padding, or padding elsewhere, is refused', () => {
    for (const id of [1n, 12n, 123n]) {
      const cursor = encodeCursor('contacts', id);
      const texts = Array.from({ length: 6 }, (_, count) => cursor + '='.repeat(count));
      const [bare, whole] = [cursor, padded(cursor)];
      for (const text of [...texts, `=${cursor}`, `${whole} `, `${whole}A`, '='.repeat(100_000)])
        if (text !== bare && text !== whole)
          expect(blamed(() => decodeCursor('contacts', text, 'after'))).toBe('after');
    }
  });

  test('a cursor is opaque text that needs no escaping in a URL', () => {
    fc.assert(
      fc.property(anyKind, anyId, (kind, id) => {
        expect(encodeCursor(kind, id)).toMatch(/^[\w-]+$/);
      }),
    );
  });

  test('a cursor of another kind of list is refused', () => {
    fc.assert(
      fc.property(anyKind, anyKind, anyId, (kind, other, id) => {
        fc.pre(kind !== other);
        expect(blamed(() => decodeCursor(other, encodeCursor(kind, id), 'before'))).toBe('before');
      }),
    );
  });

  test('any other text is refused', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(blamed(() => decodeCursor('contacts', text, 'after'))).toBe('after');
      }),
    );
  });

  test('a cursor with one changed, added or missing character is refused or has another id', () => {
    const edit = fc.record({
      at: fc.nat(40),
      put: fc.constantFrom('', 'A', 'z', '0', '-', '=', ' ', '+'),
      cut: fc.nat(1),
    });
    fc.assert(
      fc.property(anyId, edit, (id, { at, put, cut }) => {
        const cursor = encodeCursor('contacts', id);
        const edited = cursor.slice(0, at) + put + cursor.slice(at + cut);
        fc.pre(edited !== cursor && edited !== padded(cursor));
        let decoded: bigint | null = null;
        try {
          decoded = decodeCursor('contacts', edited, 'after').id;
        } catch (error) {
          expect(error).toBeInstanceOf(AppError);
        }
        expect(decoded).not.toBe(id);
      }),
    );
  });

  test.each([
    `contacts:${MAX_ID + 1n}`,
    'contacts:-1',
    'contacts:01',
    'contacts:',
    'contacts:1 ',
    'contacts:1.0',
    'x',
  ])('the encoding of "%s" is refused', (text) => {
    const cursor = Buffer.from(text).toString('base64url');
    expect(blamed(() => decodeCursor('contacts', cursor, 'after'))).toBe('after');
  });
});

describe('a REST query', () => {
  const query = (text: string) => parsePageQuery(new URLSearchParams(text));

  test('without parameters is the first 20, ascending', () => {
    expect(query('')).toMatchObject({ order: 'asc', size: 20, after: null, before: null, backward: false });
  });

  test('any whole number of at least 1 is a page size, capped at 100', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: 10n ** 40n }), fc.nat(3), (size, zeros) => {
        const expected = size > 100n ? 100 : Number(size);
        expect(query(`per_page=${'0'.repeat(zeros)}${size}`).size).toBe(expected);
      }),
    );
  });

  test('text that is not an integer is refused as a page size, as a cursor and as an order', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        fc.pre(!/^\d+$/.test(text) && text !== 'asc' && text !== 'desc');
        for (const name of ['per_page', 'after', 'sort_order']) {
          expect(blamed(() => parsePageQuery(new URLSearchParams([[name, text]])))).toBe(name);
        }
      }),
    );
  });

  test('any 64-bit id is a cursor, and no larger one', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 70n }), (id) => {
        if (id <= MAX_ID) expect(query(`after=${id}`).after).toBe(id);
        else expect(blamed(() => query(`after=${id}`))).toBe('after');
      }),
    );
  });

  test('the last one of a repeated parameter counts', () => {
    expect(query('per_page=0&after=x&sort_order=up&per_page=5&after=3&sort_order=desc')).toMatchObject({
      size: 5,
      after: 3n,
      order: 'desc',
    });
  });

  test('requests the complete registry if and only if it has neither after nor per_page', () => {
    for (const text of ['', 'sort_order=desc', 'AFTER=1', 'x=after']) {
      expect([text, asksForRegistry(new URLSearchParams(text))]).toEqual([text, true]);
    }
    for (const text of ['after=0', 'after=', 'per_page=5', 'per_page', '%61fter=1']) {
      expect([text, asksForRegistry(new URLSearchParams(text))]).toEqual([text, false]);
    }
  });

  test('after=0 is the start of the registry, and an ordinary cursor elsewhere', () => {
    const text = 'after=0&sort_order=desc';
    expect(registryPage(text).after).toBeNull();
    expect(registryPage('after=1').after).toBe(1n);
    expect(query(text).after).toBe(0n);
  });
});

describe('connection arguments', () => {
  test('without any are the first 20, ascending', () => {
    for (const args of [{}, { first: null, last: null, after: null, before: null }]) {
      const expected = { order: 'asc', size: 20, after: null, before: null, backward: false };
      expect(parseConnectionArgs('contacts', args)).toEqual(expected);
    }
  });

  test('any size from 0 is capped at 100, forward and backward', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 31 - 1 }), fc.boolean(), (size, backward) => {
        const page = parseConnectionArgs('contacts', backward ? { last: size } : { first: size });
        expect(page).toMatchObject({ size: Math.min(size, 100), backward });
      }),
    );
  });

  test('negative sizes are refused', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: -(2 ** 31), max: -1 }),
        fc.constantFrom('first', 'last'),
        (size, field) => {
          expect(blamed(() => parseConnectionArgs('contacts', { [field]: size }))).toBe(field);
        },
      ),
    );
  });

  test('first with last is refused', () => {
    expect(blamed(() => parseConnectionArgs('contacts', { first: 1, last: 1 }))).toBe('last');
  });

  test('both cursors are read, each with its own error', () => {
    const cursor = encodeCursor('contacts', 7n);
    expect(parseConnectionArgs('contacts', { after: cursor, before: cursor })).toMatchObject({
      after: 7n,
      before: 7n,
    });
    expect(blamed(() => parseConnectionArgs('contacts', { after: '' }))).toBe('after');
    expect(blamed(() => parseConnectionArgs('funnels', { before: cursor }))).toBe('before');
  });
});
