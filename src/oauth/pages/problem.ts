// A page for what cannot go on: a sign-in that has expired, a form that is not ours, a request that a client got wrong.
import { html } from './html.ts';
import { pageResponse } from './layout.ts';

export interface ProblemData {
  readonly status: number;
  readonly title: string;
  readonly detail: string;
}

export function problemPage({ status, title, detail }: ProblemData): Response {
  return pageResponse({
    status,
    title,
    body: html`<h1>${title}</h1>
<p>${detail}</p>`,
  });
}
