// A small file system in memory, which a trial can fill and empty.
import { execFile } from 'node:child_process';
import { chmod, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const BLOCK = Buffer.alloc(1024 * 1024);

export interface SmallDisk {
  /** A folder on it, for anybody. */
  readonly folder: string;
  /** Takes all the room that is left. @returns MiB that were free */
  fill(): Promise<number>;
  /** Gives it back. */
  free(): Promise<void>;
  remove(): Promise<void>;
}

/** Mounts it, which only root may. */
export async function mountSmallDisk(megabytes: number): Promise<SmallDisk> {
  if (process.getuid?.() !== 0) throw new Error('This trial mounts a small file system: run it as root.');
  const folder = await mkdtemp(join(tmpdir(), 'fg-disk-'));
  await chmod(folder, 0o755);
  await run('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=1777`, 'tmpfs', folder]);
  const ballast = join(folder, 'ballast');
  return {
    folder,
    async fill() {
      const file = await open(ballast, 'a');
      let bytes = 0;
      for (let size = BLOCK.length; size >= 1; ) {
        const { bytesWritten } = await file.write(BLOCK, 0, size).catch(() => ({ bytesWritten: 0 }));
        bytes += bytesWritten;
        if (bytesWritten < size) size = Math.floor(size / 2);
      }
      await file.close();
      return bytes / BLOCK.length;
    },
    free: () => rm(ballast, { force: true }),
    async remove() {
      await run('umount', ['-l', folder]);
      await rm(folder, { recursive: true, force: true });
    },
  };
}
