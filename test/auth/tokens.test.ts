// API keys and client secrets as text: their form, their checksum, and that a mistyped one never reaches the store.
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  createClientId,
  createClientSecret,
  createOpaqueToken,
  createToken,
  hashOf,
  hashOfClientSecret,
  opaqueTokenKey,
  redactTokens,
} from '../../src/auth/tokens.ts';

const ALPHABET = [...'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'];

test('a new key has the prefix that secret scanners recognize, and 49 letters and digits', () => {
  for (let i = 0; i < 100; i++) expect(createToken().token).toMatch(/^fgw_[0-9A-Za-z]{49}$/);
});

test('no two keys are the same, and every place varies', () => {
  const tokens = Array.from({ length: 500 }, () => createToken().token);
  expect(new Set(tokens).size).toBe(500);
  // The first place has the rest of 256 bits: few values, but more than one.
  for (let place = 4; place < 53; place++) {
    expect(new Set(tokens.map((token) => token[place])).size).toBeGreaterThan(1);
  }
});

test('the store has the SHA-256 of a key, and lists show only eight characters', () => {
  const { token, hash, hint } = createToken();
  expect(Buffer.from(hash).toString('hex')).toBe(createHash('sha256').update(token).digest('hex'));
  expect(hashOf(token)).toEqual(hash);
  expect(hint).toBe(token.slice(0, 8));
});

describe('a key with a typo is refused by its checksum alone', () => {
  test('whichever character is changed', () => {
    const { token } = createToken();
    for (let place = 4; place < token.length; place++) {
      for (const letter of ALPHABET) {
        if (letter === token[place]) continue;
        expect(hashOf(token.slice(0, place) + letter + token.slice(place + 1))).toBeNull();
      }
    }
  });

  test('whichever two adjacent characters are swapped, and whatever is added or missing', () => {
    fc.assert(
      fc.property(fc.nat(48), fc.constantFrom(...ALPHABET), (at, letter) => {
        const { token } = createToken();
        const place = at + 4;
        const [a = '', b = ''] = token.slice(place, place + 2);
        if (a !== b && b !== '')
          expect(hashOf(token.slice(0, place) + b + a + token.slice(place + 2))).toBeNull();
        expect(hashOf(token.slice(0, place) + token.slice(place + 1))).toBeNull();
        expect(hashOf(token.slice(0, place) + letter + token.slice(place))).toBeNull();
      }),
    );
  });
});

test('no other text passes as a key', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.string({ unit: 'binary-ascii' })), (text) => {
      expect(hashOf(text)).toBeNull();
      expect(hashOf(`fgw_${text}`)).toBeNull();
    }),
  );
  const { token } = createToken();
  for (const text of [
    ` ${token}`,
    `${token}\n`,
    token.slice(4),
    token.toLowerCase(),
    token.replace('fgw_', 'FGW_'),
  ]) {
    expect(hashOf(text)).toBeNull();
  }
});

test('a client secret has the same form with its own prefix, and is not interchangeable with a key', () => {
  const [key, secret] = [createToken(), createClientSecret()];
  expect(secret.token).toMatch(/^fgs_[0-9A-Za-z]{49}$/);
  expect(hashOfClientSecret(secret.token)).toEqual(secret.hash);
  const swap = (text: string, prefix: string) => prefix + text.slice(4);
  for (const text of [key.token, swap(key.token, 'fgs_'), `${secret.token}\n`, secret.token.slice(0, -1), ''])
    expect(hashOfClientSecret(text)).toBeNull();
  for (const text of [secret.token, swap(secret.token, 'fgw_')]) expect(hashOf(text)).toBeNull();
});

test('an opaque access token has the same form with its own prefix, and the store has its hash', () => {
  const token = createOpaqueToken();
  expect(token).toMatch(/^fgt_[0-9A-Za-z]{49}$/);
  expect(opaqueTokenKey(token)).toBe(createHash('sha256').update(token).digest('base64url'));
  for (const text of [createToken().token, `${token}\n`, token.slice(0, -1), `fgw_${token.slice(4)}`, ''])
    expect(opaqueTokenKey(text)).toBeNull();
  expect(redactTokens(`before ${token} after`)).toBe(`before ${token.slice(0, 8)}[redacted] after`);
});

test('client ids are unique, and are not secrets', () => {
  const ids = Array.from({ length: 100 }, createClientId);
  expect(new Set(ids).size).toBe(100);
  for (const id of ids) {
    expect(id).toMatch(/^fgc_[0-9A-Za-z]{22}$/);
    expect(redactTokens(id)).toBe(id);
  }
});

test('keys and client secrets are cut to their hints in what is logged', () => {
  for (const { token, hint } of [createToken(), createClientSecret()]) {
    expect(redactTokens(`before ${token} after`)).toBe(`before ${hint}[redacted] after`);
    expect(redactTokens(token.slice(0, 30))).toBe(`${hint}[redacted]`);
  }
});
