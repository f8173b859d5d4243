// Adds help for newcomers to some error responses, because the API's errors cannot refer to this page.
import { canSignIn } from './authorization.ts';
import { isTapped } from './device.ts';
import { wantScope } from './session.ts';

/** The kind of credential that a request was sent with. */
export type Credential = 'none' | 'key' | 'session' | 'header';

const orSignIn = canSignIn ? ', or press “Sign in” beside it' : '';
const runAgain = isTapped() ? 'tap the arrow again' : 'run this again with Ctrl-Enter';

/** The help for a request without valid credentials. */
const notAccepted: Record<Credential, readonly string[]> = {
  none: [
    'Data needs to know who asks, and this page does not know yet.',
    `Paste an API key into the field “API key” at the top${orSignIn}. A first start of the gateway prints a key for the demo.`,
    `Then ${runAgain}. “Examples”, at the top, has queries to begin with; the docs need no key.`,
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

/** The help for a missing scope. */
const notAllowed: Record<Credential, (scope: string) => readonly string[]> = {
  none: (scope) => [`This needs the scope ${scope}.`],
  key: (scope) => [
    `The key in the field “API key” may not do this: it lacks the scope ${scope}.`,
    `Use one that has it: npx funnel-gateway token create makes keys.${
      canSignIn ? ' Or press “Sign in” at the top: tick the first line there.' : ''
    }`,
  ],
  session: (scope) => [
    `You have not allowed this page to do this: it lacks the scope ${scope}.`,
    `Press “Sign in again” at the top, and tick the first line: it allows this. Then ${runAgain}.`,
  ],
  header: (scope) => [
    `The Authorization header in the Headers editor may not do this: it lacks the scope ${scope}.`,
    'Take it out there, and who is named at the top is asked.',
  ],
};

const usedUp = [
  "This split is not there any more. If it was removed before, this puts the demo's funnels back, also while the gateway runs:",
  'npx funnel-gateway demo restore',
];

/** The answer, with a first member `help` if there is help for its error. */
export async function withHelp(response: Response, credential: Credential): Promise<Response> {
  const answer: unknown = await response
    .clone()
    .json()
    .catch(() => null);
  if (typeof answer !== 'object' || answer === null) return response;
  const help = response.status === 401 ? notAccepted[credential] : helpWith(errorsOf(answer), credential);
  return help === null ? response : Response.json({ help, ...answer }, { status: response.status });
}

function helpWith(errors: readonly GraphqlError[], credential: Credential): readonly string[] | null {
  const lacking = errors.find(({ extensions }) => extensions?.code === 'INSUFFICIENT_SCOPE');
  if (lacking?.extensions?.scope !== undefined) {
    const { scope } = lacking.extensions;
    if (credential !== 'header') wantScope(scope);
    return notAllowed[credential](scope);
  }
  const isUsedUp = errors.some(
    ({ path, extensions }) => path?.[0] === 'removeConditionalSplit' && extensions?.code === 'NOT_FOUND',
  );
  return isUsedUp ? usedUp : null;
}

interface GraphqlError {
  readonly path?: readonly unknown[];
  readonly extensions?: { readonly code?: unknown; readonly scope?: string };
}

function errorsOf(answer: object): readonly GraphqlError[] {
  return 'errors' in answer && Array.isArray(answer.errors) ? (answer.errors as GraphqlError[]) : [];
}
