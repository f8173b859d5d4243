// Builds the hand-written Go server, where Debian's packages of Go and pgx are installed: nothing is downloaded.
import { execFile } from 'node:child_process';
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { env } from 'node:process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Progress } from './progress.ts';

const SOURCE = fileURLToPath(new URL('./go-server/', import.meta.url));
const CACHE = fileURLToPath(new URL('../../.cache/bench/', import.meta.url));
/** Where Debian's packages of Go libraries are (Debian Go Packaging Policy). */
const GOPATH = '/usr/share/gocode';
const PGX = join(GOPATH, 'src/github.com/jackc/pgx/v4');

/** The built server. */
export const GO_SERVER: string = join(CACHE, 'go-server');

const run = promisify(execFile);

/** True when the Go server can be started. Without it the bench measures everything else. */
export async function buildGoServer(progress: Progress, signal: AbortSignal): Promise<boolean> {
  const go = await run('go', ['version']).catch(() => null);
  const pgx = await access(PGX).catch(() => 'missing');
  if (go === null || pgx === 'missing') {
    progress.say(
      '!! No Go server: apt-get install --no-install-recommends golang-go golang-github-jackc-pgx-v4-dev',
    );
    return false;
  }
  const offline = {
    GO111MODULE: 'off',
    GOPATH,
    GOFLAGS: '',
    GOPROXY: 'off',
    GOCACHE: join(CACHE, 'go-build'),
  };
  try {
    progress.say('Building the Go server');
    await run('go', ['build', '-o', GO_SERVER, '.'], { cwd: SOURCE, env: { ...env, ...offline }, signal });
    return true;
  } catch (error) {
    signal.throwIfAborted();
    const { stderr, message } = error as { stderr?: string; message: string };
    progress.say(`!! The Go server cannot be built: ${stderr?.trim() || message}`);
    return false;
  }
}
