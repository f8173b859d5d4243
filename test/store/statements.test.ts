// Prepared statements by name: one name, one text.
import { expect, onTestFinished, test } from 'vitest';
import { compareTexts, rememberedStatements, statement } from '../../src/store/sql/statements.ts';

const exists = (table: string) => statement(`made_up.${table}`, () => `select from ${table} where id = $1`);

test('a statement is built once', () => {
  compareTexts(false);
  onTestFinished(() => compareTexts(true));
  let built = 0;
  const counted = () =>
    statement('made_up.counted', () => {
      built += 1;
      return 'select 1';
    });
  expect(counted()).toBe(counted());
  expect(built).toBe(1);
  expect(exists('teams')).toBe(exists('teams'));
});

test('a name that has a text is refused to another one', () => {
  const { text } = exists('workspaces');
  expect(() => statement('made_up.workspaces', () => 'select from workspaces where team_id = $1')).toThrow(
    'Two statements are called made_up.workspaces',
  );
  expect(exists('workspaces').text).toBe(text);
});

test("a projection's statements are remembered by themselves", () => {
  const projected = rememberedStatements((name, text) => ({ name: `${name}.c1`, text, isProjection: true }));
  const page = () => projected('made_up.teams', () => 'select t.id from teams t');
  expect(page()).toBe(page());
  expect(page()).toEqual({ name: 'made_up.teams.c1', text: 'select t.id from teams t', isProjection: true });
  expect(() => projected('made_up.teams', () => 'select t.name from teams t')).toThrow(TypeError);
});
