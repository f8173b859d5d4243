// Some answers leave a newcomer alone: the API's refusal knows nothing of this page. Words about the page go before it.
import { canSignIn } from './authorization.ts';

/** What a request was sent with. */
export type Credential = 'none' | 'key' | 'session' | 'header';

const orSignIn = canSignIn ? ', or press “Sign in” beside it' : '';

const refusals: Record<Credential, readonly string[]> = {
  none: [
    'Data needs to know who asks, and this page does not know yet.',
    `Paste an API key into the field “API key” at the top${orSignIn}. A first start of the gateway prints a key for the demo.`,
    'Then run this again with Ctrl-Enter. “Examples”, at the top, has queries to begin with; the docs need no key.',
  ],
  key: [
    'The gateway does not accept the key in the field “API key” at the top.',
    `Paste another one${orSignIn}.`,
  ],
  session: ['Your sign-in has ended. Press “Sign in” at the top, then run this again.'],
  header: [
    'The gateway does not accept the Authorization header in the Headers editor.',
    'Take it out there, and the key at the top is used.',
  ],
};

const usedUp = [
  "This split is not there any more. If it was removed before, this puts the demo's funnels back, also while the gateway runs:",
  'npx funnel-gateway demo restore',
];

/** The answer, with a member `help` before all others where there is something to say. */
export async function withHelp(response: Response, credential: Credential): Promise<Response> {
  const answer: unknown = await response
    .clone()
    .json()
    .catch(() => null);
  if (typeof answer !== 'object' || answer === null) return response;
  const help = response.status === 401 ? refusals[credential] : isUsedUp(answer) ? usedUp : null;
  return help === null ? response : Response.json({ help, ...answer }, { status: response.status });
}

function isUsedUp(answer: object): boolean {
  const errors = 'errors' in answer && Array.isArray(answer.errors) ? (answer.errors as GraphqlError[]) : [];
  return errors.some(
    ({ path, extensions }) => path?.[0] === 'removeConditionalSplit' && extensions?.code === 'NOT_FOUND',
  );
}

interface GraphqlError {
  readonly path?: readonly unknown[];
  readonly extensions?: { readonly code?: unknown };
}
