// Adds help for newcomers to some error responses, because the API's errors cannot refer to this page.
import { canSignIn } from './authorization.ts';
import { isTapped } from './device.ts';
import { wantScope } from './session.ts';

/** The kind of credential that a request was sent with. */
export type Credential = 'none' | 'key' | 'session' | 'header';

const orSignIn = canSignIn ? ', or press “Sign in” next to it' : '';
const runAgain = isTapped() ? 'tap the arrow again' : 'run this again with Ctrl-Enter';

/** The help for a request without valid credentials. */
const notAccepted: Record<Credential, readonly string[]> = {
  none: [
    'Queries for data need an API key or a sign-in. This page has neither yet.',
    `Paste an API key into the field “API key” at the top${orSignIn}. A first start of the gateway prints a key for the demo.`,
    `Then ${runAgain}. “Examples”, at the top, has queries to start with. The docs need no key.`,
  ],
  key: [
    'The gateway does not accept the key in the field “API key” at the top.',
    `Paste another one${orSignIn}.`,
  ],
  session: ['Your sign-in has ended. Press “Sign in” at the top, then run this again.'],
  header: [
    'The gateway does not accept the Authorization header in the Headers editor.',
    'Remove it there to use the credentials at the top.',
  ],
};

/** The help for a missing scope. */
const notAllowed: Record<Credential, (scope: string) => readonly string[]> = {
  none: (scope) => [`This needs the scope ${scope}.`],
  key: (scope) => [
    `The key in the field “API key” lacks the scope ${scope}.`,
    `Use a key that has it: npx funnel-gateway token create creates keys.${
      canSignIn ? ' Or press “Sign in” at the top, and tick the first line there.' : ''
    }`,
  ],
  session: (scope) => [
    `Your sign-in lacks the scope ${scope}.`,
    `Press “Sign in again” at the top, and tick the first line, which is this scope. Then ${runAgain}.`,
  ],
  header: (scope) => [
    `The Authorization header in the Headers editor lacks the scope ${scope}.`,
    'Remove it there to use the credentials at the top.',
  ],
};

const usedUp = [
  "There is no such split. If you removed it before, this command restores the demo's funnels, also while the gateway runs:",
  'npx funnel-gateway demo restore',
];

/** The answer, with a first member `help` if there is help for its error. */
export async function withHelp(response: Response, credential: Credential): Promise<Response> {
  const answer: unknown = await response
    .clone()
    .json()
    .catch(() => null);
  if (typeof answer !== 'object' || answer === null) return response;
  const help = response.status === 401 ? notAccepted[credential] : helpWith(answer, credential);
  return help === null ? response : Response.json({ help, ...answer }, { status: response.status });
}

function helpWith(answer: Answer, credential: Credential): readonly string[] | null {
  const lacking = errorsOf(answer).find(({ extensions }) => extensions?.code === 'INSUFFICIENT_SCOPE');
  if (lacking?.extensions?.scope !== undefined) {
    const { scope } = lacking.extensions;
    if (credential !== 'header') wantScope(scope);
    return notAllowed[credential](scope);
  }
  const refusals = answer.data?.removeConditionalSplit?.userErrors ?? [];
  return refusals.some(({ code }) => code === 'NOT_FOUND') ? usedUp : null;
}

interface Answer {
  readonly errors?: unknown;
  readonly data?: {
    readonly removeConditionalSplit?: { readonly userErrors?: readonly { readonly code?: string }[] } | null;
  } | null;
}

interface GraphqlError {
  readonly extensions?: { readonly code?: unknown; readonly scope?: string };
}

function errorsOf({ errors }: Answer): readonly GraphqlError[] {
  return Array.isArray(errors) ? (errors as GraphqlError[]) : [];
}
