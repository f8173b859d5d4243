// Derived and invalid configuration (src/config/config.ts).
import { expect, test } from 'vitest';
import { parseConfig, withPort } from '../../src/config/config.ts';

const addressOf = (env: Record<string, string>) => {
  const { authUrl, authPath, authHostname } = parseConfig(env, '/').config;
  return [authUrl, authPath, authHostname];
};

test('the URL of the authorization server is split into path and host name', () => {
  expect(addressOf({})).toEqual(['http://localhost:4000', '', 'localhost']);
  expect(addressOf({ SERVICE_HOST: 'example.com' })).toEqual(['https://example.com', '', 'example.com']);
  expect(addressOf({ AUTH_URL: 'https://Auth.example.com:8443/a/b//' })).toEqual([
    'https://auth.example.com:8443/a/b',
    '/a/b',
    'auth.example.com',
  ]);
  const { authPath, authHostname } = withPort(parseConfig({ PORT: '0' }, '/').config, 4123);
  expect([authPath, authHostname]).toEqual(['', 'localhost']);
});

test('an invalid host is reported together with all other problems', () => {
  const env = { SERVICE_HOST: '1.2.3.999', PORT: 'x' };
  expect(() => parseConfig(env, '/')).toThrow(/^Configuration: PORT must be .*; SERVICE_HOST must be .*\.$/);
});
