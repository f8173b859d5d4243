// GraphQL over HTTP. The only place that creates Yoga; what it may do is decided here, what it serves is in schema.ts.
import { createYoga, type Plugin, type YogaServerOptions } from 'graphql-yoga';
import type { App, Context } from '../context.ts';
import { AppError } from '../errors.ts';
import type { Reply } from '../reply.ts';
import { callersTeamId, type GraphContext, toGraphContext } from './context.ts';
import { documentCache } from './document-cache.ts';
import { explain, toGraphQLError } from './errors.ts';
import { createFallbacks } from './fallbacks.ts';
import { createFastPath, type FastPath, type Params } from './fast-path.ts';
import { createTurns, type Turns, toBody, waitForTurn } from './large-answers.ts';
import { documentLimits, policy, publicErrors } from './policy.ts';
import { schema } from './schema.ts';

/** Answers one request. The caller has resolved host and actor already. */
export type GraphqlHandler = (request: Request, ctx: Context) => Promise<Reply | Response>;

/** The GraphQL-over-HTTP handler: the fast path for what is known, Yoga for everything else. */
export function createGraphqlHandler(app: App, replacement?: FastPath): GraphqlHandler {
  const { log, clock } = app;
  const { limits } = app.config;
  const turns = createTurns();
  const fastPath =
    replacement ?? createFastPath({ schema, limits, turns, fallbacks: createFallbacks(log, clock) });
  const yoga = createYoga(yogaOptions(app, turns));

  /** @param request makes the request, each time anew */
  async function answerInFull(request: () => Request, ctx: GraphContext): Promise<Response> {
    const { outcome } = ctx;
    try {
      let response = await yoga.fetch(request(), ctx);
      if (outcome.isLarge && outcome.turn === null) {
        // Again, in its turn; where it gets none, the policy says why.
        await waitForTurn(turns, ctx).catch(() => {});
        response = await yoga.fetch(request(), ctx);
      }
      if (response.body === null) return explain(response, ctx);
      return outcome.turn === null ? response : await inTurn(response, ctx);
    } finally {
      outcome.turn?.();
    }
  }

  return async (request, ctx) => {
    const graphContext = toGraphContext(ctx);
    // Yoga takes nothing from the body of any other.
    if (request.method !== 'POST') return answerInFull(() => request, graphContext);
    const { url, method, headers } = request;
    // A form needs no permission of the other origin that a page sends it from, and nobody writes GraphQL so.
    if (isForm(headers.get('content-type')))
      throw new AppError('unsupported_media_type', 'Send the operation as application/json.');
    const text = await request.text();
    const inFull = () => answerInFull(() => new Request(url, { method, headers, body: text }), graphContext);
    if (!isJson(headers.get('content-type'))) return inFull();
    const params = readParams(text);
    const accept = headers.get('accept') ?? '';
    const { outcome } = graphContext;
    const known = params && (await fastPath.answer(params, accept, graphContext));
    if (known !== null) return known;
    // What the fast path has loaded is not the executor's: it may be why it failed.
    graphContext.loaders.clear();
    const response = await inFull();
    if (params !== null && outcome.accepted !== null && response.status === 200) {
      fastPath.remember(params, accept, outcome.accepted, response, callersTeamId(ctx));
    }
    return response;
  };
}

/** The answer with its turn, which ends when it has been sent. */
async function inTurn({ body, status, headers }: Response, ctx: GraphContext): Promise<Response> {
  const bytes = new Uint8Array(await new Response(body).arrayBuffer());
  return new Response(toBody(bytes, ctx), { status, headers });
}

function isJson(contentType: string | null): boolean {
  return contentType !== null && /^application\/json(;|$)/.test(contentType);
}

function isForm(contentType: string | null): boolean {
  return (
    contentType !== null && /^(application\/x-www-form-urlencoded|multipart\/form-data)\b/i.test(contentType)
  );
}

/** The parameters of a request that is like most; null for any other, which Yoga will judge. */
function readParams(text: string): Params | null {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return null;
  }
  if (!(body instanceof Object)) return null;
  const { query, variables, operationName, ...others } = body as Record<string, unknown>;
  if (Object.keys(others).length > 0 || typeof query !== 'string' || Array.isArray(variables)) return null;
  if (variables != null && typeof variables !== 'object') return null;
  if (operationName != null && typeof operationName !== 'string') return null;
  return { query, variables: { ...variables }, operationName: operationName ?? null };
}

/** Everything that makes Yoga ours. */
function yogaOptions(app: App, turns: Turns): YogaServerOptions<GraphContext, GraphContext> {
  const { log } = app;
  return {
    schema,
    plugins: [
      unreadableParameters(),
      documentCache(),
      documentLimits(app),
      policy(app, turns),
      publicErrors(),
    ],
    parserAndValidationCache: false,
    // publicErrors does it, for it knows the request.
    maskedErrors: false,
    graphiql: false,
    landingPage: false,
    batching: false,
    multipart: false,
    cors: false,
    // The server has limited the body already.
    maxRequestBodySize: false,
    logging: {
      debug() {},
      info: (...args) => log.info({ args }, 'yoga'),
      warn: (...args) => log.warn({ args }, 'yoga'),
      error: (...args) => log.error({ args }, 'yoga'),
    },
    fetchAPI: {
      fetch,
      Headers,
      Request,
      Response,
      ReadableStream,
      TransformStream,
      TextEncoder,
      URL,
      URLPattern,
    },
  };
}

/** Yoga lets the failure to parse a parameter's JSON through as it is: a fault of the client's, not of ours. */
function unreadableParameters(): Plugin {
  return {
    onRequestParse({ requestParser, setRequestParser }) {
      if (requestParser === undefined) return;
      setRequestParser(async (request) => {
        try {
          return await requestParser(request);
        } catch (error) {
          throw error instanceof SyntaxError
            ? toGraphQLError(
                new AppError('bad_request', 'The parameters variables and extensions must be JSON.'),
              )
            : error;
        }
      });
    },
  };
}
