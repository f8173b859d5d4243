// The byte writer concatenates parts of any kind and number.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ByteWriter } from '../../src/rows/byte-writer.ts';

const text = fc.string({ unit: 'grapheme', maxLength: 200 });

test('parts of every kind are concatenated', () => {
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
        else if (!out.addUnescaped(bytes, start, end)) out.addText(JSON.stringify(text));
        expected += how === 'byte' ? ',' : how === 'plain' ? JSON.stringify(text) : text;
      }
      expect(out.toBuffer().toString()).toBe(expected);
      expect(out.length).toBe(Buffer.byteLength(expected));
    }),
  );
});

test('text with a character that needs escaping is refused, and adds nothing', () => {
  const out = new ByteWriter();
  for (let code = 0; code < 0x100; code++) {
    const character = String.fromCharCode(code);
    const bytes = Buffer.from(`a${character}b`);
    out.clear();
    const isUnescaped = out.addUnescaped(bytes, 0, bytes.length);
    expect(isUnescaped).toBe(JSON.stringify(character) === `"${character}"`);
    expect(out.toBuffer().toString()).toBe(isUnescaped ? `"a${character}b"` : '');
  }
});

test('the writer grows, and buffers that it has returned do not change', () => {
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
