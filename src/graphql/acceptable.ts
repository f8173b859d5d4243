// Whether a client accepts any form in which an operation is answered. Yoga finds out when it has executed the operation, which is too late
// for a mutation: it would be refused, and yet done.
import { LRUCache } from 'lru-cache';

/** JSON, and the forms of GraphQL over SSE and of incremental delivery. */
const OFFERED = [
  'application/json',
  'application/graphql-response+json',
  'text/event-stream',
  'multipart/mixed',
];

/** What is remembered: so many Accept headers, none of them longer. */
const MAX_KNOWN = 100;
const MAX_KNOWN_CHARS = 200;
const known = new LRUCache<string, boolean>({ max: MAX_KNOWN });

/** By the same reading as Yoga's: weights are passed over, and the answer is in UTF-8 whatever happens. */
export function isAnswerAcceptable(accept: string | null): boolean {
  const key = accept ?? '';
  const before = known.get(key);
  if (before !== undefined) return before;
  const isAcceptable = accepts(accept);
  if (key.length <= MAX_KNOWN_CHARS) known.set(key, isAcceptable);
  return isAcceptable;
}

function accepts(accept: string | null): boolean {
  const accepted = (accept || '*/*').replaceAll(/\s/g, '').toLowerCase().split(',');
  return accepted.some((range) => {
    const [type = '', ...parameters] = range.split(';');
    const charset = parameters.find((parameter) => parameter.includes('charset=')) ?? 'charset=utf-8';
    return charset === 'charset=utf-8' && OFFERED.some((offered) => matches(type, offered));
  });
}

function matches(range: string, type: string): boolean {
  const [left, right] = range.split('/');
  const [offeredLeft, offeredRight] = type.split('/');
  return (left === '*' || left === offeredLeft) && (right === '*' || right === offeredRight);
}
