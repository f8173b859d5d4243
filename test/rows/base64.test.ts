// Base64 of column bytes equals that of Buffer.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { writeBase64 } from '../../src/rows/base64.ts';
import { ByteWriter } from '../../src/rows/byte-writer.ts';

test.each(['base64', 'base64url'] as const)(
  '%s of any prefix and any digits equals that of Buffer',
  (encoding) => {
    const out = new ByteWriter();
    const prefix = fc.string({ unit: 'binary-ascii', maxLength: 12 });
    const digits = fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }).map(String);
    fc.assert(
      fc.property(prefix, fc.oneof(digits, prefix), (before, value) => {
        const write = writeBase64(before, encoding);
        const bytes = Buffer.from(`<${value}>`);
        out.clear();
        write(out, bytes, 1, bytes.length - 1);
        expect(out.toBuffer().toString()).toBe(`"${Buffer.from(before + value).toString(encoding)}"`);
      }),
      { numRuns: 1_000 },
    );
  },
);
