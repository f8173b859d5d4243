// Builds the pages of GraphiQL and of the REST reference into build/graphiql, with pre-compressed files and without network access. Does nothing if nothing has changed.
// Run by `npm run build`, and by an install with development dependencies.
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Plugin } from 'vite';

const app = fileURLToPath(new URL('./app/', import.meta.url));
const output = fileURLToPath(new URL('../../build/graphiql/', import.meta.url));
const lockFile = fileURLToPath(new URL('../../package-lock.json', import.meta.url));
const fingerprintFile = join(output, '.fingerprint');
const compressAboveBytes = 1024;
const compressible = /\.(js|css|html|svg|ttf|txt)$/;
const LICENSES = 'licenses.md';
/** Each page is a bundle of its own, so that no library of one page is loaded with the other. */
const EXPLORER = 'index.html';
const REFERENCE = 'reference/index.html';
const PAGES = [EXPLORER, REFERENCE];
/** Modules of packages that the bundle replaces by our own files, which explain why. */
const REPLACEMENTS: readonly { page: string; importer: RegExp; source: RegExp; file: string }[] = [
  { page: EXPLORER, importer: /\/monaco-graphql\//, source: /\/edcore\.main\.js$/, file: 'monaco.ts' },
  {
    page: EXPLORER,
    importer: /\/monaco-editor\//,
    source: /\/(multiD|d)iffEditorWidget\.js$/,
    file: 'no-diff-editor.ts',
  },
  {
    page: EXPLORER,
    importer: /\/plugin-doc-explorer\/dist\/context\.js$/,
    source: /\/doc-explorer\.js$/,
    file: 'docs-later.tsx',
  },
  {
    page: EXPLORER,
    importer: /\/plugin-doc-explorer\/dist\/components\/doc-explorer\.js$/,
    source: /\/schema-documentation\.js$/,
    file: 'docs-home.tsx',
  },
  { page: EXPLORER, importer: /\/graphiql-explorer\//, source: /^graphql$/, file: 'explorer-graphql.cjs' },
  {
    page: REFERENCE,
    importer: /\/Search\/hooks\/useSearchIndex\.js$/,
    source: /\/create-(search-index|fuse-instance)\.js$/,
    file: 'reference/search-index.ts',
  },
];
/** Takes 5 seconds of two processors and saves a fourteenth of what a page loads; 11 takes twice as long and saves 2 % more. */
const BROTLI_QUALITY = 10;

/** The files of a bundle, by their names. */
type Files = Map<string, Uint8Array | string>;

/** Returns false when the files of an earlier build are up to date. */
export async function buildGraphiql(): Promise<boolean> {
  const fingerprint = await computeFingerprint();
  if (existsSync(fingerprintFile) && (await readFile(fingerprintFile, 'utf8')) === fingerprint) return false;
  const bundles = await asProduction(async () => {
    const built: Files[] = [];
    for (const page of PAGES) built.push(await bundle(page));
    return built;
  });
  const files = await withLicenses(bundles);
  await rm(output, { recursive: true, force: true });
  await Promise.all([...files].map(([name, body]) => writeWithVariants(join(output, name), body)));
  await writeFile(fingerprintFile, fingerprint);
  return true;
}

async function computeFingerprint(): Promise<string> {
  const entries = await readdir(app, { recursive: true, withFileTypes: true });
  const sources = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  const files = [lockFile, fileURLToPath(import.meta.url), ...sources.sort()].filter((file) =>
    existsSync(file),
  );
  const hash = createHash('sha256');
  for (const file of files) hash.update(`${basename(file)}\0`).update(await readFile(file));
  return hash.digest('hex');
}

/** @param page the file of a page, below the folder of the app */
async function bundle(page: string): Promise<Files> {
  const { build } = await import('vite');
  const result = await build({
    configFile: false,
    envFile: false,
    root: app,
    base: '/graphiql/',
    mode: 'production',
    logLevel: 'error',
    publicDir: false,
    // The server replaces this placeholder by a new nonce for each page.
    html: { cspNonce: 'CSP_NONCE' },
    worker: { format: 'es' },
    plugins: [replaceParts(page)],
    build: {
      write: false,
      rolldownOptions: { input: { [page === EXPLORER ? 'index' : dirname(page)]: join(app, page) } },
      license: { fileName: LICENSES },
      target: 'es2023',
      sourcemap: false,
      // No data: URLs, because the page's font-src is 'self'.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
      chunkSizeWarningLimit: Number.POSITIVE_INFINITY,
    },
  });
  if (!('output' in result)) throw new Error('vite gave no single bundle');
  return new Map(
    result.output.map((file) => [file.fileName, file.type === 'chunk' ? file.code : file.source]),
  );
}

/** Joins the bundles, with one file for the licences of all packages, including Monaco's third-party notices. Each page links it. */
async function withLicenses(bundles: readonly Files[]): Promise<Files> {
  const notices = createRequire(import.meta.url).resolve('monaco-editor/ThirdPartyNotices.txt');
  const sections = bundles.flatMap((files) => String(files.get(LICENSES)).split(/^(?=## )/m));
  const own = [...new Set(sections.map((section) => section.trim()))].join('\n\n');
  const text = `${own}\n\n## Contained in monaco-editor\n\n${await readFile(notices, 'utf8')}`;
  const name = `assets/licenses-${createHash('sha256').update(text).digest('hex').slice(0, 8)}.txt`;
  const link = `<link rel="license" href="/graphiql/${name}">`;
  const files = new Map(bundles.flatMap((one) => [...one])).set(name, text);
  files.delete(LICENSES);
  for (const page of PAGES) files.set(page, String(files.get(page)).replace('</head>', `${link}</head>`));
  return files;
}

/** Replaces the modules in REPLACEMENTS. Fails the build if one is no longer imported, because the packages have changed. */
function replaceParts(page: string): Plugin {
  const replacements = REPLACEMENTS.filter((one) => one.page === page);
  const replaced = new Set<string>();
  return {
    name: 'replace-parts',
    enforce: 'pre',
    resolveId(source, importer = '') {
      const found = replacements.find((one) => one.importer.test(importer) && one.source.test(source));
      if (found === undefined) return null;
      replaced.add(found.file);
      return join(app, found.file);
    },
    buildEnd(error) {
      const missing = replacements.filter(({ file }) => !replaced.has(file));
      if (error === undefined && missing.length > 0)
        throw new Error(`Nothing imports what these replace: ${missing.map(({ file }) => file).join(', ')}`);
    },
  };
}

/** For Vite, NODE_ENV takes precedence over its mode: in a test or a development shell it would build React's development version. */
async function asProduction<T>(work: () => Promise<T>): Promise<T> {
  const { env } = process;
  process.env = { ...env, NODE_ENV: 'production' };
  try {
    return await work();
  } finally {
    process.env = env;
  }
}

async function writeWithVariants(path: string, body: Uint8Array | string): Promise<void> {
  const bytes = Buffer.from(body as string);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, bytes);
  if (!compressible.test(path) || bytes.length < compressAboveBytes) return;
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
    [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
  };
  await writeFile(`${path}.br`, await promisify(brotliCompress)(bytes, { params }));
  await writeFile(`${path}.gz`, await promisify(gzip)(bytes, { level: 8 }));
}

if (import.meta.main) {
  await buildGraphiql().catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
    process.stderr.write('The explorer is bundled by development tools: install them first, with npm ci.\n');
    process.exitCode = 1;
  });
}
