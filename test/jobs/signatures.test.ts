// The signatures of deliveries (src/jobs/delivery/signatures.ts), against the documented scheme and the library of Standard Webhooks.
import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import { signatureHeaders, verify } from '../../src/jobs/delivery/signatures.ts';

const PREFIX = 'X-Webhook-ClickFunnels';
const BODY = '{"event_id":"86dd8628-03b8-41b0-a382-8b3a31d6e525","data":{"name":"Zoë 😀"}}';
const newSecret = () => randomBytes(32).toString('hex');
const lowerCased = (headers: Record<string, string>) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

test('the documented form is byte for byte as documented', () => {
  const headers = signatureHeaders({
    prefix: PREFIX,
    id: '86dd8628-03b8-41b0-a382-8b3a31d6e525',
    at: new Date(1_749_000_000_999),
    body: '{"a":1}',
    secrets: { current: '00112233445566778899aabbccddeeff'.repeat(2), previous: null },
  });
  // printf '1749000000.{"a":1}' | openssl dgst -sha256 -hmac <secret>
  expect(headers).toEqual({
    'X-Webhook-ClickFunnels-Id': '86dd8628-03b8-41b0-a382-8b3a31d6e525',
    'X-Webhook-ClickFunnels-Timestamp': '1749000000',
    'X-Webhook-ClickFunnels-Signature': '479b156f9422357d184925b203575577efc7b21153110c96af196c9907afb0ed',
    'webhook-id': '86dd8628-03b8-41b0-a382-8b3a31d6e525',
    'webhook-timestamp': '1749000000',
    'webhook-signature': 'v1,gkrB15u+ioOjSvnILcpjOkVDuxYI8crYN4HcmgvD0n0=',
  });
});

test('standardwebhooks verifies a delivery with the secret as it is', () => {
  fc.assert(
    fc.property(fc.json(), fc.uint8Array({ minLength: 32, maxLength: 32 }), (body, bytes) => {
      const secret = Buffer.from(bytes).toString('hex');
      const secrets = { current: secret, previous: null };
      const headers = signatureHeaders({ prefix: PREFIX, id: randomUUID(), at: new Date(), body, secrets });
      expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body));
    }),
  );
});

describe('during a rotation', () => {
  const [old, next] = [newSecret(), newSecret()];
  const at = new Date();
  const signed = { prefix: PREFIX, id: randomUUID(), at, body: BODY };
  const headers = signatureHeaders({ ...signed, secrets: { current: next, previous: old } });

  test('receivers with either secret can verify both forms', () => {
    for (const secret of [old, next]) {
      expect(() => new Webhook(secret).verify(BODY, headers)).not.toThrow();
      const received = {
        prefix: PREFIX,
        headers: lowerCased(headers),
        body: Buffer.from(BODY),
        secret,
        now: at,
      };
      expect(verify(received)).toMatchObject({ prefixed: 'valid', standard: 'valid' });
    }
    expect(() => new Webhook(newSecret()).verify(BODY, headers)).toThrow();
  });

  test('the header with a single value is signed with the secret that receivers have', () => {
    const sign = (secret: string) =>
      createHmac('sha256', secret)
        .update(`${headers[`${PREFIX}-Timestamp`]}.${BODY}`)
        .digest('hex');
    expect(headers[`${PREFIX}-Signature`]).toBe(sign(old));
    expect(headers[`${PREFIX}-Signature-Next`]).toBe(sign(next));
  });

  test('the new secret signs first in the header that has several values', () => {
    const alone = signatureHeaders({ ...signed, secrets: { current: next, previous: null } });
    expect(headers['webhook-signature']?.split(' ')[0]).toBe(alone['webhook-signature']);
  });
});

describe('verify', () => {
  const secret = newSecret();
  const at = new Date();
  const secrets = { current: secret, previous: null };
  const headers = lowerCased(signatureHeaders({ prefix: PREFIX, id: 'a', at, body: BODY, secrets }));
  const received = { prefix: PREFIX, headers, body: Buffer.from(BODY), secret, now: at };

  test('distinguishes valid from invalid deliveries, whatever was changed', () => {
    expect(verify(received)).toEqual({ prefixed: 'valid', standard: 'valid', ageSeconds: 0 });
    const both = { prefixed: 'invalid', standard: 'invalid' };
    expect(verify({ ...received, secret: newSecret() })).toMatchObject(both);
    expect(verify({ ...received, body: Buffer.from(`${BODY} `) })).toMatchObject(both);
    const changed = { ...headers, [`${PREFIX.toLowerCase()}-timestamp`]: '1', 'webhook-id': 'b' };
    expect(verify({ ...received, headers: changed })).toMatchObject(both);
  });

  test('reports what is missing, and the age', () => {
    const now = new Date(at.getTime() + 601_000);
    expect(verify({ ...received, now }).ageSeconds).toBe(601);
    expect(verify({ ...received, headers: {} })).toEqual({
      ...{ prefixed: 'missing', standard: 'missing', ageSeconds: null },
    });
    expect(verify({ ...received, prefix: 'X-Other' })).toEqual({
      ...{ prefixed: 'missing', standard: 'valid', ageSeconds: 0 },
    });
  });

  test('returns a result for any headers', () => {
    const value = fc.oneof(fc.string(), fc.array(fc.string()), fc.constant(undefined));
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...Object.keys(headers)), value), (given) => {
        const { prefixed, standard } = verify({ ...received, headers: given });
        expect([prefixed, standard]).not.toContain('valid');
      }),
    );
  });
});
