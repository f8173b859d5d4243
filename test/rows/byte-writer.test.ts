// What goes to clients is put together byte by byte: any parts, however many, are what they are behind each other.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ByteWriter } from '../../src/rows/byte-writer.ts';

const text = fc.string({ unit: 'grapheme', maxLength: 200 });

test('parts of every kind stand behind each other', () => {
  const out = new ByteWriter();
  const part = fc.record({ how: fc.constantFrom('add', 'part', 'byte', 'text', 'plain'), text });
  fc.assert(
    fc.property(fc.array(part, { maxLength: 400 }), (parts) => {
      out.clear();
      let expected = '';
      for (const { how, text } of parts) {
        const bytes = Buffer.from(`<${text}>`);
        const [start, end] = [1, bytes.length - 1];
        if (how === 'add') out.add(Buffer.from(text));
        else if (how === 'part') out.addPart(bytes, start, end);
        else if (how === 'byte') out.addByte(0x2c);
        else if (how === 'text') out.addText(text);
        else if (!out.addPlain(bytes, start, end)) out.addText(JSON.stringify(text));
        expected += how === 'byte' ? ',' : how === 'plain' ? JSON.stringify(text) : text;
      }
      expect(out.toBuffer().toString()).toBe(expected);
      expect(out.length).toBe(Buffer.byteLength(expected));
    }),
  );
});

test('what has to be escaped is not plain, and adds nothing', () => {
  const out = new ByteWriter();
  for (let code = 0; code < 0x100; code++) {
    const character = String.fromCharCode(code);
    const bytes = Buffer.from(`a${character}b`);
    out.clear();
    const isPlain = out.addPlain(bytes, 0, bytes.length);
    expect(isPlain).toBe(JSON.stringify(character) === `"${character}"`);
    expect(out.toBuffer().toString()).toBe(isPlain ? `"a${character}b"` : '');
  }
});

test('it grows with what is added, and a buffer that was given out keeps what it had', () => {
  const out = new ByteWriter();
  const long = 'é'.repeat(900_000);
  out.addText('"');
  out.addText(long);
  const first = out.toBuffer();
  out.clear();
  out.addText('other');
  expect(first.toString()).toBe(`"${long}`);
  expect(out.toBuffer().toString()).toBe('other');
});
