// The client of a story: it sends one request a line, and a request that fails shows what was answered.

import { type Caller, type Gateway, sharedGateway } from '../support/gateway.ts';
import { type Answer as GraphqlAnswer, post } from '../support/graphql.ts';
import { createRestClient, sendingAs } from '../support/rest-client.ts';

/** Members of an answer; what a story does not name, it does not check. */
// biome-ignore lint/suspicious/noExplicitAny: a story reads like a client's code, which knows the members.
type Body = any;

export interface Client {
  /** The path of the client's workspace, for `get` and the others. */
  readonly workspace: string;
  get(path: string): Promise<Body>;
  post(path: string, body?: object): Promise<Body>;
  patch(path: string, body: object): Promise<Body>;
  remove(path: string): Promise<void>;
  /** Sends a request that must be refused. @returns the status, the code, and the fields that are to blame */
  refused(
    method: string,
    path: string,
    body?: object,
  ): Promise<readonly [status: number, code: string, ...fields: string[]]>;
  /** Sends a GraphQL operation that must succeed. @returns its data */
  graphql(query: string, variables?: object): Promise<Body>;
}

/** A client with a key for a workspace of its own. */
export async function newClient(): Promise<Client> {
  const gateway = await sharedGateway();
  const { caller, workspaceId } = await createRestClient(gateway);
  return clientOf(gateway, caller, workspaceId);
}

/** A client with an access token that it was given. */
export function clientWithToken(gateway: Gateway, token: string, workspaceId: bigint): Client {
  return clientOf(gateway, { authorization: `Bearer ${token}` }, workspaceId);
}

function clientOf(gateway: Gateway, caller: Caller, workspaceId: bigint): Client {
  const send = sendingAs(gateway, caller);
  async function succeed(method: string, path: string, body?: object): Promise<Body> {
    const answer = await send(method, `/api/v2${path}`, body);
    if (answer.status >= 400)
      throw new Error(`${method} ${path} was answered ${answer.status}: ${answer.text}`);
    return answer.body;
  }
  return {
    workspace: `/workspaces/${workspaceId}`,
    get: (path) => succeed('GET', path),
    post: (path, body) => succeed('POST', path, body),
    patch: (path, body) => succeed('PATCH', path, body),
    remove: (path) => succeed('DELETE', path),
    async refused(method, path, body) {
      const answer = await send(method, `/api/v2${path}`, body);
      if (answer.status < 400)
        throw new Error(`${method} ${path} was answered ${answer.status}: ${answer.text}`);
      const { code, errors } = answer.body;
      return [answer.status, String(code), ...errors.map(({ field }) => field)];
    },
    async graphql(query, variables = {}) {
      const { data, errors }: GraphqlAnswer<Body> = await post(gateway, { query, variables }, { caller });
      if (errors !== undefined) throw new Error(`GraphQL answered ${JSON.stringify(errors)}`);
      return data;
    },
  };
}
