// The pages that build.ts has built: GraphiQL, for a browser's GET /graphql, and the REST reference, for its GET /api/v2. Independent of the
// HTTP framework and the schema.
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';

/** The output of build.ts. */
export const BUILT = new URL('../../build/graphiql/', import.meta.url);
const noncePlaceholder = 'CSP_NONCE';
const issuerPlaceholder = 'SIGN_IN_ISSUER';

/** The response headers of the page and of its files. */
export const commonHeaders = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
};

/**
 * The HTML page, which is read on its first request; null if it is not built. Each response has its own nonce, so it must not be cached.
 */
export function createGraphiqlPage(folder = BUILT) {
  return createPage(new URL('index.html', folder));
}

/** The page of the REST reference, as `createGraphiqlPage`. */
export function createReferencePage(folder = BUILT) {
  return createPage(new URL('reference/index.html', folder));
}

function createPage(file: URL) {
  let html: string | undefined;
  /** @param issuer the authorization server where people sign in; null: the page has no "Sign in" */
  return (issuer: string | null = null): Response | null => {
    if (html === undefined && existsSync(file)) html = readFileSync(file, 'utf8');
    return html === undefined ? null : pageResponse(html, issuer ?? '');
  };
}

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
 *   neither a nonce nor a hash can allow. A style attribute runs no code, and img-src lets it fetch nothing from outside.
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
