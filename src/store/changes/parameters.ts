// Statements whose parameters have names. PostgreSQL's have numbers.
import type { Statement } from '../statements.ts';

/** A prepared statement, and the names of its parameters in the order of their numbers. */
export interface NamedStatement extends Statement {
  readonly parameters: readonly string[];
}

/** Numbers the parameters of a text, such as `$workspace_id`. */
export function named(name: string, text: string): NamedStatement {
  const parameters: string[] = [];
  const numbered = text.replaceAll(/\$([a-z_]+)/g, (_, parameter: string) => {
    if (!parameters.includes(parameter)) parameters.push(parameter);
    return `$${parameters.indexOf(parameter) + 1}`;
  });
  return { name, text: numbered, parameters };
}

/** The values of a statement's parameters. @throws TypeError when one is missing: that is a bug */
export function valuesOf(
  { parameters }: NamedStatement,
  values: Readonly<Record<string, unknown>>,
): unknown[] {
  return parameters.map((parameter) => {
    if (!(parameter in values)) throw new TypeError(`The parameter ${parameter} is missing`);
    return values[parameter];
  });
}
