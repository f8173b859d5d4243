// The error page for an authorization request that oidc-provider refuses without a redirect to the application, because the application
// or its redirect URI is unknown.
import { errors } from 'oidc-provider';
import type { Configuration } from './features.ts';
import { EXPIRED_PAGE, FAILED, type ProblemData, problemPage } from './pages/problem.ts';

type PageTexts = Pick<ProblemData, 'title' | 'detail' | 'advice'>;

const ASK_DEVELOPER =
  'Send the text below to the developer of the application. None of your data was shared with it.';

/** The texts by error code (RFC 6749 §4.1.2.1 and its extensions). */
const WORDS: Readonly<Record<string, PageTexts>> = {
  invalid_client: {
    title: 'Unknown application',
    detail: 'The application that sent you here is not known to this service, or was switched off.',
    advice: ASK_DEVELOPER,
  },
  invalid_redirect_uri: {
    title: 'The way back is not known',
    detail:
      'The application wants you sent on to an address that was not registered for it. That could be somebody else’s, so you stay here.',
    advice: ASK_DEVELOPER,
  },
  server_error: FAILED,
};

const INVALID: PageTexts = {
  title: 'The application’s request is not valid',
  detail: 'The application that sent you here sent a request that this service does not accept.',
  advice: ASK_DEVELOPER,
};

/** The page. The request's id is in its header: node-http.ts sets it. */
export const renderError: NonNullable<Configuration['renderError']> = async (ctx, out, error) => {
  const { error: name, error_description: description } = out;
  const words = error instanceof errors.SessionNotFound ? EXPIRED_PAGE : (WORDS[name] ?? INVALID);
  const page = problemPage({
    ...words,
    status: ctx.status,
    code: [name, description].filter(Boolean).join(': '),
    requestId: ctx.get('x-request-id'),
  });
  for (const [header, value] of page.headers) ctx.set(header, value);
  ctx.body = await page.text();
};
