// Prints what openapi-fuzzer-core makes of openapi.json, a request a line. It knows Swagger 2.0, so the document is told in that.
const { readFileSync } = require('node:fs');
const { swagger } = require('openapi-fuzzer-core');

const document = JSON.parse(readFileSync(process.argv[2], 'utf8'));

function resolved(value) {
  if (value === undefined || value.$ref === undefined) return value ?? {};
  return value.$ref
    .slice(2)
    .split('/')
    .reduce((at, part) => at[part], document);
}

/** A schema of JSON Schema 2020-12 as one of Swagger 2.0: one type, and the first of several forms. */
function toSwagger(schema) {
  const { anyOf, type, properties, items, required, ...rest } = resolved(schema);
  if (anyOf !== undefined) return toSwagger(anyOf[0]);
  const members = Object.entries(properties ?? {}).map(([name, member]) => [name, toSwagger(member)]);
  return {
    ...rest,
    type: [type ?? 'string'].flat()[0],
    ...(properties && { properties: Object.fromEntries(members) }),
    ...(items && { items: toSwagger(items) }),
    ...(required && { required }),
  };
}

const definitions = {};
const paths = {};
for (const [path, methods] of Object.entries(document.paths)) {
  paths[path] = {};
  for (const [method, { operationId, parameters = [], requestBody }] of Object.entries(methods)) {
    const told = parameters
      .map(resolved)
      .map(({ schema, ...parameter }) => ({ ...parameter, ...toSwagger(schema) }));
    const content = requestBody?.content['application/json'];
    if (content !== undefined) {
      definitions[operationId] = toSwagger(content.schema);
      told.push({ in: 'body', name: 'body', schema: { $ref: `#/definitions/${operationId}` } });
    }
    paths[path][method] = { parameters: told };
  }
}
for (const { name, request } of swagger({ basePath: '', paths, definitions }))
  process.stdout.write(`${JSON.stringify({ name, ...request })}\n`);
