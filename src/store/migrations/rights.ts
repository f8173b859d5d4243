// Checks the rights that migrations need, so that `doctor` and `migrate` can refuse in one sentence.
import type pg from 'pg';
import { type ExtensionState, readExtensions } from './search.ts';

interface Rights {
  /** Quoted names. */
  readonly user: string;
  readonly database: string;
  /** null: no schema of the search path exists. */
  readonly schema: string | null;
  readonly encoding: string;
  readonly createsTables: boolean;
  /** Whether it may create the schema of scheduled jobs, or has it already. */
  readonly createsSchemas: boolean;
}

const RIGHTS = `select quote_ident(current_user) as "user", quote_ident(current_database()) as database,
    quote_ident(current_schema()) as schema, current_setting('server_encoding') as encoding,
    coalesce(has_schema_privilege(current_schema(), 'create'), false) as "createsTables",
    (has_database_privilege(current_database(), 'create') or to_regnamespace('funnel_gateway_jobs') is not null) as "createsSchemas"`;

/** A missing right, and how to get it. */
export interface Obstacle {
  readonly of: 'encoding' | 'privileges' | 'extensions';
  readonly message: string;
  readonly advice: string;
}

/** Finds the reasons why pending migrations cannot be applied; empty if they can. @throws the driver's error */
export async function findObstacles(db: Pick<pg.Pool, 'query'>): Promise<Obstacle[]> {
  const { rows } = await db.query<Rights>(RIGHTS);
  const [rights] = rows;
  if (rights === undefined) throw new Error('The server does not show the rights of its user.');
  const { user, database, schema, encoding, createsTables, createsSchemas } = rights;
  const lacks = (right: string, grant: string) => ({
    of: 'privileges' as const,
    message: `the user of DATABASE_URL may not ${right}`,
    advice: `have its owner run: ${grant};`,
  });
  return [
    ...(encoding === 'UTF8'
      ? []
      : [
          {
            of: 'encoding' as const,
            message: `its encoding is ${encoding}`,
            advice: 'create the database with encoding UTF8',
          },
        ]),
    ...(schema === null
      ? [
          {
            of: 'privileges' as const,
            message: 'no schema of the search path exists',
            advice: 'run: create schema public;',
          },
        ]
      : []),
    ...(createsTables || schema === null
      ? []
      : [lacks(`create tables in the schema ${schema}`, `grant create on schema ${schema} to ${user}`)]),
    ...(createsSchemas
      ? []
      : [
          lacks(
            `create schemas in the database ${database}`,
            `grant create on database ${database} to ${user}`,
          ),
        ]),
    ...extensionObstacles(await readExtensions(db), { user, database }),
  ];
}

/** The reasons why the extensions for search cannot be used. One that is already installed needs no right. */
export function extensionObstacles(
  extensions: readonly ExtensionState[],
  { user, database }: Pick<Rights, 'user' | 'database'>,
): Obstacle[] {
  const named = (which: (extension: ExtensionState) => boolean) =>
    extensions.filter(which).map(({ name }) => name);
  const missing = named(({ isInstalled, isAvailable }) => !isInstalled && !isAvailable);
  const refused = named((one) => !one.isInstalled && one.isAvailable && !one.isInstallable);
  const hidden = extensions.filter(({ hiddenIn }) => hiddenIn !== null);
  const of = 'extensions' as const;
  return [
    ...(missing.length === 0
      ? []
      : [
          {
            of,
            message: `the server has no extension ${missing.join(', ')}`,
            advice: 'install the contrib package of PostgreSQL (postgresql-contrib)',
          },
        ]),
    ...(refused.length === 0
      ? []
      : [
          {
            of,
            message: `the user of DATABASE_URL may not create the extensions ${refused.join(', ')}`,
            advice: `have the database’s owner run: grant create on database ${database} to ${user}; or an administrator: ${refused.map((name) => `create extension ${name};`).join(' ')}`,
          },
        ]),
    ...hidden.map(({ name, hiddenIn }) => ({
      of,
      message: `the extension ${name} is in the schema ${hiddenIn}, which is not on the search path`,
      advice: `have an administrator run: alter role ${user} in database ${database} set search_path to "$user", public, ${hiddenIn};`,
    })),
  ];
}
