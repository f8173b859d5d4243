// Checks the Accept header before an operation is executed. Yoga checks it only afterwards, too late for a mutation: the client would
// get an error although the change was made.
/** JSON, and the forms of GraphQL over SSE and of incremental delivery. */
const OFFERED = [
  'application/json',
  'application/graphql-response+json',
  'text/event-stream',
  'multipart/mixed',
];

/** Reads the header as Yoga does: weights (`q`) are ignored, and the only charset is UTF-8. */
export function isAnswerAcceptable(accept: string | null): boolean {
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
