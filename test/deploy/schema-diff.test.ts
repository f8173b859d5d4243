// `npm run schema:diff`: what counts as a breaking change, and when the changelog announces it.
import { expect, test } from 'vitest';
import { changesBetween, report, unannounced } from '../../deploy/schema-diff.ts';

const RELEASED = `
  type Query { contact(id: ID): Contact }
  type Contact { id: ID! name: String email: String status: Status! }
  enum Status { ACTIVE GONE }
`;

const CURRENT = `
  "All queries."
  type Query { contact(id: ID!): Contact }
  type Contact { id: ID! name: String status: Status! emailAddress: String }
  enum Status { ACTIVE NEW }
`;

const CHANGELOG = (lines: string) =>
  `# Changelog\n\n## [Unreleased]\n\n${lines}\n\n## [1.0.0]\n\n- \`Status.GONE\` went.\n`;

test('a breaking change without a line in the unreleased section is told', async () => {
  const changes = await changesBetween(RELEASED, CURRENT);
  const paths = (changelog: string) => unannounced(changes, changelog).map(({ path }) => path);

  expect(paths(CHANGELOG('')).sort()).toEqual(['Contact.email', 'Query.contact.id', 'Status.GONE']);
  expect(
    paths(CHANGELOG('- `Contact.email` is `Contact.emailAddress`, and `Query.contact.id` is required.')),
  ).toEqual(['Status.GONE']);
  expect(paths(CHANGELOG('- `Contact.*`, `Status.*` and `Query.*` are new.'))).toEqual([]);
  expect(paths(CHANGELOG('- `*.*.id` and `*.email` go, `*` does not.')).sort()).toEqual(['Status.GONE']);
  expect(paths(CHANGELOG('- `*.mail` and `Contact` go.')).sort()).toHaveLength(3);
});

test('a description alone is no change, and an added value is dangerous', async () => {
  expect([...report(await changesBetween(RELEASED, `"x" ${RELEASED.trimStart()}`))]).toEqual([
    'The schema is that of the last release.',
  ]);
  const lines = [...report(await changesBetween(RELEASED, CURRENT))];
  expect(lines.filter((line) => !line.startsWith(' '))).toEqual([
    'Breaking (3):',
    'Dangerous: a client that does not expect the change may fail (1):',
    'Compatible (1):',
  ]);
  expect(lines.join('\n')).toContain('Status.NEW');
});
