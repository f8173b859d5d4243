// Simulates a forgotten condition: removes it from every statement that a gateway sends.
import type pg from 'pg';
import { serialize } from 'pg-protocol';
import type { NamedStatement, Statement } from '../../src/store/sql/statements.ts';
import type { Gateway } from './gateway.ts';

/** A condition that is always true, and that keeps the types of its parameters. */
const always = (...parameters: string[]) =>
  `(true or ${parameters.map((parameter) => `${parameter} is null`).join(' or ')})`;

type Rule = readonly [RegExp, (...parts: string[]) => string];

/**
 * The owner check: rows belong to the caller's team, and to the workspaces that the caller is limited to.
 * @param team the placeholder of the caller's team
 */
const owner = (team: string): readonly Rule[] => [
  [/\b(?:\w+\.)?team_id = (\$\d+)(?:::bigint)?/g, (_, team = '') => always(`${team}::bigint`)],
  // As Prisma writes it.
  [/"j\d+"\."team_id" = (\$\d+)/g, (_, team = '') => always(`${team}::bigint`)],
  [/\b\w+\.service_team_id = (\$\d+)/g, (_, team = '') => always(`${team}::bigint`)],
  [
    /\((\$\d+)::bigint\[\] is null or \w+\.id = any\((\$\d+)(?:::bigint\[\])?\)\)/g,
    (_, one = '', other = '') => always(`${one}::bigint[]`, `${other}::bigint[]`),
  ],
  [
    /\((\$\d+)::bigint\[\] is null or exists \(select from workspaces w where w\.id = any\(\$\d+\) and [^)]*\)(?: or \$\d+::bigint is null\))?\)/g,
    (_, one = '') => always(`${one}::bigint[]`),
  ],
  [/ and (\$\d+)::bigint\[\] is null(?! or)/g, (_, one = '') => ` and ${always(`${one}::bigint[]`)}`],
  // Teams themselves, and lists below them.
  [new RegExp(`\\bt\\.id = \\${team} and `, 'g'), () => `${always(`${team}::bigint`)} and `],
  [new RegExp(`\\bp\\.id = \\${team}\\) p`, 'g'), () => `${always(`${team}::bigint`)}) p`],
  [
    new RegExp(`(\\$\\d+) = \\${team}(?!\\d)`, 'g'),
    (_, parent = '') => always(`${parent}::bigint`, `${team}::bigint`),
  ],
];

/** The parent check: rows of a list belong to its parent, and a change is of the row that was found. */
const parent = (): readonly Rule[] => [
  [/\bt\.workspace_id = (?:\$\d+|p\.(?:workspace_)?id) and /g, () => ''],
  [
    /\bt\.(?:workspace|team|contact|funnel|endpoint)_id = (\$\d+|p\.id)(?= and )/g,
    (_, parent = '') => always(`${parent}::bigint`),
  ],
  [
    /\b([tcs])\.workspace_id = (\$\d+)::bigint and \1\.id = (\$\d+)::bigint/g,
    (_, __, workspace = '', id = '') => always(`${workspace}::bigint`, `${id}::bigint`),
  ],
];

const RULES = { owner, parent };
export type Condition = keyof typeof RULES;

/**
 * Removes a condition from all statements of a gateway that has sent none yet.
 * @returns the names of the changed statements
 */
export function forget({ app }: Gateway, condition: Condition): Set<string> {
  const changed = new Set<string>();
  const without = (name: string, text: string, parameters: readonly string[] = []) => {
    let rest = text;
    // Where parameters have no names, it is the first.
    const team = `$${Math.max(parameters.indexOf('team') + 1, 1)}`;
    for (const [pattern, to] of RULES[condition](team)) rest = rest.replaceAll(pattern, to);
    if (rest !== text) changed.add(name);
    return rest;
  };
  const { pool, readers, scans } = app.store;
  for (const target of [readers, scans]) {
    const { read } = target;
    Object.assign(target, {
      read: (statement: Statement & Partial<NamedStatement>, ...rest: [unknown[], bigint?, AbortSignal?]) => {
        const { name, text, parameters } = statement;
        return read({ ...statement, text: without(name, text, parameters) }, ...rest);
      },
    });
  }
  pool.on('connect', (client) => {
    const query = client.query.bind(client) as (...args: unknown[]) => unknown;
    Object.assign(client, {
      query: (sent: pg.QueryConfig & Partial<pg.Submittable>, ...rest: unknown[]) => {
        const { submit } = sent;
        if (submit !== undefined)
          sent.submit = (connection) => parsing(without, () => submit.call(sent, connection));
        else if (typeof sent.text === 'string') sent.text = without(sent.name ?? sent.text, sent.text);
        return query(sent, ...rest);
      },
    });
  });
  return changed;
}

/** Runs `work`, and changes each text in Parse messages meanwhile: statements in a batch write their messages themselves. */
function parsing(change: (name: string, text: string) => string, work: () => void): void {
  const { parse } = serialize;
  serialize.parse = (sent) => parse({ ...sent, text: change(sent.name || sent.text, sent.text) });
  try {
    work();
  } finally {
    serialize.parse = parse;
  }
}

/** Disables the second line of defence. */
export function disarm({ app }: Gateway): void {
  Object.assign(app.store, { hasTenantRole: async () => false });
  Object.assign(app.store.rowGuard, { requireOwn: (rows: unknown) => rows });
}
