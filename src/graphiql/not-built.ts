// What is served in place of GraphiQL where its bundle was not built: a page for people that says how to build it.
import { createHash } from 'node:crypto';

const STYLE = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { max-width: 38rem; margin: 12vh auto; padding: 0 1.5rem; }
code, pre { font: 0.9em/1.5 ui-monospace, Menlo, Consolas, monospace; }
pre { padding: 0.8rem 1rem; border: 1px solid; border-radius: 6px; overflow-x: auto; }
`;

/** The page, as HTML. */
export const NOT_BUILT_PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="robots" content="noindex">
    <title>GraphiQL is not built · Funnel Gateway</title>
    <style>${STYLE}</style>
  </head>
  <body>
    <main>
      <h1>GraphiQL is not built</h1>
      <p>The gateway runs, but the files of its GraphiQL page are not there. In the folder of the gateway, with its development packages installed, run</p>
      <pre><code>npm run build</code></pre>
      <p>and reload this page; the gateway need not be started again.</p>
      <p>The APIs do not need it: <code>POST /graphql</code>, and REST at <a href="/api/v2">/api/v2</a>.</p>
    </main>
  </body>
</html>
`;

/** The Content-Security-Policy of the page: its own style sheet, by its hash, and nothing else. */
export const NOT_BUILT_POLICY = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
