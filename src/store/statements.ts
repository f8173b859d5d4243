// Prepared statements by name: the text is built once a process, and parsed once a connection.
import type { Statement } from './store.ts';

const statements = new Map<string, Statement>();

/** Builds a statement's text when it is first asked for. None is made from what clients choose: there are as many as the code has. */
export function statement(name: string, build: () => string): Statement {
  const found = statements.get(name) ?? { name, text: build() };
  statements.set(name, found);
  return found;
}
