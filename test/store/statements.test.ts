// Prepared statements by name: one name, one text. Their parameters have names, too.
import { expect, onTestFinished, test } from 'vitest';
import {
  compareTexts,
  memoizedStatements,
  named,
  numbered,
  statement,
  valuesOf,
} from '../../src/store/sql/statements.ts';

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

test('a name cannot be used for a second text', () => {
  const { text } = exists('workspaces');
  expect(() => statement('made_up.workspaces', () => 'select from workspaces where team_id = $1')).toThrow(
    'Two statements are called made_up.workspaces',
  );
  expect(exists('workspaces').text).toBe(text);
});

test("a projection's statements are cached for that projection", () => {
  const projected = memoizedStatements((name, text) => ({
    ...numbered(`${name}.c1`, text),
    isProjection: true,
  }));
  const page = () => projected('made_up.teams', () => 'select t.id from teams t');
  expect(page()).toBe(page());
  expect(page()).toEqual({
    ...{ name: 'made_up.teams.c1', text: 'select t.id from teams t', parameters: [], isProjection: true },
  });
  expect(() => projected('made_up.teams', () => 'select t.name from teams t')).toThrow(TypeError);
});

test('parameters are numbered by their first use, and each has one number', () => {
  const both = named(
    'made_up.both',
    'select $second, $first, $second, $first_of_all, $row_workspace',
    '$first',
  );
  expect(both.text).toBe('select $1, $2, $1, $3, $2');
  expect(valuesOf(both, { first: 1, second: null, first_of_all: 3, another: 4 })).toEqual([null, 1, 3]);
});

test('a value that is missing is an error', () => {
  const of = named('made_up.of_team', 'select $team');
  expect(() => valuesOf(of, { teams: 1n })).toThrow(new TypeError('The parameter team is missing'));
});

test('a name whose parameters have names is refused to the same text with others', () => {
  const by = (parameter: string) => statement('made_up.by', () => `select $${parameter}`);
  expect(by('id')).toBe(by('id'));
  expect(() => by('time')).toThrow('Two statements are called made_up.by');
});
