// The common parts of every page: the document, its style sheet, the security headers. No inline script, and nothing from other hosts.
import { createHash } from 'node:crypto';
import { type Html, html, toHtml } from './html.ts';
import { STYLE } from './style.ts';

export const SERVICE_NAME = 'Funnel Gateway';

export interface HtmlPage {
  readonly title: string;
  readonly body: Html;
  readonly status?: number;
  /** The destinations to which the form's response may redirect the browser: redirect URIs of the client. */
  readonly formAction?: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
  /** Absent: the common style sheet. */
  readonly style?: StyleSheet;
  /** The path of the page's script, a file of ours. Absent: none. */
  readonly script?: string;
}

/** A style sheet as an element of the page, and its hash for the page's Content-Security-Policy. */
interface StyleSheet {
  readonly element: Html;
  readonly hash: string;
}

/** @param css our own, inserted without escaping */
export function styleSheet(css: string): StyleSheet {
  const hash = createHash('sha256').update(css).digest('base64');
  return { element: toHtml(`<style>${css}</style>`), hash };
}

const OF_ALL_PAGES = styleSheet(STYLE);

/** The page as a response that is never cached and never framed. */
export function pageResponse({
  title,
  body,
  status = 200,
  formAction = [],
  headers = {},
  style = OF_ALL_PAGES,
  script,
}: HtmlPage): Response {
  const document = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${title} · ${SERVICE_NAME}</title>
${style.element}
${script !== undefined && html`<script src="${script}" type="module"></script>`}
</head>
<body>
<header><svg viewBox="0 0 24 24" width="28" height="28" aria-hidden="true"><rect width="24" height="24" rx="6"/><path d="M5 6.5h14l-5.2 6.2v3.6l-3.6 2v-5.6z"/></svg>${SERVICE_NAME}</header>
<main>
${body}
</main>
</body>
</html>
`;
  return new Response(String(document), {
    status,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'content-security-policy': contentSecurityPolicy(formAction, style, script !== undefined),
      'x-frame-options': 'DENY',
      'x-content-type-options': 'nosniff',
      // Not `no-referrer`: with it a browser sends `Origin: null` with our own forms.
      'referrer-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      ...headers,
    },
  });
}

/**
 * Chromium applies `form-action` to every redirect after a form: the one to the client, and those that the client sends next. So the policy
 * contains the scheme of the client's redirect URI, not its origin.
 */
function contentSecurityPolicy(
  formAction: readonly string[],
  { hash }: StyleSheet,
  hasScript: boolean,
): string {
  const schemes = formAction.filter((uri) => URL.canParse(uri)).map((uri) => new URL(uri).protocol);
  return [
    "default-src 'none'",
    `style-src 'sha256-${hash}'`,
    ...(hasScript ? ["script-src 'self'"] : []),
    // Allows the icon, which browsers request by themselves.
    "img-src 'self'",
    `form-action ${["'self'", ...new Set(schemes)].join(' ')}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ');
}

/** The hidden field that proves that we created the form. */
export const csrfField = (csrf: string): Html => html`<input type="hidden" name="csrf" value="${csrf}">`;

/** An error message that screen readers announce. @param hasFocus whether the keyboard focus starts there */
export const alertBox = (message: string | null | undefined, hasFocus = false): Html | null =>
  message
    ? html`<p class="alert" id="error" role="alert" tabindex="-1" ${hasFocus && html`autofocus`}>${message}</p>`
    : null;

/** A field of a submitted form; '' when it is missing. */
export function field(form: URLSearchParams, name: string): string {
  return form.get(name) ?? '';
}
