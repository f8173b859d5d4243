// A real Chromium with a new profile that can reach this machine only, and a record of all that its pages do; and what every
// browser test begins with: the gateway with its demo, and a page of a browser that knows nothing of the tests before.
import { existsSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { isNight, sampleAt } from '../support/nightly.ts';
import { type AxeException, axeFindings } from './axe.ts';
import { type DemoGateway, startDemoGateway } from './demo-gateway.ts';

/** The same engine without a window around it: a page takes a quarter less of a processor. At night, the browser that people have. */
const HEADLESS = '/usr/bin/chromium-headless-shell';
const executablePath = !isNight && existsSync(HEADLESS) ? HEADLESS : '/usr/bin/chromium';
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

/** Run in the page: what does not fit and, on a page of ours, buttons that nobody has styled. */
const FAULTS = `(isOurs) => {
  const isShown = (element) => element.checkVisibility({ visibilityProperty: true });
  const name = (element) => element.outerHTML.slice(0, 120);
  const tooWide = [document.documentElement, ...document.querySelectorAll('[role="dialog"]')].filter(
    (element) => isShown(element) && element.scrollWidth > element.clientWidth,
  );
  const unstyled = [...document.querySelectorAll('button')].filter(
    (button) => isOurs && isShown(button) && getComputedStyle(button).borderTopStyle === 'outset',
  );
  return [...tooWide.map((one) => 'too wide: ' + name(one)), ...unstyled.map((one) => 'unstyled: ' + name(one))];
}`;

/** The windows that pages are examined in. */
export const WINDOWS = [
  ['desktop', { width: 1280, height: 800 }],
  ['phone', { width: 390, height: 844 }],
] as const;

/** The windows that some pages are examined in: by day one, and the other one for other pages. Each window needs a new load. */
export const windowsFor = (pages: string) => sampleAt(pages, WINDOWS, 2);

/** The colour schemes that a page is examined in: by day one, and the other one for other pages. */
export const schemesFor = (page: string) => sampleAt(page, ['light', 'dark'] as const, 2);

/** Run in the page: until colours that change with the scheme have changed. */
const SETTLED = `Promise.allSettled(
  document.getAnimations().filter((one) => one instanceof CSSTransition).map(({ finished }) => finished),
)`;

/** How a page is shown where a test says nothing of it. */
const DESKTOP: BrowserContextOptions = { viewport: { width: 1280, height: 800 }, reducedMotion: 'reduce' };

/** What a browser test works with. Page, context and record are those of the test that runs, once it has opened them. */
export interface DemoBrowser {
  readonly server: DemoGateway;
  readonly context: BrowserContext;
  readonly page: Page;
  readonly record: Activity;
  /**
   * Opens the test's page; it is closed with the test.
   * @param options for a context of its own: what a page cannot change of its context, or would leave behind in it
   */
  open(options?: BrowserContextOptions): Promise<void>;
  /** A page in a browser that knows nothing of the test's. */
  openElsewhere(): Promise<Page>;
  /** A picture of the page, which must fit its window, with dialogs that fit theirs, and buttons that are ours. */
  shoot(name: string, options?: { fullPage: boolean }): Promise<void>;
  /** Shoots the page in light and dark, by day in one of them. In each, axe must find nothing, and nothing must have gone wrong before. */
  examine(name: string, exceptions?: readonly AxeException[]): Promise<void>;
}

/**
 * Starts the gateway with its demo data and a browser, for all tests of a file, and stops them.
 * @param prepare what a file needs besides, before its first test
 */
export function provideDemoBrowser(
  prepare: (server: DemoGateway) => Promise<unknown> = async () => {},
): DemoBrowser {
  let server: DemoGateway;
  let profile: Profile;
  let page: Page;
  let record: Activity;
  const contexts: BrowserContext[] = [];

  async function openContext(options?: BrowserContextOptions): Promise<Page> {
    const context = await profile.openContext(options);
    contexts.push(context);
    return context.newPage();
  }

  beforeAll(async () => {
    mkdirSync(SCREENSHOTS, { recursive: true });
    server = await startDemoGateway();
    await prepare(server);
    profile = await openProfile();
  }, 60_000);
  afterEach(async () => {
    await Promise.all(contexts.splice(0).map((context) => context.close()));
    await profile.empty();
  });
  afterAll(async () => {
    await profile?.close();
    await server?.close();
  });

  async function shoot(name: string, options?: { fullPage: boolean }): Promise<void> {
    await page.screenshot({ path: join(SCREENSHOTS, `${name}.png`), ...options });
    const isOurs = [server.url, server.issuer].includes(new URL(page.url()).origin);
    expect(await page.evaluate<string[]>(`(${FAULTS})(${isOurs})`), name).toEqual([]);
  }

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
      page = options === undefined ? await profile.context.newPage() : await openContext(options);
      record = activityOf(page.context());
    },
    openElsewhere: () => openContext(),
    shoot,
    async examine(name, exceptions) {
      for (const colorScheme of schemesFor(name)) {
        await page.emulateMedia({ colorScheme });
        await page.evaluate(SETTLED);
        const look = `${name}-${colorScheme}`;
        await shoot(look);
        expect(await axeFindings(page, exceptions), look).toEqual([]);
      }
      expect(record.problems, name).toEqual([]);
    },
  };
}

interface Profile {
  /** Keeps what it has loaded and compiled, as a person's browser does: a context of its own begins with nothing each time. */
  readonly context: BrowserContext;
  /** A context beside it, which has nothing of it. */
  openContext(options?: BrowserContextOptions): Promise<BrowserContext>;
  /** Closes its pages, and takes away all that a page can have left: cookies, storage, and permissions. */
  empty(): Promise<void>;
  close(): Promise<void>;
}

async function openProfile(): Promise<Profile> {
  // An empty path: a new folder, which is removed with the browser.
  const context = await chromium.launchPersistentContext('', {
    ...{ executablePath, headless: true, args },
    ...DESKTOP,
  });
  const browser = context.browser();
  if (browser === null) throw new Error('The profile belongs to no browser.');
  await observe(context);
  // It stays open while the pages of the tests come and go.
  const [blank = await context.newPage()] = context.pages();
  const debug = await context.newCDPSession(blank);
  return {
    context,
    async openContext(options) {
      const other = await browser.newContext({ ...DESKTOP, ...options });
      await observe(other);
      return other;
    },
    async empty() {
      await Promise.all(
        context
          .pages()
          .filter((page) => page !== blank)
          .map((page) => page.close()),
      );
      const { requests } = activityOf(context);
      for (const origin of new Set(requests.map(({ url }) => new URL(url).origin)))
        await debug.send('Storage.clearDataForOrigin', { origin, storageTypes: 'all' });
      await context.clearCookies();
      await context.clearPermissions();
      activities.set(context, { requests: [], problems: [] });
    },
    close: () => context.close(),
  };
}

const activities = new WeakMap<BrowserContext, Activity>();

/** @throws Error where nobody observes the context */
function activityOf(context: BrowserContext): Activity {
  const activity = activities.get(context);
  if (activity === undefined) throw new Error('Nobody observes this context.');
  return activity;
}

async function observe(context: BrowserContext): Promise<void> {
  context.setDefaultTimeout(15_000);
  activities.set(context, { requests: [], problems: [] });
  const reportProblem = (text: string) => activityOf(context).problems.push(text);
  await context.exposeFunction('reportViolation', reportProblem);
  await context.addInitScript(`addEventListener('securitypolicyviolation', (event) =>
    reportViolation(['CSP', event.violatedDirective, event.blockedURI, event.sourceFile, event.lineNumber].join(' ')),
  )`);
  context.on('request', (request) => {
    if (!/^(data|blob):/.test(request.url())) {
      const { requests } = activityOf(context);
      requests.push({ url: request.url(), method: request.method(), headers: request.headers() });
    }
  });
  context.on('console', (message) => {
    const { url } = message.location();
    const isRefusal = url.endsWith('/graphql') && message.text().includes('401');
    // Chromium looks for an icon beside every document that is not HTML.
    const isIcon = url.endsWith('/favicon.ico');
    if (!['error', 'warning'].includes(message.type()) || isRefusal || isIcon) return;
    reportProblem(message.text());
  });
  context.on('weberror', (error) => reportProblem(String(error.error())));
}
