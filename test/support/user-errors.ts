// Sends mutations by their names, and reads why they were refused.
import { schema } from '../../src/graphql/schema.ts';
import type { Gateway, RequestOptions } from './gateway.ts';
import { type Answer, post } from './graphql.ts';

export interface ShownUserError {
  readonly code: string;
  readonly path: readonly string[] | null;
  readonly message: string;
}

type Payloads = Readonly<Record<string, { readonly userErrors: readonly ShownUserError[] } | null>>;

/** Sends a mutation that selects its user errors. */
export function sendMutation(
  gateway: Gateway,
  name: string,
  input: object,
  options: RequestOptions = {},
): Promise<Answer<Payloads>> {
  const [arg] = schema.getMutationType()?.getFields()[name]?.args ?? [];
  if (arg === undefined) throw new Error(`There is no mutation ${name}.`);
  const query = `mutation ($input: ${arg.type}) { ${name}(input: $input) { userErrors { code path message } } }`;
  return post<Payloads>(gateway, { query, variables: { input } }, options);
}

/** The first user error of an answer; undefined if nothing was refused as data. */
export function firstUserError(answer: Answer<unknown>): ShownUserError | undefined {
  return Object.values((answer.data ?? {}) as Payloads).flatMap((payload) => payload?.userErrors ?? [])[0];
}

/** Why an answer was refused: its first user error, or else its first error. `field` is as in `bumps[0].productId`. */
interface ShownRefusal {
  readonly code: string;
  readonly field: string | undefined;
  readonly message: string;
}

/** Why an answer was refused; null if it was not. */
export function refusalOf(answer: Answer<unknown>): ShownRefusal | null {
  const refused = firstUserError(answer);
  if (refused !== undefined) {
    const { code, path, message } = refused;
    const field = path
      ?.map((part) => (/^\d+$/.test(part) ? `[${part}]` : `.${part}`))
      .join('')
      .slice(1);
    return { code, field, message };
  }
  const [error] = answer.errors ?? [];
  if (error === undefined) return null;
  return { code: error.extensions.code, field: error.extensions.field, message: error.message };
}

/** The selection of user errors in a payload. */
export const USER_ERRORS = 'userErrors { code path message }';
