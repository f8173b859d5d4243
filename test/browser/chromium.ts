// A real Chromium with a new profile that can reach this machine only, and a record of all that its pages do.
import { type BrowserContext, type BrowserContextOptions, chromium } from 'playwright-core';

const executablePath = '/usr/bin/chromium';
const args = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost',
];

export interface Activity {
  /** The URL of every request, workers' too; `data:` and `blob:` are none. */
  requests: { url: string; method: string; headers: { [name: string]: string } }[];
  /** Console errors and warnings, uncaught errors, policy violations. A 401 of the API is an answer, not an error. */
  problems: string[];
}

export const openBrowser = () => chromium.launch({ executablePath, headless: true, args });

export async function openContext(
  browser: Awaited<ReturnType<typeof openBrowser>>,
  options?: BrowserContextOptions,
): Promise<{ context: BrowserContext; record: Activity }> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  context.setDefaultTimeout(15_000);
  const record: Activity = { requests: [], problems: [] };
  await context.exposeFunction('reportViolation', (text: string) => record.problems.push(text));
  await context.addInitScript(`addEventListener('securitypolicyviolation', (event) =>
    reportViolation(['CSP', event.violatedDirective, event.blockedURI, event.sourceFile, event.lineNumber].join(' ')),
  )`);
  context.on('request', (request) => {
    if (!/^(data|blob):/.test(request.url())) {
      record.requests.push({ url: request.url(), method: request.method(), headers: request.headers() });
    }
  });
  context.on('console', (message) => {
    const { url } = message.location();
    const isRefusal = url.endsWith('/graphql') && message.text().includes('401');
    // Chromium looks for an icon beside every document that is not HTML.
    const isIcon = url.endsWith('/favicon.ico');
    if (!['error', 'warning'].includes(message.type()) || isRefusal || isIcon) return;
    record.problems.push(message.text());
  });
  context.on('weberror', (error) => record.problems.push(String(error.error())));
  return { context, record };
}
