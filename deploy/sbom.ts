// `npm run sbom`: prints the components of the gateway in production, as CycloneDX 1.5: the packages in package-lock.json, and those in the
// explorer's bundle. Needs no network. The output depends only on the lock file and the bundle.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { ignoreClosedPipes } from '../src/output/closed-pipe.ts';

type License =
  | { readonly license: { readonly id?: string; readonly name?: string } }
  | { readonly expression: string };

export interface Component {
  readonly 'bom-ref': string;
  readonly type: string;
  readonly name: string;
  readonly version: string;
  readonly purl: string;
  readonly licenses?: readonly License[];
  readonly properties?: readonly { readonly name: string; readonly value: string }[];
}

interface Dependency {
  readonly ref: string;
  readonly dependsOn: readonly string[];
}

export interface Sbom {
  readonly serialNumber: string;
  readonly metadata: { readonly component: Component };
  readonly components: readonly Component[];
  readonly dependencies: readonly Dependency[];
}

const ROOT = fileURLToPath(new URL('..', import.meta.url));

interface Manifest {
  readonly name: string;
  readonly dependencies: Record<string, string>;
  readonly optionalDependencies: Record<string, string>;
}

interface Lock {
  readonly packages: Record<
    string,
    { readonly name?: string; readonly version?: string; readonly dev?: boolean; readonly link?: boolean }
  >;
}

/** @throws Error if npm fails, or the explorer is not built */
export function makeSbom(): Sbom {
  const { metadata, components, dependencies, ...made } = runNpmSbom();
  const manifest = readJson<Manifest>('package.json');
  const root = metadata.component['bom-ref'];
  const withoutTools = installedWithoutTools();
  const isNeeded = (by: string, ref: string) => {
    const name = ref.slice(0, ref.lastIndexOf('@'));
    return (
      withoutTools.has(ref) &&
      !(name in manifest.optionalDependencies) &&
      (by !== root || name in manifest.dependencies)
    );
  };
  const needs = new Map(
    dependencies.map(({ ref, dependsOn }) => [ref, dependsOn.filter((on) => isNeeded(ref, on))]),
  );
  const inProduction = reachableFrom(root, needs);
  const installed = components.filter((component) => inProduction.has(component['bom-ref']));
  const sbom = {
    ...made,
    // Omits the time and npm's version, so that two runs print the same.
    metadata: {
      lifecycles: [{ phase: 'build' }],
      tools: [{ vendor: 'npm', name: 'cli' }],
      component: { ...metadata.component, name: manifest.name },
    },
    components: [...installed, ...bundledComponents(installed)],
    dependencies: [...needs]
      .filter(([ref]) => inProduction.has(ref))
      .map(([ref, dependsOn]) => ({ ref, dependsOn })),
  };
  return { ...sbom, serialNumber: `urn:uuid:${uuidOf(JSON.stringify({ ...sbom, serialNumber: '' }))}` };
}

/**
 * The packages that an install without development tools installs, from the lock file. `npm sbom --omit dev` would also omit packages that
 * both production and a development tool need, such as graphql.
 */
function installedWithoutTools(): ReadonlySet<string> {
  const { packages } = readJson<Lock>('package-lock.json');
  const installed = Object.entries(packages).filter(
    ([path, { dev, link }]) => path.startsWith('node_modules/') && dev !== true && link !== true,
  );
  return new Set(
    installed.map(
      ([path, { name, version }]) => `${name ?? path.replace(/.*node_modules\//, '')}@${version}`,
    ),
  );
}

/** The root and its direct and indirect dependencies, without those that only Prisma's command line needs, which generates the client. */
function reachableFrom(root: string, needs: ReadonlyMap<string, readonly string[]>): ReadonlySet<string> {
  const reached = new Set([root]);
  for (const ref of reached) for (const needed of needs.get(ref) ?? []) reached.add(needed);
  return reached;
}

function readJson<T>(path: string): T {
  return JSON.parse(readFileSync(`${ROOT}${path}`, 'utf8')) as T;
}

function runNpmSbom(): Sbom {
  const { npm_execpath: npm } = process.env;
  const [command, before] = npm === undefined ? ['npm', []] : [process.execPath, [npm]];
  const options = ['--sbom-format', 'cyclonedx', '--sbom-type', 'application'];
  const args = [...before, 'sbom', '--package-lock-only', ...options];
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd: ROOT,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (status !== 0) throw new Error(`npm sbom failed: ${stderr}`);
  return JSON.parse(stdout) as Sbom;
}

/** The packages in the explorer's bundle, from Vite's list. In the clone they are development dependencies. */
function bundledComponents(installed: readonly Component[]): Component[] {
  const [file] = globSync('build/graphiql/assets/licenses-*.txt', { cwd: ROOT });
  if (file === undefined) throw new Error('The explorer is not built: run npm run build first.');
  const text = readFileSync(`${ROOT}${file}`, 'utf8');
  const known = new Set(installed.map((component) => component['bom-ref']));
  return [...text.matchAll(/^## (\S+) - (\S+) \((.+)\)$/gm)]
    .map(([, name = '', version = '', license = '']): Component => {
      const ref = `${name}@${version}`;
      return {
        'bom-ref': ref,
        type: 'library',
        name,
        version,
        purl: `pkg:npm/${ref.replace(/^@/, '%40')}`,
        licenses: [/[ (]/.test(license) ? { expression: license } : { license: { id: license } }],
        properties: [{ name: 'funnel-gateway:bundled', value: 'build/graphiql' }],
      };
    })
    .filter((component) => !known.has(component['bom-ref']));
}

/** A UUID of version 8 (RFC 9562) that is the hash of the text. */
function uuidOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

if (import.meta.main) {
  ignoreClosedPipes(process.stdout, process.stderr);
  process.stdout.write(`${JSON.stringify(makeSbom(), null, 2)}\n`);
}
