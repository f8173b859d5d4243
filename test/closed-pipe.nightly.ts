// What prints may be read in part (src/output/closed-pipe.ts).
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

test.each(['deploy/sbom.ts', 'deploy/licences.ts', 'test/trials/main.ts'])(
  '%s ends without a word when nobody reads it any more',
  async (script) => {
    const child = spawn(process.execPath, [script], { cwd: ROOT });
    child.stdout.destroy();
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
    const [code] = await once(child, 'close');
    expect({ code, said }).toEqual({ code: 0, said: '' });
  },
  60_000,
);
