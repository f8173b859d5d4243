// A list whose answer is too large is refused wherever the limit is reached, and leaves no promise behind whose rejection nobody handles:
// that would end the process.
import { afterAll, expect, test } from 'vitest';
import { seedDemoKey } from '../../support/demo.ts';
import { ownGateway } from '../../support/gateway.ts';
import { post } from '../../support/graphql.ts';
import { sampleAt } from '../../support/nightly.ts';
import { SCHEMA_LISTS } from '../../support/schema-lists.ts';

const gateway = await ownGateway();
const caller = { authorization: `Bearer ${await seedDemoKey(gateway.app)}` };
const { limits } = gateway.app.config;
const { maxAnswerBytes } = limits;

/** Where in an answer the limit is reached, as a share of its length. */
const SHARES = [0.1, 0.3, 0.7];

const unhandled: unknown[] = [];
const onUnhandled = (reason: unknown) => unhandled.push(reason);
process.on('unhandledRejection', onUnhandled);
afterAll(() => process.off('unhandledRejection', onUnhandled));

/** The answer of the full executor when answers may have so many bytes. */
async function ask(list: string, maxBytes: number) {
  Object.assign(limits, { maxAnswerBytes: maxBytes });
  // The fast path does not compile operations with directives.
  const query = list.replace('{', '{ __typename @include(if: true)');
  const { response, data, errors } = await post(gateway, { query }, { caller });
  // Rejections that nobody handles are reported after the microtasks.
  await new Promise((resolve) => setImmediate(resolve));
  return { status: response.status, data, errors };
}

// One of the suite's slowest: three answers of the full executor for each of the schema's lists, at night five. Each list has resolvers of its own, so a sample
// would not state the guarantee; and the limit is the process's, so that lists cannot be asked at the same time.
test('every list of the schema refuses sizes beyond the limit, and leaves no unhandled rejection', async () => {
  const refused: string[] = [];
  const withObjects: string[] = [];
  for (const { name, query } of SCHEMA_LISTS) {
    const whole = await ask(query, maxAnswerBytes);
    expect([name, whole.status, whole.errors]).toEqual([name, 200, undefined]);
    const text = JSON.stringify(whole.data);
    const { length } = text;
    const field = name.split('.')[1];
    if (text.includes(`"${field}":[{`) || text.includes(`"${field}":{"nodes":[{`)) withObjects.push(name);
    for (const share of [0, ...sampleAt(name, SHARES, 3)]) {
      const answer = await ask(query, Math.ceil(length * share));
      expect([name, share, unhandled]).toEqual([name, share, []]);
      // Object names and braces are not counted.
      if (answer.status === 200) expect([name, answer]).toEqual([name, whole]);
      else {
        const errors = [{ extensions: { code: 'QUERY_TOO_LARGE' } }];
        expect([name, answer]).toMatchObject([name, { status: 400, data: undefined, errors }]);
        if (share === 0) refused.push(name);
      }
    }
  }
  // Every list of which the demo has an object, and these are most.
  expect(refused).toEqual(expect.arrayContaining(withObjects));
  expect(withObjects.length).toBeGreaterThan(SCHEMA_LISTS.length * 0.7);
});
