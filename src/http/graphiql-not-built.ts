// The page in place of GraphiQL if its bundle was not built. It says how to build the bundle.
import { html } from '../oauth/pages/html.ts';
import { pageResponse } from '../oauth/pages/layout.ts';

/** The page, with status 503. */
export function graphiqlNotBuilt(): Response {
  return pageResponse({
    status: 503,
    title: 'GraphiQL is not built',
    body: html`<h1>GraphiQL is not built</h1>
<p>The gateway runs, but the files of its GraphiQL page are not there. In the folder of the gateway, with its development packages installed, run <code>npm run build</code>, and reload this page; the gateway need not be started again.</p>
<p>The APIs do not need it: <code>POST /graphql</code>, and REST at <a href="/api/v2">/api/v2</a>.</p>`,
  });
}
