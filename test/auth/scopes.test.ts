// What people read of a scope before they grant it.
import { describe, expect, test } from 'vitest';
import { SCOPES, scopeSentence } from '../../src/auth/scopes.ts';

describe('the sentence of a scope', () => {
  test('says whether it allows reading or changing, and is unique', () => {
    const sentences = SCOPES.map(scopeSentence);
    for (const [index, scope] of SCOPES.entries())
      expect(sentences[index]).toMatch(/read$/.test(scope) ? /^Read / : /^Change /);
    expect(new Set(sentences).size).toBe(SCOPES.length);
  });

  test.each([
    ['account:read', ['people', 'audit trail']],
    ['account:write', ['teams', 'create and end', 'API keys', 'applications']],
    ['contacts:read', ['contacts', 'tags', 'saved filters']],
    ['funnels:write', ['funnels', 'sites', 'pages', 'splits']],
    ['store:read', ['products', 'orders', 'payments', 'shipping']],
    ['webhooks:read', ['endpoints', 'events', 'deliveries']],
  ])('%s names what it opens, and so does the wildcard', (scope, words) => {
    for (const word of words) {
      expect(scopeSentence(scope)).toContain(word);
      expect(scopeSentence(scope.split(':')[1] ?? '')).toContain(word);
    }
  });

  test('is the scope itself for an unknown scope', () => {
    for (const scope of ['nonsense', 'nonsense:read', 'contacts:delete', 'toString'])
      expect(scopeSentence(scope)).toBe(scope);
  });
});
