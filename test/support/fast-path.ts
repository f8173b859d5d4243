// The two ways to a GraphQL answer, side by side over one app: Yoga for everything, and the fast path before it.
import { getOperationAST, parse, visit } from 'graphql';
import { createFallbacks } from '../../src/graphql/fallbacks.ts';
import { createFastPath, type FastPath } from '../../src/graphql/fast-path.ts';
import { createGraphqlHandler, type GraphqlHandler } from '../../src/graphql/handler.ts';
import { createTurns } from '../../src/graphql/large-answers.ts';
import { schema } from '../../src/graphql/schema.ts';
import { Exchange } from '../../src/http/exchange.ts';
import type { Caller, Gateway } from './gateway.ts';
import { intercept } from './graphql-statements.ts';

export interface LaneRequest {
  readonly caller: Caller;
  /** What is sent: an operation, or any text. */
  readonly body: string | LaneOperation;
  readonly headers?: Readonly<Record<string, string>>;
  readonly host?: string;
  readonly search?: string;
}

export interface LaneOperation {
  readonly query: string;
  readonly variables?: unknown;
  readonly operationName?: string | null;
}

/** An answer as far as clients can tell. */
interface Seen {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface Comparison {
  readonly byYoga: Seen;
  /** The first answer of the handler with the fast path, which may be Yoga's, and the second, which may not. */
  readonly first: Seen;
  readonly second: Seen;
  /** Whether the fast path gave the first and the second answer. */
  readonly firstByLane: boolean;
  readonly secondByLane: boolean;
  /** SQL statements of Yoga's answer, and of the second one. */
  readonly statementsByYoga: readonly string[];
  readonly statements: readonly string[];
}

const NO_LANE: FastPath = {
  answer: async () => null,
  remember() {},
};

/** Asks the same of Yoga alone, then of the handler with the fast path, twice: once to be compiled, once to be answered by what was compiled. */
export function createLanes(gateway: Gateway): (request: LaneRequest) => Promise<Comparison> {
  const { app } = gateway;
  const { limits } = app.config;
  const fallbacks = createFallbacks(app.log, app.clock);
  const real = createFastPath({ schema, limits, turns: createTurns(), fallbacks });
  let answered = 0;
  const counting: FastPath = {
    async answer(...args) {
      const reply = await real.answer(...args);
      if (reply !== null) answered++;
      return reply;
    },
    remember: (...args) => real.remember(...args),
  };
  const yoga = createGraphqlHandler(app, NO_LANE);
  const laned = createGraphqlHandler(app, counting);

  async function measured(handler: GraphqlHandler, request: LaneRequest) {
    const before = answered;
    const names: string[] = [];
    let underWay = 0;
    const stop = intercept(gateway, async (name, send) => {
      if (!/^(hosts|api_keys)\./.test(name)) names.push(name);
      underWay++;
      try {
        return await send();
      } finally {
        underWay--;
      }
    });
    try {
      const seen = await see(gateway, handler, request);
      // What the fast path gave up on may still be asking the store.
      for (let quiet = 0; quiet < 3; quiet = underWay === 0 ? quiet + 1 : 0) {
        await new Promise((resolve) => setImmediate(resolve));
      }
      return { seen, statements: names, byLane: answered > before };
    } finally {
      stop();
    }
  }

  return async (request) => {
    const byYoga = await measured(yoga, request);
    const first = await measured(laned, request);
    const second = await measured(laned, request);
    return {
      byYoga: byYoga.seen,
      first: first.seen,
      second: second.seen,
      firstByLane: first.byLane,
      secondByLane: second.byLane,
      statementsByYoga: byYoga.statements,
      statements: second.statements,
    };
  };
}

async function see({ app }: Gateway, handler: GraphqlHandler, request: LaneRequest): Promise<Seen> {
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
  const response = exchange.dress(answer instanceof Response ? answer : exchange.respond(answer));
  return {
    status: response.status,
    headers: Object.fromEntries([...response.headers].sort()),
    body: inOrder(await response.text()),
  };
}

/** Errors come in the order in which statements fail, which the database decides. */
function inOrder(body: string): string {
  if (!body.startsWith('{"errors":[')) return body;
  const answer = JSON.parse(body) as { errors: object[] };
  const texts = answer.errors.map((error) => JSON.stringify(error)).sort();
  return JSON.stringify({ ...answer, errors: texts.map((text) => JSON.parse(text) as unknown) });
}

/**
 * Who has to give the second answer, by what Yoga answered: the fast path a whole answer in JSON to a known caller, Yoga any
 * failure and all that reads the schema. null: either may, for the fast path need not know directives.
 */
export function mustBeByLane({ caller, body }: LaneRequest, { byYoga }: Comparison): boolean | null {
  if (typeof body === 'string') return null;
  if (caller.authorization === null || byYoga.status !== 200) return false;
  if (!/^application\/(graphql-response\+)?json;/.test(byYoga.headers['content-type'] ?? '')) return false;
  if ((JSON.parse(byYoga.body) as { errors?: unknown }).errors !== undefined) return false;
  const document = parse(body.query);
  if (getOperationAST(document, body.operationName)?.operation !== 'query') return false;
  let known: boolean | null = true;
  visit(document, {
    Directive() {
      known = null;
    },
    Field({ name }) {
      if (name.value.startsWith('__') && name.value !== '__typename') known = false;
    },
  });
  return known;
}
