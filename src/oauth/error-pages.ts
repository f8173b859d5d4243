// Error pages for people. Programs get error documents.
import type { App } from '../context.ts';
import { AppError, type ErrorCode, STATUS_OF } from '../errors.ts';
import type { OauthRequest } from './oauth-request.ts';
import { FAILED, type ProblemData, problemPage, START_AGAIN } from './pages/problem.ts';
import { waitSentence } from './pages/waiting.ts';

interface PageTexts {
  readonly title: string;
  /** What happened; absent: the error's own message. */
  readonly detail?: string;
  /** What to do; absent: the advice to start again in the application. */
  readonly advice?: string;
}

const WORDS: Partial<Record<ErrorCode, PageTexts>> = {
  unauthenticated: { title: 'Sign in again' },
  not_found: {
    title: 'There is no such page',
    advice: 'Check the address, or go back to where you came from.',
  },
  method_not_allowed: {
    title: 'This address is not a page',
    detail: 'It is for programs, or does not take what was sent to it.',
    advice: 'Go back to where you came from.',
  },
  misdirected_request: {
    title: 'This service has another name',
    advice: 'Check the address: open this service by its own name.',
  },
  too_many_requests: { title: 'Please wait' },
  unavailable: {
    title: 'Not available at the moment',
    advice: 'Wait a moment, then load this page again.',
  },
  request_timeout: { title: 'This took too long', advice: 'Wait a moment, then load this page again.' },
  internal: FAILED,
};

/** The page for an error. @param answer the response that a program would get: the page has the same status and headers */
export function errorPage(
  { clock }: Pick<App, 'clock'>,
  error: unknown,
  answer: Response,
  requestId: string,
): Response {
  const appError = error instanceof AppError ? error : new AppError('internal', '');
  const { code, message, retryAfterSeconds: wait } = appError;
  const { title = 'This did not work', detail = message, advice = START_AGAIN } = WORDS[code] ?? {};
  const page = problemPage({
    status: STATUS_OF[code],
    title,
    detail,
    advice: wait === undefined ? advice : waitSentence(wait, clock()),
    requestId,
  });
  for (const [name, value] of answer.headers) if (!page.headers.has(name)) page.headers.set(name, value);
  return page;
}

/** A page that says why the person cannot continue. It adds the reason to the log line, too. */
export function refusalPage(
  { facts, requestId }: Pick<OauthRequest, 'facts' | 'requestId'>,
  code: string,
  page: Omit<ProblemData, 'code' | 'requestId'>,
): Response {
  facts.refusal = { code, reason: page.detail };
  return problemPage({ ...page, requestId });
}
