// A reader who follows a document exactly: types its commands, remembers their output, and acts as the person in the browser.
import { allow, Browser, requireLeft, requirePage, signIn } from '../support/oauth.ts';
import { patternOf } from './printed.ts';
import { type Step, stepsOf } from './steps.ts';
import type { Terminal } from './terminal.ts';

/** The server that the reader has started, where documents say port 4000 and a folder in somebody's home. */
export interface Started {
  readonly banner: string;
  readonly port: number;
  /** DATA_DIR. */
  readonly dataDir: string;
  readonly person: { readonly email: string; readonly password: string };
}

/** A difference between a document and the outcome. */
export interface Difference {
  readonly line: number;
  readonly command: string;
  readonly printed: string;
  readonly happened: string;
}

/** `NAME=fgw_…` in a command: the last value of that form in an output. */
const SEEN: Readonly<Record<string, RegExp>> = {
  'fgw_…': /fgw_\w+/g,
  'fgc_…': /fgc_\w+/g,
  'fgs_…': /fgs_[\w-]+/g,
  'fgt_…': /fgt_\w+/g,
  'eyJ…': /eyJ[\w-]+\.[\w-]+\.[\w-]+/g,
  'CODE=…': /(?<=[?&])code=[\w-]+/g,
};

/** Follows a document from its first step to its last. @returns the differences from what it prints */
export async function follow(markdown: string, terminal: Terminal, started: Started): Promise<Difference[]> {
  const differences: Difference[] = [];
  let seen = started.banner;
  let last = '';
  for (const step of stepsOf(markdown)) {
    last = await take(step);
    seen += `\n${last}`;
    const happened = asInDocuments(last, started);
    if (!patternOf(step.printed).test(happened)) {
      differences.push({ line: step.line, command: step.text, printed: step.printed, happened });
    }
  }
  return differences;

  async function take({ kind, text }: Step): Promise<string> {
    if (kind === 'start') return started.banner;
    if (kind === 'person') return answer(last.trim(), text === 'allows', started);
    let command = text.replaceAll(':4000', `:${started.port}`);
    for (const [form, found] of Object.entries(SEEN)) {
      if (!command.includes(form)) continue;
      const value = [...seen.matchAll(found)].at(-1)?.[0] ?? 'nothing of that form was printed before';
      command = command.replaceAll(form, value.replace(/^code=/, 'CODE='));
    }
    return terminal.run(command);
  }
}

function asInDocuments(text: string, { port, dataDir }: Started): string {
  return text
    .replaceAll(`:${port}`, ':4000')
    .replaceAll(`%3A${port}`, '%3A4000')
    .replaceAll(dataDir, '/home/you/funnel-gateway/.data');
}

/** The person follows an address, signs in, and answers for the first workspace of the first team. @returns where they end */
async function answer(url: string, allows: boolean, { person }: Started): Promise<string> {
  const browser = new Browser((to, init) => fetch(to, { ...(init as RequestInit), redirect: 'manual' }));
  const consent = requirePage(
    await signIn(browser, requirePage(await browser.open(url)), person.email, person.password),
  );
  const end = allows
    ? await allow(browser, consent, { teamId: 1n, workspaceIds: [1n], scopes: ['contacts:read'] })
    : await browser.submit(consent, [], 'deny');
  return requireLeft(end).href;
}
