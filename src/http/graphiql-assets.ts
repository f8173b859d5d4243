// Serves the files of the explorer's page, below /graphiql/assets/.
import { fileURLToPath } from 'node:url';
import { serveStatic } from '@hono/node-server/serve-static';
import type { MiddlewareHandler } from 'hono';
import { BUILT, commonHeaders } from '../graphiql/page.ts';

const assetHeaders = {
  ...commonHeaders,
  // The names contain a hash of the content.
  'cache-control': 'public, max-age=31536000, immutable',
  vary: 'Accept-Encoding',
  // A worker is subject to the policy of its own file, not the page's.
  'content-security-policy': "default-src 'none'; script-src 'self'",
};

const serveFile = serveStatic({
  rewriteRequestPath: (path) => fileURLToPath(new URL(`.${path.replace('/graphiql', '')}`, BUILT)),
  precompressed: true,
});

/** Serves a file of the build, in the compressed form that build.ts has stored. */
export const graphiqlAssets: MiddlewareHandler = async (c, next) => {
  const response = await serveFile(c, next);
  // No cache may store the refusal of an invalid range in place of the file.
  if (response instanceof Response && response.ok)
    for (const [name, value] of Object.entries(assetHeaders)) response.headers.set(name, value);
  return response;
};
