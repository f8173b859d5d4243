// Every hostile value at every place: the suite tries a tenth of them at each. Takes some minutes.
import { spawn } from 'node:child_process';
import { once } from 'node:events';

const FILES = ['rest/hostile-input', 'rest/hostile-bodies', 'graphql/hostile-input', 'oauth/hostile-input'];

const [code] = await once(
  spawn('vitest', ['run', ...FILES.map((file) => `test/${file}.test.ts`)], {
    stdio: 'inherit',
    env: { ...process.env, HOSTILE_VALUES: 'all' },
  }),
  'exit',
);
process.exitCode = code ?? 1;
