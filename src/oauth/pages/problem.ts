// The error page: what happened, what to do, and the id by which the operator finds the request.
import { type Html, html } from './html.ts';
import { pageResponse } from './layout.ts';

export interface ProblemData {
  readonly status: number;
  readonly title: string;
  /** What happened, as sentences. */
  readonly detail: string;
  /** What to do, as sentences. */
  readonly advice: string;
  /** The standard's error code, for the application's developer. */
  readonly code?: string | undefined;
  readonly requestId: string;
}

/** The advice when the person came from an application. */
export const START_AGAIN = 'Go back to the application that sent you here, and start again.';

/** The page as an answer. */
export function problemPage({ status, title, detail, advice, code, requestId }: ProblemData): Response {
  return pageResponse({
    status,
    title,
    body: html`<h1>${title}</h1>
<p>${detail}</p>
<p>${advice}</p>
<dl class="about">
${code !== undefined && term('Error', code)}
${term('Request id', requestId)}
</dl>`,
  });
}

function term(name: string, value: string): Html {
  return html`<div><dt>${name}</dt><dd><code>${value}</code></dd></div>`;
}

/** The text for an internal error. */
export const FAILED = {
  title: 'Something went wrong',
  detail: 'The server failed. Try again, or report the request id to its operator.',
  advice: 'Try again. If it happens again, tell the operator of this service the request id.',
} as const;

/** The text for a page that has expired. */
export const EXPIRED_PAGE = {
  title: 'This page has expired',
  detail: 'It was open for more than 15 minutes, was used already, or was begun in another browser.',
  advice: START_AGAIN,
} as const;
