// The pages as text: their escaping, their headers, and the choices in their forms.
import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { SCOPES, scopeSentence } from '../../src/auth/scopes.ts';
import { accountPage, parseAccountForm } from '../../src/oauth/pages/account.ts';
import { type ConsentData, consentPage, parseConsent } from '../../src/oauth/pages/consent.ts';
import { problemPage } from '../../src/oauth/pages/problem.ts';
import { parseSignIn, signInPage } from '../../src/oauth/pages/sign-in.ts';
import { waitSentence } from '../../src/oauth/pages/waiting.ts';

const EVIL = `"><script>alert('x')</script>&`;
const form = { action: '/oauth/interaction/u1', csrf: 'csrf-token' };
const acme = { teamId: 1n, teamName: 'Acme', workspaces: [{ id: 11n, name: 'Main' }] };
const consent: ConsentData = {
  ...form,
  clientName: 'Mailpilot',
  redirectHost: 'app.example.com',
  userName: 'Ada',
  userEmail: 'ada@example.com',
  scopes: [{ scope: 'contacts:read', sentence: 'Read contacts' }],
  teams: [acme],
};
const account = { ...form, user: { name: 'Ada', email: 'ada@example.com' }, grants: [] };
const grant = {
  publicId: 'abcdef',
  clientName: EVIL,
  teamName: EVIL,
  workspaces: [EVIL],
  scopes: [EVIL],
  createdAt: new Date('2026-03-01T00:00:00Z'),
};

const pages: [string, () => Response][] = [
  ['sign-in', () => signInPage({ ...form, clientName: EVIL, email: EVIL, error: EVIL, notice: EVIL })],
  [
    'consent',
    () =>
      consentPage({
        ...consent,
        clientName: EVIL,
        clientUri: `https://x.example/${EVIL}`,
        redirectHost: EVIL,
        isUnverified: true,
        userName: EVIL,
        userEmail: EVIL,
        scopes: [{ scope: EVIL, sentence: EVIL, notFor: [EVIL] }],
        teams: [acme, { teamId: 2n, teamName: EVIL, workspaces: [{ id: 3n, name: EVIL }] }],
        error: EVIL,
      }),
  ],
  [
    'account',
    () =>
      accountPage({
        ...account,
        user: { name: EVIL, email: EVIL },
        grants: [grant],
        notice: EVIL,
        failed: { field: EVIL, message: EVIL },
      }),
  ],
  [
    'problem',
    () => problemPage({ status: 400, title: EVIL, detail: EVIL, advice: EVIL, code: EVIL, requestId: EVIL }),
  ],
];

describe.each(pages)('the %s page', (_, page) => {
  test('renders all input as text', async () => {
    const body = await page().text();
    expect(body).not.toContain('<script');
    expect(body).not.toContain('">alert');
    expect(body).toContain('&lt;script&gt;alert(&#39;x&#39;)');
  });

  test('may not be framed, cached, sniffed or scripted, and loads nothing from other origins', async () => {
    const { headers } = page();
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'x-frame-options': 'DENY',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'same-origin',
    });
    const body = await page().text();
    const [, style = ''] = /<style>([\s\S]*?)<\/style>/.exec(body) ?? [];
    const hash = createHash('sha256').update(style).digest('base64');
    expect(headers.get('content-security-policy')).toBe(
      `default-src 'none'; style-src 'sha256-${hash}'; img-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'`,
    );
    expect(body).not.toMatch(/\s(src|style|on\w+)=|url\(|@import/);
  });
});

test('a form may redirect to the scheme of the redirect URI and to no other, whatever the URI has', () => {
  const policyFor = (...formAction: string[]) =>
    /form-action ([^;]*)/.exec(
      signInPage({ ...form, clientName: 'X', formAction }).headers.get('content-security-policy') ?? '',
    )?.[1];
  expect(policyFor('https://app.example.com/cb')).toBe("'self' https:");
  expect(policyFor('http://[::1]:8123/cb')).toBe("'self' http:");
  expect(policyFor('com.example.app:/cb', 'https://a;b.example/')).toBe("'self' com.example.app: https:");
  expect(policyFor("nonsense; script-src 'unsafe-inline'")).toBe("'self'");
});

describe('sign-in', () => {
  test('keeps the e-mail address after a mistake, never the password, and announces the mistake to screen readers', async () => {
    const response = signInPage({ ...form, clientName: null, email: 'ada@example.com', error: 'Wrong.' });
    const body = await response.text();
    expect(response.status).toBe(422);
    expect(body).toContain('value="ada@example.com"');
    expect(body).toMatch(/<input type="password" (?![^>]*value=)[^>]*aria-describedby="error"/);
    expect(body).toContain('role="alert"');
  });

  test('says when to try again', () => {
    const response = signInPage({ ...form, clientName: null, error: 'Too many.', retryAfterSeconds: 60 });
    expect(response.status).toBe(429);
    expect(response.headers.get('retry-after')).toBe('60');
  });

  test('can be canceled if an application waits, and has no such button otherwise', async () => {
    expect(await signInPage({ ...form, clientName: 'X' }).text()).toContain('value="deny" formnovalidate');
    expect(await signInPage({ ...form, clientName: null }).text()).not.toContain('value="deny"');
  });

  test('the form is read unchanged, except for surrounding spaces', () => {
    const sent = new URLSearchParams({ email: ' ada@example.com ', password: ' x ', decision: 'sign_in' });
    expect(parseSignIn(sent)).toEqual({ decision: 'sign_in', email: 'ada@example.com', password: ' x ' });
    expect(parseSignIn(new URLSearchParams('decision=deny')).decision).toBe('deny');
  });
});

describe('consent', () => {
  const read = (text: string) => parseConsent(new URLSearchParams(text));

  test('the deny button is before the allow button in the same form, so that the Enter key never allows', async () => {
    const [, buttons = ''] =
      /<div class="buttons">([\s\S]*?)<\/div>/.exec(await consentPage(consent).text()) ?? [];
    expect([...buttons.matchAll(/value="(\w+)"/g)].map(([, value]) => value)).toEqual(['deny', 'allow']);
  });

  test('the complete team is null, chosen workspaces are a list, and those of another team are ignored', () => {
    const common = 'scope=contacts:read&scope=funnels:read&decision=allow';
    expect(read(`${common}&team=1&access-1=team&workspace-1=11`)).toEqual({
      decision: 'allow',
      scopes: ['contacts:read', 'funnels:read'],
      teamId: '1',
      workspaceIds: null,
    });
    expect(read(`${common}&team=1&access-1=some&workspace-1=11&workspace-2=22`).workspaceIds).toEqual(['11']);
    expect(read(`${common}&team=2&access-1=team&access-2=some`).workspaceIds).toEqual([]);
  });

  test('a form without workspaces never means the complete team, and one without a decision is a denial', () => {
    expect(read('decision=allow&team=1&scope=read').workspaceIds).toEqual([]);
    expect(read('team=1&scope=read').decision).toBe('deny');
    expect(read('decision=ALLOW').decision).toBe('deny');
  });

  test('another person says so in the same form, whatever is chosen in it', async () => {
    const body = await consentPage(consent).text();
    expect(body.match(/<form/g)).toHaveLength(1);
    const buttons = [...body.matchAll(/<button[^>]* value="(\w+)"/g)].map(([, value]) => value);
    expect(buttons).toEqual(['deny', 'allow', 'switch']);
    expect(body).toContain('value="switch" formnovalidate>Not you? Use another account');
    expect(read('decision=switch').decision).toBe('switch');
  });

  test('keeps the choices when something is missing', async () => {
    const none = read('decision=allow&team=1&access-1=some&scope=contacts:read');
    const body = await consentPage({ ...consent, chosen: none, error: 'Choose.' }).text();
    expect(body).toMatch(/value="some" checked/);
    expect(body).not.toMatch(/value="team" checked/);
  });

  test('scopes that the person may grant for none of their teams cannot be ticked', async () => {
    const other = { teamId: 2n, teamName: 'Globex', workspaces: [] };
    const inputFor = async (notFor: string[]) => {
      const scopes = [{ scope: 'account:write', sentence: 'Change teams', notFor }];
      const body = await consentPage({ ...consent, teams: [acme, other], scopes }).text();
      return /<input type="checkbox" name="scope"[^>]*>/.exec(body)?.[0];
    };
    expect(await inputFor(['Acme', 'Globex'])).toMatch(/value="account:write"\s+disabled>/);
    expect(await inputFor(['Acme'])).toMatch(/value="account:write"\s*>/);
  });

  test('read scopes are ticked in advance, scopes that change data never are, and the page says so', async () => {
    const bodyFor = async (scopes: string[], role: Partial<ConsentData> = {}) => {
      const choices = scopes.map((scope) => ({ scope, sentence: scopeSentence(scope) }));
      const body = await consentPage({ ...consent, scopes: choices, ...role }).text();
      const inputs = [...body.matchAll(/name="scope" value="([^"]+)"([^>]*)>/g)];
      return {
        body,
        ticked: inputs.flatMap(([, scope, more]) => (more?.includes('checked') ? [scope] : [])),
      };
    };
    const hint = 'Nothing that changes data is ticked beforehand';
    const mixed = await bodyFor([...SCOPES]);
    expect(mixed.ticked).toEqual(SCOPES.filter((scope) => /(^|:)read$/.test(scope)));
    expect(mixed.body).toContain(hint);
    const writing = await bodyFor(['funnels:write', 'write']);
    expect([writing.ticked, writing.body.includes(hint)]).toEqual([[], true]);
    expect((await bodyFor(['read'])).body).not.toContain(hint);
    const notFor = [acme.teamName];
    const none = await bodyFor([], { scopes: [{ scope: 'write', sentence: 'Change', notFor }] });
    expect([none.body.includes(hint), none.body.includes('None of this is yours to grant')]).toEqual([
      false,
      true,
    ]);
    const chosen = read('decision=allow&team=1&scope=write');
    expect((await bodyFor(['read', 'write'], { chosen, error: 'Choose.' })).ticked).toEqual(['write']);
  });

  test('says that allowing also reveals the person’s identity', async () => {
    const sentence = '<p>If you allow it, Mailpilot also learns your name and e-mail address.</p>';
    expect(await consentPage(consent).text()).toContain(sentence);
    const chosen = read('decision=allow&team=1');
    expect(await consentPage({ ...consent, chosen, error: 'Choose.' }).text()).toContain(sentence);
  });

  test('says where the browser goes next, and if that is on the same computer', async () => {
    const textFor = async (redirectHost: string, isHere = false) =>
      (await consentPage({ ...consent, redirectHost, isHere }).text()).match(/Afterwards.*<\/p>/)?.[0];
    expect(await textFor('app.example.com')).toBe(
      'Afterwards you go to <strong>app.example.com</strong>.</p>',
    );
    for (const host of ['localhost:8000', '127.0.0.1', '[::1]:9']) {
      expect(await textFor(host, true)).toContain(`<strong>${host}</strong>, on this computer.`);
    }
    expect(await textFor('localhost.example.com')).not.toContain('computer');
  });

  test('nothing is chosen for a person of several teams', async () => {
    const other = { teamId: 2n, teamName: 'Globex', workspaces: [] };
    const body = await consentPage({ ...consent, teams: [acme, other] }).text();
    expect(body).toMatch(/name="team" value="2" required\s*>/);
    expect(body).not.toMatch(/name="team"[^>]*checked/);
  });

  test('a link to the application is one to the web', async () => {
    const linksOf = async (clientUri: string) =>
      [...(await consentPage({ ...consent, clientUri }).text()).matchAll(/href="([^"]*)"/g)].map(
        ([, to]) => to,
      );
    expect(await linksOf('https://example.com/about')).toEqual(['https://example.com/about']);
    for (const uri of ['javascript:alert(1)', 'data:text/html,x', 'https://', ' java\nscript:x']) {
      expect(await linksOf(uri), uri).toEqual([]);
    }
  });
});

test('the account page lists each grant, and its forms identify theirs', async () => {
  const body = await accountPage({ ...account, grants: [{ ...grant, workspaces: null }] }).text();
  expect(body).toContain('1 March 2026');
  expect(body).not.toContain(', last on');
  const againAt = new Date('2026-05-02T00:00:00Z');
  expect(await accountPage({ ...account, grants: [{ ...grant, againAt }] }).text()).toMatch(
    /1 March 2026<\/time>, last on <time [^>]*>2 May 2026/,
  );
  expect(body).toContain('all workspaces');
  expect(body).toContain('name="grant" value="abcdef"');
  const read = (text: string) => parseAccountForm(new URLSearchParams(text));
  expect(read('decision=withdraw&grant=abcdef')).toEqual({ decision: 'withdraw', grant: 'abcdef' });
  expect(read('decision=sign_out')).toEqual({ decision: 'sign_out' });
  expect(read('decision=else')).toBeNull();
});

test('the password form suits password managers, and never contains a password', async () => {
  const failed = { field: 'password', message: 'Too short.' };
  const response = accountPage({ ...account, failed });
  const body = await response.text();
  expect([response.status, body.includes('<details open>')]).toEqual([422, true]);
  expect(await accountPage(account).text()).not.toContain('<details open>');
  const inputs = [...body.matchAll(/<input type="password" name="(\w+)" autocomplete="([\w-]+)"([^>]*)>/g)];
  expect(inputs.map(([, name, autocomplete]) => [name, autocomplete])).toEqual([
    ['current', 'current-password'],
    ['password', 'new-password'],
    ['again', 'new-password'],
  ]);
  expect(inputs.map(([, , , more]) => [/value=/.test(more ?? ''), /aria-invalid/.test(more ?? '')])).toEqual([
    [false, false],
    [false, true],
    [false, false],
  ]);
  expect(body).toContain('value="ada@example.com" autocomplete="username"');
  const wait = accountPage({ ...account, failed: { message: 'Wait.', retryAfterSeconds: 90 } });
  expect([wait.status, wait.headers.get('retry-after')]).toEqual([429, '90']);
  const sent = 'decision=change_password&current=+a+&password=b%00&again=c';
  expect(parseAccountForm(new URLSearchParams(sent))).toEqual({
    decision: 'change_password',
    current: ' a ',
    password: 'b\0',
    again: 'c',
  });
});

test.each([
  [1, 'Try again in a few seconds.'],
  [59, 'Try again in about a minute, after 10:02 UTC.'],
  [61, 'Try again in about 2 minutes, after 10:02 UTC.'],
  [14 * 60, 'Try again in about 14 minutes, after 10:15 UTC.'],
  [86_400, 'Try again in about 24 hours, after 10:01 UTC.'],
])('somebody who must wait %i seconds is told how long, and until when', (seconds, sentence) => {
  expect(waitSentence(seconds, new Date('2026-03-01T10:00:30Z'))).toBe(sentence);
});

test('every scope has its own sentence', () => {
  const sentences = SCOPES.map(scopeSentence);
  expect(new Set(sentences).size).toBe(SCOPES.length);
  for (const sentence of sentences) expect(sentence).toMatch(/^(Read|Change) [a-z]/);
  expect(scopeSentence('else')).toBe('else');
});
