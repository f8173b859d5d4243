// Copies of prisma/, which tests add migrations to.
import { cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PRISMA_FOLDER } from '../../src/store/migrations/folder.ts';
import type { Clusters } from './cluster.ts';

/** Copies it. @param folders remove the copy later @returns its path */
export async function copyPrisma(folders: Pick<Clusters, 'folder'>): Promise<string> {
  const folder = await folders.folder();
  await cp(PRISMA_FOLDER, folder, { recursive: true });
  return folder;
}

/** Writes a migration into a copy. */
export async function addMigration(folder: string, name: string, sql: string): Promise<void> {
  await mkdir(join(folder, 'migrations', name));
  await writeFile(join(folder, 'migrations', name, 'migration.sql'), sql);
}
