// Valid redirect URIs: none that could deliver a code to somebody else.
import { describe, expect, test } from 'vitest';
import { isNativeRedirect, parseRedirectUris } from '../../src/services/sign-in/redirect-uris.ts';

describe('accepted unchanged', () => {
  test.each([
    'https://app.example/callback',
    'https://app.example/callback?tenant=1',
    'http://localhost/callback',
    'http://127.0.0.1:8000/callback',
    'http://[::1]/callback',
    'com.example.app:/callback',
  ])('%s', (uri) => expect(parseRedirectUris([uri])).toEqual([uri]));
});

describe('refused, with the URI in the message', () => {
  test.each([
    'http://app.example/callback',
    'http://localhost.evil.example/callback',
    'http://127.0.0.2/callback',
    'https://localhost/callback',
    'https://app.example/callback#x',
    'https://app.example/callback#',
    'https://user:password@app.example/callback',
    'https://*.app.example/callback',
    'https://app.example/call back',
    ' https://app.example/callback',
    'javascript:alert(1)',
    'data:text/html,x',
    'myapp://callback',
    '/callback',
    '',
    `https://app.example/${'x'.repeat(2_000)}`,
  ])('%s', (uri) => {
    expect(() => parseRedirectUris([uri])).toThrow(expect.objectContaining({ code: 'invalid' }));
  });

  test('more than twenty', () => {
    const uris = Array.from({ length: 21 }, (_, index) => `https://app.example/${index}`);
    expect(() => parseRedirectUris(uris)).toThrow(/20/);
    expect(parseRedirectUris(uris.slice(1))).toHaveLength(20);
  });
});

test('repeated ones count once', () => {
  const uri = 'https://app.example/callback';
  expect(parseRedirectUris([uri, uri])).toEqual([uri]);
});

test('native ones lead to an app on the machine', () => {
  expect(isNativeRedirect('https://app.example/callback')).toBe(false);
  expect(isNativeRedirect('http://127.0.0.1/callback')).toBe(true);
  expect(isNativeRedirect('com.example.app:/callback')).toBe(true);
});
