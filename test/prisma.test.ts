// Prisma's command line works as its users expect, in a clone without a network.
import { execFile } from 'node:child_process';
import { cp, glob, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, expect } from 'vitest';
import { nightly } from './support/nightly.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** A closed port: any use of the network fails. */
const NOWHERE = 'http://127.0.0.1:9';

/** A copy: generating replaces files that other tests are just loading. */
const folder = await mkdtemp(join(tmpdir(), 'fg-prisma-'));
for (const part of ['prisma', 'prisma.config.ts', 'package.json'])
  await cp(join(ROOT, part), join(folder, part), { recursive: true });
await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
afterAll(() => rm(folder, { recursive: true }));

/** @throws with what it printed, where it fails */
async function prisma(command: string, more: Record<string, string> = {}): Promise<string> {
  const { PATH = '', PRISMA_SCHEMA_ENGINE_BINARY: _, ...others } = process.env;
  const env = {
    ...others,
    ...{ PATH: `${join(ROOT, 'node_modules/.bin')}:${PATH}`, HOME: folder, XDG_CACHE_HOME: folder },
    ...{ PRISMA_ENGINES_MIRROR: NOWHERE, HTTP_PROXY: NOWHERE, HTTPS_PROXY: NOWHERE },
    ...more,
  };
  const { stdout, stderr } = await promisify(execFile)('prisma', command.split(' '), { cwd: folder, env });
  return stdout + stderr;
}

nightly('prisma validate finds nothing wrong with the schema', async () => {
  expect(await prisma('validate')).toContain('are valid');
});

nightly('the schema is as prisma format leaves it', async () => {
  await expect(prisma('format --check')).resolves.toBeDefined();
});

nightly('prisma generate makes the client that an install has made', async () => {
  await prisma('generate');
  const read = async (root: string) => {
    const files = await Array.fromAsync(glob('**/*.ts', { cwd: join(root, 'generated/prisma') }));
    return Promise.all(
      files.sort().map(async (file) => [file, await readFile(join(root, 'generated/prisma', file), 'utf8')]),
    );
  };
  const made = await read(folder);
  expect(made.length).toBeGreaterThan(20);
  expect(made).toEqual(await read(ROOT));
});

nightly('prisma migrate asks for the real engine, and every command for the one that is named', async () => {
  await expect(prisma('migrate status')).rejects.toThrow(NOWHERE.replace('http://', ''));
  const PRISMA_SCHEMA_ENGINE_BINARY = join(folder, 'absent');
  await expect(prisma('validate', { PRISMA_SCHEMA_ENGINE_BINARY })).rejects.toThrow(
    PRISMA_SCHEMA_ENGINE_BINARY,
  );
});
