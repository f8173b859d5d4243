// What search needs of a database: extensions that come with PostgreSQL, and the right to create them. A store on several servers has no
// search (../shard-placement/placement.ts), so migrations leave it out there.
import type pg from 'pg';
import { readRules } from '../shard-placement/placement.ts';
import { withoutComments } from './split.ts';

/** The extensions whose functions and operators the indexes for searches use. */
const EXTENSIONS = ['unaccent', 'pg_trgm', 'btree_gin'];

/** Whether a statement makes something that only searches use. */
export function isOfSearch(statement: string): boolean {
  return /\bsearch_(?:words|patterns|ids)\b|^create\s+extension\b/i.test(withoutComments(statement));
}

/** An extension in a database. */
export interface ExtensionState {
  readonly name: string;
  /** Whether the server has its files. */
  readonly isAvailable: boolean;
  readonly isInstalled: boolean;
  /** Whether the connection's user may install it. */
  readonly isInstallable: boolean;
  /** Its schema, quoted, if that is not on the search path. */
  readonly hiddenIn: string | null;
}

/** A trusted extension needs only the right to create in the database. */
const STATE = `select e.name, v.name is not null as "isAvailable", x.oid is not null as "isInstalled",
    coalesce(r.rolsuper or v.trusted and has_database_privilege(current_database(), 'create'), false) as "isInstallable",
    case when n.nspname <> all (current_schemas(true)) then quote_ident(n.nspname) end as "hiddenIn"
  from unnest($1::text[]) with ordinality e (name, place)
  cross join pg_roles r
  left join pg_available_extensions a on a.name = e.name
  left join pg_available_extension_versions v on v.name = e.name and v.version = a.default_version
  left join pg_extension x on x.extname = e.name
  left join pg_namespace n on n.oid = x.extnamespace
  where r.rolname = current_user order by e.place`;

/** Reads the state of the extensions for search; none if the store has no search. @throws the driver's error */
export async function readExtensions(db: Pick<pg.Pool, 'query'>): Promise<ExtensionState[]> {
  if (!(await readRules(db)).searches) return [];
  const { rows } = await db.query<ExtensionState>(STATE, [EXTENSIONS]);
  return rows;
}
