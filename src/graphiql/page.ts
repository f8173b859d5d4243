// Serves the explorer that build.ts has built: the page for a browser's GET /graphql, and its files below /graphiql/assets/. Knows no
// framework and no schema.
import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { codedTag, matchesTag, preferredCoding } from '../messages/content-coding.ts';

interface GraphiqlAsset {
  body: Uint8Array<ArrayBuffer>;
  br?: Uint8Array<ArrayBuffer>;
  gzip?: Uint8Array<ArrayBuffer>;
  contentType: string;
  /** The tag of `body`. */
  etag: string;
}

const assetsPath = '/graphiql/assets/';
const noncePlaceholder = 'CSP_NONCE';
const issuerPlaceholder = 'SIGN_IN_ISSUER';

const contentTypes: Record<string, string> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  ttf: 'font/ttf',
  txt: 'text/plain; charset=utf-8',
};

const commonHeaders = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
};

/** Reads each file on its first request. @param folder the output of build.ts */
export function createGraphiql(folder = new URL('../../build/graphiql/', import.meta.url)) {
  let html: string | undefined;
  let names: Set<string> | undefined;
  const assets = new Map<string, Promise<GraphiqlAsset>>();

  return {
    /**
     * The HTML page; null if it is not built. Each response has its own nonce, so it must not be cached.
     * @param issuer the authorization server where people sign in; null: the page offers no "Sign in"
     */
    page(issuer: string | null = null): Response | null {
      html ??= readHtml(folder);
      return html === undefined ? null : pageResponse(html, issuer ?? '');
    },
    /** A file by its path below /graphiql/assets/; undefined if there is none. @param request GET or HEAD */
    async asset(request: Request): Promise<Response | undefined> {
      names ??= listAssets(folder);
      const { pathname } = new URL(request.url);
      const name = pathname.startsWith(assetsPath) ? pathname.slice(assetsPath.length) : '';
      // The name must be in the folder's listing, so that a request cannot choose a path.
      if (!names?.has(name)) return undefined;
      let asset = assets.get(name);
      if (!asset) {
        asset = readAsset(new URL(`assets/${name}`, folder));
        assets.set(name, asset);
        asset.catch(() => assets.delete(name));
      }
      return assetResponse(request, await asset);
    },
  };
}

function readHtml(folder: URL): string | undefined {
  const file = new URL('index.html', folder);
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

/** The names of the files; undefined without a build, so that the next request looks again. */
function listAssets(folder: URL): Set<string> | undefined {
  const assets = new URL('assets/', folder);
  if (!existsSync(assets)) return undefined;
  return new Set(readdirSync(assets).filter((name) => !/\.(br|gz)$/.test(name)));
}

async function readAsset(file: URL): Promise<GraphiqlAsset> {
  const body = await readFile(file);
  const [br, gzip] = await Promise.all([readVariant(file, 'br'), readVariant(file, 'gz')]);
  return {
    body,
    ...(br && { br }),
    ...(gzip && { gzip }),
    contentType: contentTypes[file.pathname.split('.').at(-1) ?? ''] ?? 'application/octet-stream',
    etag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`,
  };
}

const readVariant = (file: URL, suffix: string) =>
  readFile(new URL(`${file.href}.${suffix}`)).catch(() => undefined);

function pageResponse(html: string, issuer: string): Response {
  const nonce = randomBytes(18).toString('base64url');
  const attribute = issuer.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
  const page = html.replaceAll(noncePlaceholder, nonce).replaceAll(issuerPlaceholder, () => attribute);
  return new Response(page, {
    headers: {
      ...commonHeaders,
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'content-security-policy': contentSecurityPolicy(nonce),
      'x-frame-options': 'DENY',
      'cross-origin-opener-policy': 'same-origin',
    },
  });
}

/**
 * Scripts, workers, fonts and connections are allowed from this origin only; inline scripts and eval are not allowed.
 * - style-src-elem: Monaco and Radix make <style> elements at run time; style-nonce.ts gives each the nonce.
 * - style-src-attr: Monaco writes each line of an editor as HTML with a style attribute (position and height), which
 *   neither a nonce nor a hash can name. A style attribute runs no code, and img-src lets it fetch nothing from outside.
 * - img-src data: the wave below an error and two small icons in Monaco's style sheet.
 */
function contentSecurityPolicy(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `style-src-elem 'self' 'nonce-${nonce}'`,
    "style-src-attr 'unsafe-inline'",
    "font-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

function assetResponse(request: Request, asset: GraphiqlAsset): Response {
  const { br, gzip } = asset;
  const available = [...(br ? (['br'] as const) : []), ...(gzip ? (['gzip'] as const) : [])];
  const encoding = preferredCoding(request.headers.get('accept-encoding') ?? '', available);
  const body = (encoding && asset[encoding]) ?? asset.body;
  const etag = encoding === null ? asset.etag : codedTag(asset.etag, encoding);
  const headers: Record<string, string> = {
    ...commonHeaders,
    etag,
    // The names contain a hash of the content.
    'cache-control': 'public, max-age=31536000, immutable',
    vary: 'Accept-Encoding',
  };
  if (matchesTag(request.headers.get('if-none-match'), etag))
    return new Response(null, { status: 304, headers });
  headers['content-type'] = asset.contentType;
  headers['content-length'] = String(body.byteLength);
  // A worker is subject to the policy of its own file, not the page's.
  headers['content-security-policy'] = "default-src 'none'; script-src 'self'";
  if (encoding !== null) headers['content-encoding'] = encoding;
  return new Response(request.method === 'HEAD' ? null : body, { headers });
}
