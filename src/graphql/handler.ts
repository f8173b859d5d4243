// GraphQL over HTTP: answers a request on the fast path if possible, and otherwise through Yoga, which is created and configured here.
import { createYoga, type YogaServerOptions } from 'graphql-yoga';
import { unauthenticated } from '../auth/scopes.ts';
import type { App, Context } from '../context.ts';
import { AppError } from '../errors.ts';
import { readText } from '../messages/body.ts';
import type { Reply } from '../messages/reply.ts';
import { admitBody } from '../services/limits/rate-limits.ts';
import { CONSISTENCY_TOKEN, parseConsistencyToken } from '../services/reading/consistency.ts';
import { isAnswerAcceptable } from './acceptable.ts';
import { callersTeamId, type GraphContext, toGraphContext } from './context.ts';
import { documentCache } from './document-cache.ts';
import { UNKNOWN_OPERATION } from './endpoint.ts';
import { notAcceptable } from './errors.ts';
import { createFallbackCounter } from './fast-path/fallback-counter.ts';
import { createFastPath, type FastPath } from './fast-path/fast-path.ts';
import {
  type AnswerSlots,
  acquireSlot,
  createAnswerSlots,
  lengthHeader,
  toAnswerBody,
} from './limits/large-answers.ts';
import { COST_HEADER, VALIDATED_TOKENS_PER_POINT } from './limits/points.ts';
import { parseBody, parseParams, requestParameters } from './request-parameters.ts';
import { schema } from './schema.ts';
import { loadTrustedDocuments } from './trusted-documents/load.ts';
import type { TrustedDocuments } from './trusted-documents/request.ts';
import { consistency, documentLimits, extensions, operationLimits, publicErrors } from './yoga-plugins.ts';

/** Answers one request. The context contains the resolved host and actor. */
export type GraphqlHandler = (request: Request, ctx: Context) => Promise<Reply | Response>;

/**
 * The GraphQL-over-HTTP handler.
 * @param replacement another fast path, for tests
 * @throws StartupError when a trusted document cannot be executed
 */
export function createGraphqlHandler(app: App, replacement?: FastPath): GraphqlHandler {
  const { log, clock, metrics } = app;
  const { limits } = app.config;
  const slots = createAnswerSlots();
  const documents = loadTrustedDocuments(app.config);
  const fastPath =
    replacement ??
    createFastPath({ schema, limits, slots, fallbacks: createFallbackCounter(log, clock), metrics });
  metrics.watch('queue', 'large_answers', () => slots);
  const yoga = createYoga(yogaOptions(app, slots, documents));

  /** @param createRequest creates the request; called again when the operation has to be executed again with a slot */
  async function executeWithYoga(
    { headers }: Request,
    createRequest: () => Request,
    ctx: GraphContext,
  ): Promise<Response> {
    const { state } = ctx;
    try {
      if (!isAnswerAcceptable(headers.get('accept'))) return notAcceptable(ctx);
      let response = await yoga.fetch(createRequest(), ctx);
      if (state.needsSlot && state.releaseSlot === null) {
        // If no slot is acquired, the plugin operationLimits answers with the refusal.
        await acquireSlot(slots, ctx).catch(() => {});
        ctx.facts.refusal = null;
        response = await yoga.fetch(createRequest(), ctx);
      }
      return state.releaseSlot === null ? response : await releaseSlotWhenSent(response, ctx);
    } finally {
      state.releaseSlot?.();
    }
  }

  return async (request, ctx) => {
    const graphContext = toGraphContext(ctx, {
      showsCost: request.headers.get(COST_HEADER) === '1',
      position: parseConsistencyToken(ctx, request.headers.get(CONSISTENCY_TOKEN)),
    });
    ctx.facts.endpoint = UNKNOWN_OPERATION;
    // Yoga reads the body of POST requests only.
    if (request.method !== 'POST') {
      await ctx.waitForSlot?.(pointsOfText(request.url));
      return executeWithYoga(request, () => request, graphContext);
    }
    const { url, method, headers } = request;
    requireJson(headers.get('content-type'));
    requireSmallWithoutCredentials(ctx, Number(headers.get('content-length')));
    const text = await readText(request, limits.maxBodyBytes);
    requireSmallWithoutCredentials(ctx, text.length);
    const admission = admitBody(ctx, text.length);
    if (admission !== undefined) await admission;
    const body = parseBody(text);
    graphContext.state.body = body;
    const viaYoga = () => {
      const forYoga = new Headers(headers);
      // Yoga recognizes it in lower case only.
      forYoga.set('content-type', 'application/json');
      const init = { method, headers: forYoga, ...(body === undefined && { body: text }) };
      return executeWithYoga(request, () => new Request(url, init), graphContext);
    };
    const params = parseParams(body, text.length, documents);
    ctx.facts.operationName = params?.operationName ?? null;
    const accept = headers.get('accept') ?? '';
    const reply = params && (await fastPath.execute(params, accept, graphContext));
    if (reply !== null) return reply;
    // The fast path may have failed because of a value that it has loaded.
    graphContext.loaders.clear();
    const waiting = ctx.waitForSlot?.(pointsOfText(params?.query ?? text));
    if (waiting !== undefined) {
      // Acquire the queue slot first, then the slot for the answer: waiting with an answer slot could deadlock, and an abort would leak it.
      graphContext.state.releaseSlot?.();
      graphContext.state.releaseSlot = null;
      await waiting;
    }
    const response = await viaYoga();
    const { validOperation } = graphContext.state;
    if (params !== null && validOperation !== null && response.status === 200) {
      fastPath.add(params, accept, validOperation, response, callersTeamId(ctx));
    }
    return response;
  };
}

/** Anonymous clients can only query the schema: the longest introspection query has about 2,000 characters. */
const MAX_ANONYMOUS_BYTES = 16 * 1024;

/** Limits the body size of unauthenticated clients, before anything is parsed. @throws AppError `unauthenticated` */
function requireSmallWithoutCredentials({ actor }: Context, bytes: number): void {
  if (actor.kind !== 'anonymous' || bytes <= MAX_ANONYMOUS_BYTES) return;
  const { message, invalidToken } = unauthenticated(actor, undefined);
  throw new AppError(
    'unauthenticated',
    `${message} Without valid credentials a request body can have at most ${MAX_ANONYMOUS_BYTES} bytes.`,
    { invalidToken },
  );
}

/** The estimated points to parse and validate a document of this length: a short token has about three characters. */
function pointsOfText({ length }: string): number {
  return 1 + Math.floor(length / (3 * VALIDATED_TOKENS_PER_POINT));
}

/** The response, with a body that releases the request's slot. */
async function releaseSlotWhenSent(
  { body, status, headers }: Response,
  ctx: GraphContext,
): Promise<Response> {
  const bytes = new Uint8Array(await new Response(body).arrayBuffer());
  for (const [name, value] of Object.entries(lengthHeader(bytes))) headers.set(name, value);
  return new Response(toAnswerBody(bytes, ctx), { status, headers });
}

/**
 * Only JSON is accepted: browsers send forms and plain text across origins without a CORS preflight (CSRF).
 * @throws AppError `unsupported_media_type` for anything but application/json, with or without parameters
 */
function requireJson(contentType: string | null): void {
  if (/^\s*application\/json\s*(;|$)/i.test(contentType ?? '')) return;
  throw new AppError(
    'unsupported_media_type',
    'The operation must be JSON. Send it with Content-Type: application/json.',
  );
}

function yogaOptions(
  app: App,
  slots: AnswerSlots,
  documents: TrustedDocuments,
): YogaServerOptions<GraphContext, GraphContext> {
  const { log } = app;
  return {
    schema,
    plugins: [
      requestParameters(documents),
      documentCache(app.metrics),
      documentLimits(app),
      operationLimits(app, slots),
      consistency(),
      publicErrors(),
      extensions(),
    ],
    parserAndValidationCache: false,
    // publicErrors masks errors: unlike Yoga's own masking it has the request's context.
    maskedErrors: false,
    graphiql: false,
    landingPage: false,
    batching: false,
    multipart: false,
    cors: false,
    // http/server.ts limits the body.
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
