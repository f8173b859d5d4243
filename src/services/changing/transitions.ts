// Fields whose value may change only to certain other values, such as the status of an order. Pure.
import { blaming } from '../../errors.ts';
import type { Field, Fields, Transitions } from '../../resources/description/fields.ts';
import type { NameOf } from '../input/parse-fields.ts';

type Values = Readonly<Record<string, unknown>>;

/** The rules for a noun's fields with transitions. */
export interface TransitionRules {
  /** Whether the current row is needed: the input has one of these fields. */
  needRow(given: Values): boolean;
  /** @param was the current row @throws AppError `conflict` for a change that the description does not allow */
  require(given: Values, was: Values, nameOf: NameOf): void;
}

/** The rules for the fields with transitions; null when there are none. */
export function transitionsOf(fields: Fields): TransitionRules | null {
  const limited = Object.entries(fields).filter(([, { transitions }]) => transitions !== undefined);
  if (limited.length === 0) return null;
  return {
    needRow: (given) => limited.some(([property]) => given[property] !== undefined),
    require(given, was, nameOf) {
      for (const [property, field] of limited)
        if (given[property] !== undefined)
          requireTransition(field, was[property], given[property], nameOf(property, field));
    },
  };
}

/** @param name the client's name for the field @throws AppError `conflict` for a change that the description does not allow */
export function requireTransition(
  { transitions = {}, values }: Pick<Field, 'transitions' | 'values'>,
  from: unknown,
  to: unknown,
  name: string,
): void {
  if (from === to || canChange(transitions, from, to)) return;
  const next = transitions[String(from)] ?? [];
  const choices = next.length === 0 ? `: \`${from}\` is final` : `. It can become ${next.join(' or ')}`;
  const message = `cannot change from ${from} to ${to}${choices}`;
  throw blaming('conflict', name, { code: 'not_allowed_now', message }, { values });
}

function canChange(transitions: Transitions, from: unknown, to: unknown): boolean {
  return from === null || transitions[String(from)]?.includes(String(to)) === true;
}
