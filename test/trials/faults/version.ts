// Another version of the gateway for a trial: a copy of the project with further migrations, which shares our node_modules.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../child-processes.ts';
import { SECRET_KEY } from '../secret-key.ts';

export interface Version {
  /** Its folder. */
  readonly root: string;
  /** Runs one of its commands on a database. @returns its exit code, and what it said on standard error */
  run(url: string, ...args: string[]): Promise<{ code: number | null; said: string }>;
  remove(): Promise<void>;
}

/** @param migrations the SQL of further migrations, by name */
export async function createVersion(migrations: Readonly<Record<string, string>>): Promise<Version> {
  const root = await mkdtemp(join(tmpdir(), 'fg-version-'));
  for (const part of [
    'bin',
    'src',
    'generated',
    'build',
    'prisma',
    'package.json',
    'openapi.json',
    'schema.graphql',
  ])
    await cp(join(ROOT, part), join(root, part), { recursive: true });
  await symlink(join(ROOT, 'node_modules'), join(root, 'node_modules'));
  for (const [name, sql] of Object.entries(migrations)) {
    const folder = join(root, 'prisma/migrations', name);
    await mkdir(folder);
    await writeFile(join(folder, 'migration.sql'), sql);
  }
  return {
    root,
    async run(url, ...args) {
      const child = spawn(process.execPath, [join(root, 'bin/funnel-gateway.js'), ...args], {
        cwd: '/',
        env: { PATH: process.env['PATH'], DATABASE_URL: url, SECRET_KEY },
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      let said = '';
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        said += text;
      });
      const [code] = (await once(child, 'close')) as [number | null];
      return { code, said: said.trim() };
    },
    remove: () => rm(root, { recursive: true, force: true }),
  };
}
