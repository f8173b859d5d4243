// GraphQL over HTTP. The only place that creates Yoga; what it may do is decided here, what it serves is in schema.ts.
import { getOperationAST } from 'graphql';
import { createYoga, type Plugin, type YogaServerOptions } from 'graphql-yoga';
import type { App, Context } from '../context.ts';
import { AppError } from '../errors.ts';
import type { Reply } from '../http.ts';
import { requireCaller } from './access.ts';
import { type GraphContext, toGraphContext } from './context.ts';
import { explain, toGraphQLError, toPublicError } from './errors.ts';
import { createLane, type Lane, type Params } from './lane.ts';
import { parseWithinLimits, requireWithinLimits } from './limits.ts';
import { schema } from './schema.ts';

/** Answers one request. The caller has resolved host and actor already. */
export type GraphqlHandler = (request: Request, ctx: Context) => Promise<Reply | Response>;

/** The GraphQL-over-HTTP handler: the short lane for what is known, Yoga for everything else. */
export function createGraphqlHandler(
  app: App,
  lane: Lane = createLane(schema, app.config.limits),
): GraphqlHandler {
  const yoga = createYoga(yogaOptions(app));

  async function answerInFull(request: Request, ctx: GraphContext): Promise<Response> {
    const response = await yoga.fetch(request, ctx);
    return response.body === null ? explain(response, ctx) : response;
  }

  return async (request, ctx) => {
    if (request.method !== 'POST' || !isJson(request.headers.get('content-type'))) {
      return answerInFull(request, toGraphContext(ctx));
    }
    const text = await request.text();
    const params = readParams(text);
    const accept = request.headers.get('accept') ?? '';
    const known = params && (await lane.answer(params, accept, toGraphContext(ctx)));
    if (known !== null) return known;
    const graphContext = toGraphContext(ctx);
    const { url, method, headers } = request;
    const response = await answerInFull(new Request(url, { method, headers, body: text }), graphContext);
    const { accepted } = graphContext.outcome;
    if (params !== null && accepted !== null && response.status === 200) {
      lane.learn(params, accept, accepted, response);
    }
    return response;
  };
}

function isJson(contentType: string | null): boolean {
  return contentType !== null && /^application\/json(;|$)/.test(contentType);
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
function yogaOptions(app: App): YogaServerOptions<GraphContext, GraphContext> {
  const { log } = app;
  return {
    schema,
    plugins: [unreadableParameters(), documentLimits(), policy(app), publicErrors()],
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

function documentLimits(): Plugin {
  return {
    onParse({ setParseFn }) {
      setParseFn(parseWithinLimits);
    },
  };
}

/** After validation, before anything runs: who may see data at all, and how much may be asked for. */
function policy({ config }: App): Plugin<GraphContext> {
  return {
    onExecute({ args }) {
      const { document, operationName, contextValue, variableValues } = args;
      const operation = getOperationAST(document, operationName);
      if (operation == null) return;
      try {
        requireCaller(contextValue, schema, document, operation);
        requireWithinLimits(config.limits, schema, document, operation, variableValues ?? {});
        contextValue.outcome.accepted = { document, operation };
      } catch (error) {
        // Yoga takes anything with a property `errors`, as AppError has, for an AggregateError.
        throw toGraphQLError(error);
      }
    },
  };
}

/** The last step before the answer is written, whatever it was that failed. */
function publicErrors(): Plugin<object, GraphContext> {
  return {
    onResultProcess({ result, setResult, serverContext }) {
      if (!('errors' in result) || result.errors === undefined) return;
      serverContext.outcome.accepted = null;
      const answered = 'data' in result && result.data != null;
      const errors = result.errors.map((error) => toPublicError(error, serverContext, answered));
      setResult({ ...result, errors });
    },
  };
}
