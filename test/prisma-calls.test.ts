// The requirements for calls of Prisma's models: rows of workspaces stay separate, and times of changes in order.
import { readFileSync } from 'node:fs';
import { glob } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { readSources } from './support/sources.ts';

const SCHEMA = fileURLToPath(new URL('../prisma/schema/', import.meta.url));
const schema: string[] = [];
for await (const file of glob('**/*.prisma', { cwd: SCHEMA }))
  schema.push(readFileSync(SCHEMA + file, 'utf8'));

/** The models with a column for the workspace, as a client names them. */
const BELOW_WORKSPACE = new Set(
  [...schema.join('\n').matchAll(/^model (\w+) \{([^}]*)\}/gm)]
    .filter(([, , fields = '']) => /^\s*workspaceId\s/m.test(fields))
    .map(([, name = '']) => `${name[0]?.toLowerCase()}${name.slice(1)}`),
);

/** Calls of models below a workspace, with their parameters. */
function callsIn(code: string): { model: string; parameters: string }[] {
  const calls = [...code.matchAll(/\b(?:tx|prisma|client)\.(\w+)\s*\.(?!\$)\w+\(/g)];
  return calls
    .filter(([, model = '']) => BELOW_WORKSPACE.has(model))
    .map(({ 0: call, 1: model = '', index }) => {
      let depth = 1;
      let end = index + call.length;
      for (; depth > 0 && end < code.length; end++)
        depth += Number(code[end] === '(') - Number(code[end] === ')');
      return { model, parameters: code.slice(index + call.length, end - 1) };
    });
}

const namesWorkspace = ({ parameters }: { parameters: string }) =>
  /\bworkspaceId|workspace: \{ teamId \}|\.\.\.ofWorkspace|^ofWorkspace$/.test(parameters);

test('the reader finds calls of models below a workspace', () => {
  const code = `await tx.page.updateMany({ where: { id: f(1) } }); tx.team.create({});
    await tx.funnelStep
      .findMany({ where: { workspaceId } })`;
  expect(callsIn(code).map((call) => [call.model, namesWorkspace(call)])).toEqual([
    ['page', false],
    ['funnelStep', true],
  ]);
});

test('every changing call of a model below a workspace has the workspace', async () => {
  const sources = (await readSources()).filter(({ path }) => /^(services|store\/changing)\//.test(path));
  const calls = sources.flatMap(({ path, code }) => callsIn(code).map((call) => ({ path, ...call })));
  expect(calls.length).toBeGreaterThan(8);
  expect(calls.filter((call) => !namesWorkspace(call))).toEqual([]);
});

test('Prisma sets no time of a change: later_time does, so that times never go backwards', () => {
  expect(schema.length).toBeGreaterThan(20);
  expect(schema.filter((text) => text.includes('@updatedAt'))).toEqual([]);
});
