// The page in place of GraphiQL or the REST reference if their bundle was not built. It says how to build the bundle.
import { html } from '../oauth/pages/html.ts';
import { pageResponse } from '../oauth/pages/layout.ts';

/** The page, with status 503. @param name of the page that is missing */
export function pageNotBuilt(name: 'GraphiQL' | 'The REST reference'): Response {
  return pageResponse({
    status: 503,
    title: `${name} is not built`,
    body: html`<h1>${name} is not built</h1>
<p>The gateway runs, but the files of this page are not there. In the folder of the gateway, with its development packages installed, run <code>npm run build</code>, and reload this page; the gateway need not be started again.</p>
<p>The APIs do not need it: <code>POST /graphql</code>, and REST below <code>/api/v2</code>, with its <a href="/api/v2/openapi.json">OpenAPI document</a>.</p>`,
  });
}
