// The registry knows of no vulnerability in what production installs, nor in the development tools: `npm audit` of package-lock.json.
// `npm run trial -- audit`. It asks the npm registry; where that takes no such questions, as a mirror does, nothing is shown, which is said.
import { spawnSync } from 'node:child_process';
import { ROOT } from './child-processes.ts';
import { say } from './say.ts';
import { report } from './test-bed.ts';

/** What `npm audit --json` prints: of vulnerabilities, or why it could not ask. */
interface Audit {
  readonly vulnerabilities?: Readonly<Record<string, { readonly severity: string; readonly range: string }>>;
  readonly message?: string;
}

for (const [what, options] of [
  ['production', ['--omit=dev']],
  ['production and development', []],
] as const) {
  const { stdout } = spawnSync('npm', ['audit', '--json', '--package-lock-only', ...options], {
    cwd: ROOT,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  const { vulnerabilities, message } = JSON.parse(stdout) as Audit;
  if (vulnerabilities === undefined) {
    say(`not shown: ${what}, the registry was asked in vain (${message})`);
    continue;
  }
  const found = Object.entries(vulnerabilities).map(
    ([name, { severity, range }]) => `${name} ${range} (${severity})`,
  );
  report(
    `${what}: ${found.length} packages with known vulnerabilities ${found.join(', ')}`,
    found.length === 0,
  );
}
