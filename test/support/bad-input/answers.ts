// Requirements for every answer, whatever was sent.
import { STATUS_OF } from '../../../src/errors.ts';
import { requireDocumented } from '../openapi.ts';
import { toResponses } from '../wire.ts';
import type { Answer } from './connection.ts';
import type { BadRequest } from './request.ts';

const PROBLEM_MEMBERS = 'type,title,status,detail,code,errors,request_id,error';
/** The codes that REST has too, and those of GraphQL alone (docs/http.md). */
const GRAPHQL_CODES = new Set([
  ...Object.keys(STATUS_OF).map((code) => code.toUpperCase()),
  'OPERATION_RESOLUTION_FAILURE',
  'PERSISTED_QUERY_NOT_SUPPORTED',
  'GRAPHQL_VALIDATION_FAILED',
  'GRAPHQL_PARSE_FAILED',
  'QUERY_TOO_LARGE',
]);
/** Internal details: stacks, files, statements, messages of libraries. No request contains them. */
const INTERNALS =
  /\bat [\w.<>]+ \(|node_modules|file:\/\/\/work|\.ts:\d|[Pp]risma|pg_catalog|violates \w+|syntax error at or near|relation "|ECONN|TypeError|Cannot read prop/;

/**
 * Whether the answer reports a change.
 * @throws Error that says what is wrong with the answer
 */
export async function requireGoodAnswer(
  request: BadRequest,
  answer: Answer,
): Promise<{ hasChanged: boolean }> {
  const { status } = answer;
  const text = answer.body.toString();
  requireSafe(answer, text);
  const isRead = !OF_THE_HEAD.includes(status);
  if (isOfGraphql(request.target) && isRead) return { hasChanged: requireGraphql(answer, text) };
  if (status >= 400 && request.method !== 'HEAD') requireProblem(answer, text);
  if (isRead) await requireDescribed(request, answer);
  return { hasChanged: status < 300 };
}

/**
 * The answers to bytes that are not a valid request.
 * @param received everything until the end of the connection
 * @throws Error that says what is wrong with them
 */
export async function requireGoodAnswers(received: string): Promise<Answer[]> {
  const answers = await Promise.all(
    toResponses(received).map(async (response) => {
      const { status, headers } = response;
      return { status, headers, ms: 0, body: Buffer.from(await response.arrayBuffer()) };
    }),
  );
  if (answers.length === 0) throw new Error('The connection ended without an answer.');
  for (const answer of answers) {
    const text = answer.body.toString();
    requireSafe(answer, text);
    if (answer.status >= 400) requireProblem(answer, text);
  }
  return answers;
}

function requireSafe(answer: Answer, text: string): void {
  if (answer.status >= 500) fail(answer, 'nothing that a client sends may do that');
  if (!answer.headers.has('x-request-id')) fail(answer, 'there is no X-Request-Id');
  if (INTERNALS.test(text)) fail(answer, `it shows what is inside: ${INTERNALS.exec(text)?.[0]}`);
}

/** Answers to a head that is too large, before its path is read: problem documents for every path and method. */
const OF_THE_HEAD = [414, 431];

function isOfGraphql(target: string): boolean {
  return target === '/graphql' || target.startsWith('/graphql?');
}

function requireProblem(answer: Answer, text: string): void {
  if (answer.headers.get('content-type') !== 'application/problem+json')
    fail(answer, 'it is no problem document');
  const problem = JSON.parse(text) as Record<string, unknown>;
  if (String(Object.keys(problem)) !== PROBLEM_MEMBERS)
    fail(answer, 'the problem document has other members');
  if (problem['status'] !== answer.status || STATUS_OF[problem['code'] as never] !== answer.status)
    fail(answer, 'status and code differ');
  if (problem['request_id'] !== answer.headers.get('x-request-id')) fail(answer, 'the request ids differ');
}

/** Requires an answer as described in openapi.json. */
async function requireDescribed(
  { method, target }: BadRequest,
  { status, headers, body }: Answer,
): Promise<void> {
  const url = `http://localhost${target}`;
  if (!URL.canParse(url)) return;
  const isEmpty = body.length === 0;
  const response = new Response(isEmpty ? null : body, { status, headers });
  await (await requireDocumented(method, new URL(url), response)).text();
}

/** The content types of GraphQL; the last two have the same JSON inside (GraphQL over SSE, incremental delivery). */
const GRAPHQL_TYPE =
  /^(?:application\/(?:graphql-response\+)?json; charset=utf-8|text\/event-stream|multipart\/mixed; boundary="-")$/;

/** @returns whether a field has a value and no user errors: a mutation may have changed something */
function requireGraphql(answer: Answer, text: string): boolean {
  const type = answer.headers.get('content-type') ?? '';
  // HEAD, preflights; and browsers get the explorer.
  if (text === '' || (type === 'text/html; charset=utf-8' && answer.status === 200)) return false;
  if (!GRAPHQL_TYPE.test(type)) fail(answer, `its type is ${type}`);
  const json = type.startsWith('application/') ? text : (/\{.*\}/.exec(text)?.[0] ?? '');
  const { data, errors = [] } = JSON.parse(json) as Result;
  for (const { message, extensions } of errors) {
    const code = extensions?.code ?? '';
    if (typeof message !== 'string' || !GRAPHQL_CODES.has(code))
      fail(answer, `an error has the code ${code}`);
    if (code === 'INTERNAL' || code === 'UNAVAILABLE')
      fail(answer, 'nothing that a client sends may do that');
  }
  if (data == null && errors.length === 0) fail(answer, 'there is neither data nor an error');
  return Object.values(data ?? {}).some((value) => value !== null && !isRefused(value));
}

/** Whether a payload says that nothing was changed. */
function isRefused(payload: unknown): boolean {
  const { userErrors = [] } = payload as { readonly userErrors?: readonly unknown[] };
  return userErrors.length > 0;
}

interface Result {
  readonly data?: Readonly<Record<string, unknown>> | null;
  readonly errors?: readonly {
    readonly message: unknown;
    readonly extensions?: { readonly code?: string };
  }[];
}

function fail({ status, body }: Answer, why: string): never {
  throw new Error(`${status}, but ${why}: ${body.toString('utf8', 0, 600)}`);
}
