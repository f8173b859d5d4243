// The source files of the gateway with their imports, for the layer test.
import { readFileSync } from 'node:fs';
import { glob } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

const SRC = fileURLToPath(new URL('../../src/', import.meta.url));

interface Import {
  /** As written, or its path below src for our own file. */
  readonly from: string;
  readonly own: boolean;
  /** `import type`: erased before the program runs. */
  readonly typeOnly: boolean;
}

export interface Source {
  /** Below src, with slashes. */
  readonly path: string;
  /** The folder below src that has it, or its own name if it is directly there. */
  readonly layer: string;
  readonly text: string;
  /** Without comments. */
  readonly code: string;
  readonly imports: readonly Import[];
}

const STATIC =
  /^(?:import|export)\s+(type\s+)?(?:[\w*\s,]+|[\w\s,]*\{[^}]*\}|\* as \w+)\s*from\s+'([^']+)'/gm;
const BARE_OR_DYNAMIC = /^import\s+'([^']+)'|\bimport\(\s*'([^']+)'\s*\)/gm;

/** The app that is bundled for browsers: a separate program. */
const BROWSER_APP = 'graphiql/app/';

/** Every handwritten source file. @param program the gateway, or GraphiQL's browser app */
export async function readSources(program: 'gateway' | 'browser app' = 'gateway'): Promise<Source[]> {
  const sources: Source[] = [];
  for await (const file of glob('**/*.{ts,tsx}', { cwd: SRC })) {
    const path = file.replaceAll('\\', '/');
    if (path.startsWith(BROWSER_APP) !== (program === 'browser app')) continue;
    sources.push(toSource(path, readFileSync(SRC + path, 'utf8')));
  }
  return sources.sort((a, b) => a.path.localeCompare(b.path));
}

export function toSource(path: string, text: string): Source {
  const code = text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|[^:'"`\w])\/\/.*$/gm, '$1');
  const found = [
    ...[...code.matchAll(STATIC)].map((match) => ({
      from: match[2] ?? '',
      typeOnly: match[1] !== undefined,
    })),
    ...[...code.matchAll(BARE_OR_DYNAMIC)].map((match) => ({
      from: match[1] ?? match[2] ?? '',
      typeOnly: false,
    })),
  ];
  const imports = found.map(({ from, typeOnly }) => {
    if (!from.startsWith('.')) return { from, own: false, typeOnly };
    return { from: new URL(from, `file:///${path}`).pathname.slice(1), own: true, typeOnly };
  });
  return { path, layer: layerOf(path), text, code, imports };
}

/** `rest/accounts/teams.ts` is in `rest`, `errors.ts` in `errors`. Services for the operator alone are a layer above the services. */
export function layerOf(path: string): string {
  if (path.startsWith('services/operator/')) return 'services/operator';
  return path.includes('/') ? path.slice(0, path.indexOf('/')) : path.replace(/\.ts$/, '');
}
