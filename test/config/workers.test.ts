// What several processes may use together is never more than the configuration allows to the gateway.
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { checkWorkers } from '../../src/commands/doctor/workers.ts';
import { parseConfig } from '../../src/config/config.ts';
import { configOfWorker } from '../../src/config/workers.ts';
import { StartupError } from '../../src/errors.ts';
import { mostConnections, mostReplicaConnections } from '../../src/store/connections/connection-counts.ts';

test('either the parts are within the whole and enough to work with, or it is refused by name', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 64 }),
      fc.integer({ min: 1, max: 1_000 }),
      fc.integer({ min: 10, max: 20_000 }),
      fc.integer({ min: 1, max: 2_000 }),
      (workers, poolSize, maxConnections, maxUnderWay) => {
        const variables = {
          ...{ WORKERS: workers, POOL_SIZE: poolSize },
          ...{ MAX_CONNECTIONS: maxConnections, MAX_UNDER_WAY: maxUnderWay },
        };
        const env = Object.fromEntries(
          Object.entries(variables).map(([name, value]) => [name, String(value)]),
        );
        const { config } = parseConfig(env, '/');
        const [finding] = checkWorkers(config, 64);
        try {
          const { poolSize: own, limits } = configOfWorker(config);
          expect(own * workers).toBeLessThanOrEqual(poolSize);
          expect(limits.maxConnections * workers).toBeLessThanOrEqual(maxConnections);
          expect(limits.maxUnderWay * workers).toBeLessThanOrEqual(maxUnderWay);
          expect(Math.min(own - 1, limits.maxConnections, limits.maxUnderWay)).toBeGreaterThanOrEqual(1);
          expect(finding?.status ?? 'ok').toBe('ok');
        } catch (error) {
          if (!(error instanceof StartupError)) throw error;
          expect(error.message).toMatch(/^(POOL_SIZE|MAX_CONNECTIONS|MAX_UNDER_WAY) is \d+/);
          expect(workers === 1 || finding?.status === 'fail').toBe(true);
        }
      },
    ),
  );
});

test('more workers than cores are a warning', () => {
  const { config } = parseConfig({ WORKERS: '3' }, '/');
  expect(checkWorkers(config, 2)).toMatchObject([{ status: 'warn' }]);
  expect(checkWorkers(config, 3)).toMatchObject([{ status: 'ok' }]);
});

test('the connections for reading are divided, down to two for each process', () => {
  const of = (workers: number) => mostConnections({ poolSize: 10, workers, jobs: true });
  expect([1, 2, 4].map(of)).toEqual([32, 41, 67]);
  expect([1, 2, 4].map(mostReplicaConnections)).toEqual([13, 18, 36]);
});
