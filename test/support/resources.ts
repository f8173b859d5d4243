// Every description in src/resources/, under any export name.
import { glob } from 'node:fs/promises';
import type { Resource } from '../../src/resources/description/resource.ts';

const modules: Record<string, unknown>[] = [];
for await (const file of glob('src/resources/**/*.ts'))
  modules.push(await import(/* @vite-ignore */ `../../${file}`));

export const RESOURCES: readonly Resource[] = modules
  .flatMap((module) => Object.values(module))
  .filter(
    (value): value is Resource =>
      typeof value === 'object' && value !== null && 'table' in value && 'fields' in value,
  );
