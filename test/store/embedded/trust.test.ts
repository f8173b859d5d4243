// Which folders belong to us alone, on real folders; only root can create those of other users.
import { chmod, chown, lchown, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { StartupError } from '../../../src/errors.ts';
import { requireTrusted } from '../../../src/store/embedded/trust.ts';

const isRoot = process.getuid?.() === 0;
const STRANGER = 54_321;
let base: string;

beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'fg-trust-'));
});
afterEach(() => rm(base, { recursive: true }));

/** Creates base/a/b/c..., each folder with a mode and an owner from its own table. */
async function folder(path: string, mode = 0o755, owner?: [uid: number, gid: number]): Promise<string> {
  const whole = join(base, path);
  await mkdir(whole);
  await chmod(whole, mode);
  if (owner) await chown(whole, ...owner);
  return whole;
}

const check = (path: string) => () => requireTrusted(join(base, path));

describe('is trusted', () => {
  test('one of our own, and a new one below it', async () => {
    await folder('data', 0o700);
    expect(check('data')).not.toThrow();
    expect(check('data/more/still')).not.toThrow();
  });

  test('one of our own below a folder such as /tmp', async () => {
    await folder('shared', 0o1777);
    await folder('shared/data', 0o700);
    expect(check('shared/data')).not.toThrow();
  });

  test('one that a link of our own leads to', async () => {
    await folder('real');
    await folder('links');
    await symlink('../real', join(base, 'links/relative'));
    await symlink(join(base, 'links/relative'), join(base, 'links/absolute'));
    expect(check('links/absolute/data')).not.toThrow();
  });

  test('the path to the program, whatever its mode', () => {
    expect(() => requireTrusted(join(import.meta.dirname, '../../..', '.data'))).not.toThrow();
  });

  test.runIf(isRoot)("one that a user's private group may write", async () => {
    await folder('data', 0o775, [0, 0]);
    expect(check('data')).not.toThrow();
  });
});

describe('is refused, with the path in the message', () => {
  function expectRefused(path: string, entry: string, why: string): void {
    expect(check(path)).toThrow(StartupError);
    expect(check(path)).toThrow(
      `for ${why === 'open' ? `others may write in ${entry}` : `${entry} belongs`}`,
    );
  }

  test.each([0o777, 0o1777, 0o757])('one that everybody may write (%o)', async (mode) => {
    expectRefused('data', await folder('data', mode), 'open');
  });

  test('one below a folder that everybody may write', async () => {
    const open = await folder('open', 0o777);
    await folder('open/data', 0o700);
    expectRefused('open/data', open, 'open');
    expectRefused('open/not-there', open, 'open');
  });

  test('the target of a link, if others may write there', async () => {
    const open = await folder('open', 0o777);
    await symlink('open', join(base, 'link'));
    expectRefused('link/data', open, 'open');
  });

  test('a circle of links ends', async () => {
    await symlink('link', join(base, 'link'));
    expect(check('link/data')).not.toThrow();
  });

  describe.runIf(isRoot)('as root', () => {
    test('one of another user, although only that user may enter it', async () => {
      expectRefused('data', await folder('data', 0o700, [STRANGER, STRANGER]), 'theirs');
    });

    test('one below a folder of another user', async () => {
      const theirs = await folder('theirs', 0o755, [STRANGER, STRANGER]);
      await folder('theirs/data', 0o700);
      expectRefused('theirs/data', theirs, 'theirs');
    });

    test('one that another user created first in a folder such as /tmp', async () => {
      await folder('shared', 0o1777);
      expectRefused('shared/data', await folder('shared/data', 0o755, [STRANGER, STRANGER]), 'theirs');
    });

    test('the target of another user’s link, though it is our own', async () => {
      await folder('data');
      await folder('shared', 0o1777);
      await symlink('../data', join(base, 'shared/link'));
      await lchown(join(base, 'shared/link'), STRANGER, STRANGER);
      expectRefused('shared/link', join(base, 'shared/link'), 'theirs');
    });

    test('one that a group of others may write', async () => {
      expectRefused('data', await folder('data', 0o770, [0, STRANGER]), 'open');
    });
  });
});
