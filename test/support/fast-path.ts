// Compares the answers of a handler with only Yoga to those of a handler with the fast path.
import { getOperationAST, parse, visit } from 'graphql';
import { createFallbackCounter } from '../../src/graphql/fast-path/fallback-counter.ts';
import { createFastPath, type FastPath } from '../../src/graphql/fast-path/fast-path.ts';
import { createGraphqlHandler, type GraphqlHandler } from '../../src/graphql/handler.ts';
import { createAnswerSlots } from '../../src/graphql/limits/large-answers.ts';
import { schema } from '../../src/graphql/schema.ts';
import { Exchange } from '../../src/http/exchange.ts';
import type { Caller, Gateway } from './gateway.ts';
import { intercept } from './graphql-statements.ts';

export interface GraphqlRequest {
  readonly caller: Caller;
  /** An operation, or any text. */
  readonly body: string | GraphqlOperation;
  readonly headers?: Readonly<Record<string, string>>;
  readonly host?: string;
  readonly search?: string;
}

export interface GraphqlOperation {
  readonly query: string;
  readonly variables?: unknown;
  readonly operationName?: string | null;
}

/** A response that a client gets. */
interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface Comparison {
  readonly byYoga: Answer;
  /** Two answers of the handler with the fast path, which may compile the operation after the first one only. */
  readonly first: Answer;
  readonly second: Answer;
  /** Whether the fast path made the first and the second answer. */
  readonly firstByFastPath: boolean;
  readonly secondByFastPath: boolean;
  /** SQL statements of Yoga's answer, and of the second one. */
  readonly statementsByYoga: readonly string[];
  readonly statements: readonly string[];
}

const NO_FAST_PATH: FastPath = {
  execute: async () => null,
  add() {},
};

/**
 * Sends a request to Yoga, then twice to a handler with the fast path, which compiles the operation after the first answer, and makes the
 * second answer with the compiled operation.
 */
export function createComparison(gateway: Gateway): (request: GraphqlRequest) => Promise<Comparison> {
  const { app } = gateway;
  const { limits } = app.config;
  const fallbacks = createFallbackCounter(app.log, app.clock);
  const real = createFastPath({ schema, limits, slots: createAnswerSlots(), fallbacks });
  let answered = 0;
  const counting: FastPath = {
    async execute(...args) {
      const reply = await real.execute(...args);
      if (reply !== null) answered++;
      return reply;
    },
    add: (...args) => real.add(...args),
  };
  const yoga = createGraphqlHandler(app, NO_FAST_PATH);
  const withFastPath = createGraphqlHandler(app, counting);

  async function measured(handler: GraphqlHandler, request: GraphqlRequest) {
    const before = answered;
    const names: string[] = [];
    let pending = 0;
    const stop = intercept(gateway, async (name, send) => {
      if (!/^(hosts|api_keys)\./.test(name)) names.push(name);
      pending++;
      try {
        return await send();
      } finally {
        pending--;
      }
    });
    try {
      const response = await respond(gateway, handler, request);
      // Statements of an execution that the fast path has abandoned may still be in progress.
      for (let idle = 0; idle < 3; idle = pending === 0 ? idle + 1 : 0) {
        await new Promise((resolve) => setImmediate(resolve));
      }
      return { response, statements: names, byFastPath: answered > before };
    } finally {
      stop();
    }
  }

  return async (request) => {
    const byYoga = await measured(yoga, request);
    const first = await measured(withFastPath, request);
    const second = await measured(withFastPath, request);
    return {
      byYoga: byYoga.response,
      first: first.response,
      second: second.response,
      firstByFastPath: first.byFastPath,
      secondByFastPath: second.byFastPath,
      statementsByYoga: byYoga.statements,
      statements: second.statements,
    };
  };
}

async function respond({ app }: Gateway, handler: GraphqlHandler, request: GraphqlRequest): Promise<Answer> {
  const { caller, body, headers = {}, host = 'localhost:4000', search = '' } = request;
  const sent = new Request(`http://${host}/graphql${search}`, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Accept: 'application/graphql-response+json',
      'X-Request-Id': 'both-paths',
      ...(caller.authorization !== null && { Authorization: caller.authorization }),
      ...headers,
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  const exchange = new Exchange(app, sent, undefined);
  const answer = await handler(sent, await exchange.context());
  const response = exchange.addCommonHeaders(answer instanceof Response ? answer : exchange.respond(answer));
  // The rest of a rate limit differs at each request.
  response.headers.delete('ratelimit');
  return {
    status: response.status,
    headers: Object.fromEntries([...response.headers].sort()),
    body: sortErrors(await response.text()),
  };
}

/** Sorts the errors, whose order is the one in which statements happen to fail. */
function sortErrors(body: string): string {
  if (!body.startsWith('{"errors":[')) return body;
  const answer = JSON.parse(body) as { errors: object[] };
  const texts = answer.errors.map((error) => JSON.stringify(error)).sort();
  return JSON.stringify({ ...answer, errors: texts.map((text) => JSON.parse(text) as unknown) });
}

/**
 * Whether the fast path must give the second answer, by Yoga's answer: true for a JSON answer with data to an authenticated client,
 * refusals included, false for failures and for introspection. null: either is right, as for directives, which need not be compiled,
 * for an operation that was refused as a whole, and for an error of a field that is never null, which makes its parent null.
 */
export function mustUseFastPath({ caller, body }: GraphqlRequest, { byYoga }: Comparison): boolean | null {
  if (typeof body === 'string') return null;
  if (caller.authorization === null || /"code":"(INTERNAL|UNAVAILABLE)"/.test(byYoga.body)) return false;
  if (!/^application\/(graphql-response\+)?json;/.test(byYoga.headers['content-type'] ?? '')) return false;
  if (byYoga.status !== 200 || nullsParent(JSON.parse(byYoga.body))) return null;
  // The library graphql has its own messages for requests that it refuses.
  if (byYoga.body.includes('"code":"BAD_REQUEST"')) return null;
  const document = parse(body.query);
  if (getOperationAST(document, body.operationName)?.operation !== 'query') return false;
  let expected: boolean | null = true;
  visit(document, {
    Directive() {
      expected = null;
    },
    Field({ name }) {
      if (name.value.startsWith('__') && name.value !== '__typename') expected = false;
    },
  });
  return expected;
}

interface Answer {
  readonly data?: unknown;
  readonly errors?: readonly { readonly path?: readonly (string | number)[] }[];
}

/** Whether the answer has no data, or an error whose field has a parent that is null. */
function nullsParent({ data, errors = [] }: Answer): boolean {
  if (data == null) return true;
  return errors.some(({ path = [] }) => {
    let at: unknown = data;
    for (const key of path.slice(0, -1)) {
      if (at == null) return true;
      at = (at as Readonly<Record<string | number, unknown>>)[key];
    }
    return at == null;
  });
}
