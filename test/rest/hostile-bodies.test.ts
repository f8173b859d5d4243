// Every member of every body, found in the descriptions of the nouns, with hostile values: each request succeeds or is refused in the
// documented form, and a refusal leaves no record.
import { describe, expect, test } from 'vitest';
import { STATUS_OF } from '../../src/errors.ts';
import { writableFields } from '../../src/resources/description/inputs.ts';
import { restNameOf, subjectTypeOf } from '../../src/resources/description/names.ts';
import type { Resource } from '../../src/resources/description/resource.ts';
import { routes } from '../../src/rest/nouns.ts';
import * as factories from '../support/factories.ts';
import { ownGateway } from '../support/gateway.ts';
import { all, breakages, NUMBERS, TEXTS } from '../support/hostile.ts';
import { sampleAt } from '../support/nightly.ts';
import { createTenant, OPERATIONS, requestOf, sampleOperations } from '../support/operations.ts';
import type { Problem } from '../support/problem.ts';

// Thousands of requests with one key: looking it up for each would take a tenth of the time.
const gateway = await ownGateway({ env: { POOL_SIZE: '10', LOOKUP_CACHE_MS: '60000' } });
const tenant = await createTenant(gateway.app, 'ours');
const caller = await factories.apiKey(gateway.app, { teamId: tenant.team.id });

/** JSON of values of any kind. */
const VALUES = [
  ...TEXTS.flatMap((text) => [
    JSON.stringify(text),
    `[${JSON.stringify(text)}]`,
    `{${JSON.stringify(text)}:1}`,
  ]),
  ...NUMBERS,
  ...NUMBERS.map((number) => `["${number}", ${number}]`),
  ...[
    'null',
    'true',
    '[]',
    '{}',
    '[null]',
    '[{}]',
    '[[]]',
    '{"a":null}',
    '{"a":{}}',
    '{"a":[]}',
    '"\\ud800"',
  ],
  ...[
    '{"__proto__":{"x":1}}',
    '{"constructor":"x"}',
    '{"a":"\\u0000"}',
    '{"toString":1,"valueOf":2}',
    '-0',
    '1E2',
  ],
];

const written = routes.flatMap(({ method, path, resource, body }) => {
  if (body === undefined) return [];
  const route = `${method} ${path}`;
  const operation = OPERATIONS.find((one) => one.route === route) ?? expect.fail(`No operation of ${path}`);
  return [{ route, method, path, resource, operation }];
});
/** Where each member is tried. */
const TRIED = new Set(sampleOperations('hostile bodies', OPERATIONS, 2));
const membersOf = (resource: Resource, method: string) =>
  Object.entries(writableFields(resource, method === 'POST' ? 'creation' : 'change')).map(
    ([property, field]) => restNameOf(property, field),
  );

/**
 * How many requests are recorded: also one that changed nothing leaves the record of its key, and nothing else. And how many changes of
 * objects of a noun are audited: not those of children that are created with them.
 */
async function counts(noun: Resource): Promise<{ recorded: number; audited: number }> {
  const { rows } = await gateway.app.store.pool.query(
    `select (select count(*)::int from idempotency_records) as recorded,
      (select count(*)::int from audit_entries where request_id = 'hostile' and subject_type = $1) as audited`,
    [subjectTypeOf(noun)],
  );
  return rows[0];
}
let requests = 0;

describe.each(written)('$route', ({ route, method, path, resource, operation }) => {
  /** Sends them; exactly the successful ones are recorded. */
  async function sendAll(bodies: readonly string[]): Promise<void> {
    const before = await counts(resource);
    let done = 0;
    await all(bodies, async (body) => {
      const { headers } = requestOf(operation, tenant);
      const response = await gateway.send(operation.path(tenant), {
        ...{ caller, method, body },
        headers: { ...headers, 'X-Request-Id': 'hostile', 'Idempotency-Key': `hostile-${++requests}` },
      });
      const text = await response.text();
      // A repeated application of a tag is not kept.
      if (response.status < 300) done += response.status === 200 && path.endsWith('/applied_tags') ? 0 : 1;
      else {
        const { code, status } = JSON.parse(text) as Problem;
        if (response.status >= 500 || STATUS_OF[code] !== status) expect.fail(`${body}: ${text}`);
      }
    });
    const after = await counts(resource);
    expect(after.recorded - before.recorded).toBe(operation.isPreview || operation.isUnrecorded ? 0 : done);
    expect(after.audited - before.audited).toBeLessThanOrEqual(done);
  }

  const members = membersOf(resource, method);

  test.runIf(TRIED.has(operation))('survives anything as any of its members', async () => {
    const known = JSON.stringify(operation.body?.(tenant) ?? {}).slice(1, -1);
    await sendAll(
      members.flatMap((name) => {
        const given = VALUES.map((value) => `{"${name}":${value}}`);
        const wrapped = VALUES.map((value) => `{${known.replace(/\}$/, `,"${name}":${value}}`)}}`);
        return sampleAt(`${route} ${name}`, [...given, ...wrapped], 200);
      }),
    );
  });

  test('survives anything as its body, and in it', async () => {
    const names = [...TEXTS, resource.wrapper ?? 'x', ...members].map((name) => JSON.stringify(name));
    const bodies = [
      ...VALUES,
      ...names.map((name) => `{${name}:{${name}:{}}}`),
      ...names.map((name) => `{${name}:"x",${name}:null}`),
      ...[
        '{',
        '[',
        '"',
        '{"a"',
        '\0',
        '{}{}',
        '// x',
        'NaN',
        '{"a":1,}',
        '\ufeff{}',
        '\u2028',
        '01',
        '[1e9999]',
      ],
      `${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`,
      `{"x":[${'0,'.repeat(50_000)}0]}`,
      `{${Array.from({ length: 5_000 }, (_, i) => `"m${i}":1`).join()}}`,
    ];
    await sendAll(sampleAt(route, bodies, 40));
  });
});

test('afterwards no failure is logged', () => {
  expect(breakages(gateway)).toEqual([]);
});
