// What is made of the environment beyond reading it (src/config.ts).
import { expect, test } from 'vitest';
import { parseConfig, withPort } from '../../src/config/config.ts';

const addressOf = (env: Record<string, string>) => {
  const { authUrl, authPath, authHostname } = parseConfig(env, '/').config;
  return [authUrl, authPath, authHostname];
};

test('the address of the authorization server comes with its path and its host name', () => {
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

test('a host that no address can have is reported with all other problems', () => {
  const env = { SERVICE_HOST: '1.2.3.999', PORT: 'x' };
  expect(() => parseConfig(env, '/')).toThrow(/^Configuration: PORT must be .*; SERVICE_HOST must be .*\.$/);
});
