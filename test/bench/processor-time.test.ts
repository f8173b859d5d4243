// Processor time read from outside (test/bench/processor-time.ts).
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { execPath, platform } from 'node:process';
import pg from 'pg';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { findServer } from '../../src/store/embedded/postmaster.ts';
import { processTreeTimeUs } from './processor-time.ts';

const BURNT_US = 300_000;
/** Two times of a process are cut off to ticks of 10 ms each. */
const TICKS_US = 20_000;

/** Starts a child that uses up BURNT_US, says so, and waits for a line; then says so again when it has ended. */
const PARENT = `
  const child = require('node:child_process').spawn(process.execPath, ['-e', \`
    while (process.cpuUsage().user + process.cpuUsage().system < ${BURNT_US});
    console.log('burnt');
    process.stdin.once('data', () => process.exit());
  \`], { stdio: ['pipe', 'inherit', 'inherit'] });
  child.on('exit', () => console.log('ended'));
  process.stdin.once('data', () => child.stdin.write('end\\n'));
  process.stdin.on('end', () => process.exit());
`;

const time = (pid: number | undefined) => processTreeTimeUs(pid ?? 0) ?? Number.NaN;

describe.skipIf(platform !== 'linux')('on Linux', () => {
  test('what a child uses is counted while it runs and after it has ended', async () => {
    const parent = spawn(execPath, ['-e', PARENT], { stdio: ['pipe', 'pipe', 'inherit'] });
    onTestFinished(() => void parent.kill());
    await once(parent.stdout, 'data');
    const whileItRuns = time(parent.pid);
    expect(whileItRuns).toBeGreaterThanOrEqual(BURNT_US - TICKS_US);
    parent.stdin.write('end\n');
    await once(parent.stdout, 'data');
    expect(time(parent.pid)).toBeGreaterThanOrEqual(whileItRuns - TICKS_US);
  });

  test('what a statement uses is counted while its backend runs and after it has ended', async () => {
    const client = new pg.Client({
      connectionString: inject('templateUrl').replace(/\/\w+\?/, '/postgres?'),
    });
    await client.connect();
    const { rows } = await client.query('show data_directory');
    const { pid } = (await findServer(rows[0].data_directory)) ?? {};
    const before = time(pid);
    while (time(pid) < before + BURNT_US)
      await client.query('select count(*) from generate_series(1, 1000000)');
    const whileItRuns = time(pid);
    await client.end();
    expect(time(pid)).toBeGreaterThanOrEqual(whileItRuns - TICKS_US);
  });

  test('the processor time of a process that is gone is not known', () => {
    expect(processTreeTimeUs(2 ** 30)).toBeNull();
  });
});

test.skipIf(platform === 'linux')('elsewhere than on Linux the processor time of a tree is not known', () => {
  expect(processTreeTimeUs(process.pid)).toBeNull();
});
