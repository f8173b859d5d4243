// A real Chromium with a new profile that can reach this machine only, and a record of all that its pages do; and what every
// browser test begins with: the gateway with its demo, and a page of a browser of its own.
import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { type DemoGateway, startDemoGateway } from './demo-gateway.ts';

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

/** Look at what is there after a change of the pages. */
const SCREENSHOTS = join(tmpdir(), 'funnel-gateway-screenshots');

/** What a browser test works with. Page, context and record are those of the test that runs, once it has opened them. */
export interface DemoBrowser {
  readonly server: DemoGateway;
  readonly context: BrowserContext;
  readonly page: Page;
  readonly record: Activity;
  /** Opens the test's page; it is closed with the test. */
  open(options?: BrowserContextOptions): Promise<void>;
  /** A page in a browser that knows nothing of the test's. */
  openElsewhere(): Promise<Page>;
  /** A picture of the page, which must not be wider than its window. */
  shoot(name: string, options?: { fullPage: boolean }): Promise<void>;
}

/**
 * Starts the gateway with its demo data and a browser, for all tests of a file, and stops them.
 * @param prepare what a file needs besides, before its first test
 */
export function provideDemoBrowser(
  prepare: (server: DemoGateway) => Promise<unknown> = async () => {},
): DemoBrowser {
  let server: DemoGateway;
  let browser: Browser;
  let page: Page;
  let record: Activity;
  const contexts: BrowserContext[] = [];

  async function openPage(options?: BrowserContextOptions): Promise<{ page: Page; record: Activity }> {
    const opened = await openContext(browser, options);
    contexts.push(opened.context);
    return { page: await opened.context.newPage(), record: opened.record };
  }

  beforeAll(async () => {
    mkdirSync(SCREENSHOTS, { recursive: true });
    server = await startDemoGateway();
    await prepare(server);
    browser = await chromium.launch({ executablePath, headless: true, args });
  }, 60_000);
  afterEach(async () => {
    await Promise.all(contexts.splice(0).map((context) => context.close()));
  });
  afterAll(async () => {
    await browser?.close();
    await server?.close();
  });

  return {
    get server() {
      return server;
    },
    get context() {
      return page.context();
    },
    get page() {
      return page;
    },
    get record() {
      return record;
    },
    async open(options) {
      ({ page, record } = await openPage(options));
    },
    openElsewhere: async () => (await openPage()).page,
    async shoot(name, options) {
      await page.screenshot({ path: join(SCREENSHOTS, `${name}.png`), ...options });
      const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
      expect(overflow).toBeLessThanOrEqual(0);
    },
  };
}

async function openContext(
  browser: Browser,
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
