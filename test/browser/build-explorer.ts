// The explorer is built once before all files, which would otherwise build it into one folder at the same time.
import { buildGraphiql } from '../../src/graphiql/build.ts';

export async function setup(): Promise<void> {
  await buildGraphiql();
}
