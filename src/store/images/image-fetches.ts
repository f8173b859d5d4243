// Finds the images to fetch, and records the outcomes. A worker that begins a fetch reserves the image for a minute; if it is killed, another
// worker begins again. One transaction writes a file and the status of its image, if the image still waits for this file.
import { timeOf, versionColumns } from '../changing/records.ts';
import { type Executor, inTransaction } from '../connections/executor.ts';
import { statement } from '../sql/statements.ts';
import { query, type Store } from '../store.ts';
import { imageTable } from '../tables/images.ts';
import { tableOf } from '../tables/tables.ts';
import { CHUNK_BYTES } from './image-files.ts';

type Db = Pick<Store, 'pool' | 'placement'>;

const IMAGES = tableOf(imageTable);

/** The maximum size of all files of one workspace, in bytes. */
const MAX_WORKSPACE_BYTES = 1024 ** 3;

/** A file that a worker has begun to fetch. */
export interface ImageFetch {
  readonly teamId: bigint;
  readonly workspaceId: bigint;
  readonly id: bigint;
  /** Identifies the file: after a change of its source, the image waits for another file. */
  readonly fileToken: string;
  readonly sourceUrl: string;
}

/** A file that was fetched. */
export interface FetchedImage {
  readonly bytes: Buffer;
  readonly contentType: string;
  readonly width: number;
  readonly height: number;
}

/** The teams and workspaces of recent fetches, the latest last: they are served after others. */
export interface RecentTenants {
  readonly teams: readonly bigint[];
  readonly workspaces: readonly bigint[];
}

/** Selects one row of `due` for each team, in the workspace that was served longest ago; teams without a recent fetch come first. */
const dueImages = (rows: string) => `with ${rows}
    select t.workspace_id as "workspaceId", t.id, t.team_id as "teamId" from (
      select distinct on (w.team_id) w.team_id, d.workspace_id, d.id, d.fetch_at
      from due d join workspaces w on w.id = d.workspace_id
      where d.fetch_at <= current_timestamp and w.team_id <> all($1::bigint[])
      order by w.team_id, array_position($3::bigint[], d.workspace_id) nulls first, d.fetch_at) t
    order by array_position($2::bigint[], t.team_id) nulls first, t.fetch_at limit $4::int`;

/** The image that has waited longest in the first workspace that satisfies `condition`. */
const firstOf = (condition: string) => `(select i.workspace_id, i.id, i.fetch_at from images i
  where i.status = 'pending' and ${condition} order by i.workspace_id, i.fetch_at limit 1)`;

/** Steps from one workspace to the next in the index: a workspace may have ten thousand images that wait, and one of them is read. */
const DUE = statement('images.due', () =>
  dueImages(`recursive due as (select f.* from ${firstOf('true')} f
      union all select n.* from due d cross join lateral ${firstOf('i.workspace_id > d.workspace_id')} n)`),
);

/** For stores where statements cannot step through an index: reads all due images. */
const ALL_DUE = statement('images.all_due', () =>
  dueImages(`due as materialized (
      select distinct on (i.workspace_id) i.workspace_id, i.id, i.fetch_at from images i
      where i.status = 'pending' and i.fetch_at <= current_timestamp
      order by i.workspace_id, i.fetch_at)`),
);

/** Reserves the image for a minute, which is longer than a fetch takes. */
const BEGIN = statement(
  'images.begin',
  () => `update images i set fetch_at = current_timestamp + interval '1 minute'
    where i.workspace_id = $1::bigint and i.id = $2::bigint and i.status = 'pending' and i.fetch_at <= current_timestamp
    returning i.workspace_id as "workspaceId", i.id, i.file_token as "fileToken", i.upload_source_url as "sourceUrl"`,
);

const THIS_FILE =
  "i.workspace_id = $1::bigint and i.id = $2::bigint and i.file_token = $3 and i.status = 'pending'";

const RETURN_FETCH = statement(
  'images.give_back',
  () => `update images i set fetch_at = current_timestamp where ${THIS_FILE}`,
);

/** The host and port of a source. */
const hostOf = (url: string) => `lower(substring(${url} from '//([^/?#]*)'))`;

/** Leaves fetches of other workers alone. Limited, because a workspace may have ten thousand images. */
const POSTPONE = statement(
  'images.postpone',
  () => `update images i set fetch_at = current_timestamp + interval '1 minute'
    where i.workspace_id = $1::bigint and i.id in (
      select o.id from images o
      where o.workspace_id = $1::bigint and o.status = 'pending' and o.fetch_at <= current_timestamp
        and ${hostOf('o.upload_source_url')} = ${hostOf('$2::text')}
      order by o.fetch_at limit 1000 for update skip locked)`,
);

/**
 * Begins to fetch due images, at most one for each team.
 * @param busy the teams to skip now
 * @throws AppError `unavailable`
 */
export async function beginFetches(
  db: Db,
  busy: readonly bigint[],
  turns: RecentTenants,
  limit: number,
): Promise<readonly ImageFetch[]> {
  const { stepsThroughIndexes } = await db.placement.rules();
  const text = stepsThroughIndexes ? DUE : ALL_DUE;
  const found = await query<Pick<ImageFetch, 'workspaceId' | 'id' | 'teamId'>>(db, text, [
    ...[busy, turns.teams, turns.workspaces, limit],
  ]);
  const begun: ImageFetch[] = [];
  // Of two concurrent workers, the second waits for the first, and then the image is no longer due.
  for (const { workspaceId, id, teamId } of found)
    for (const row of await query<Omit<ImageFetch, 'teamId'>>(db, BEGIN, [workspaceId, id]))
      begun.push({ ...row, teamId });
  return begun;
}

/**
 * Delays the images of the workspace from the same host by a minute, because the host did not answer in time.
 * @throws AppError `unavailable`
 */
export async function postponeHost(db: Db, { workspaceId, sourceUrl }: ImageFetch): Promise<void> {
  await query(db, POSTPONE, [workspaceId, sourceUrl]);
}

/** Returns an interrupted fetch: any worker may begin it at once. @throws AppError `unavailable` */
export async function returnFetch(db: Db, { workspaceId, id, fileToken }: ImageFetch): Promise<void> {
  await query(db, RETURN_FETCH, [workspaceId, id, fileToken]);
}

/** Records the reason why a file cannot be fetched. @param error a sentence for clients @throws AppError `unavailable` */
export async function failFetch(db: Db, begun: ImageFetch, error: string): Promise<void> {
  await inTransaction(db.pool, (tx) => settle(tx, begun, { ...NO_FILE, status: 'failed', error }));
}

/**
 * Stores a file. Does nothing if the image was deleted, or waits for another file.
 * @returns false if the workspace has no room for it
 * @throws AppError `unavailable`
 */
export function keepFile(db: Db, begun: ImageFetch, { bytes, ...known }: FetchedImage): Promise<boolean> {
  const { workspaceId, id, fileToken } = begun;
  return inTransaction(db.pool, async (tx) => {
    // Files of one workspace are stored one after the other, because their total size is limited.
    await tx.$queryRawUnsafe(
      "select pg_advisory_xact_lock(hashtextextended('images of ' || $1::text, 0))::text",
      String(workspaceId),
    );
    const [others] = await tx.$queryRawUnsafe<{ bytes: bigint }[]>(
      `select coalesce(sum(i.byte_size), 0)::bigint as bytes from images i
        where i.workspace_id = $1::bigint and i.id <> $2::bigint`,
      ...[workspaceId, id],
    );
    if (Number(others?.bytes ?? 0) + bytes.length > MAX_WORKSPACE_BYTES) return false;
    const outcome: FileState = { ...known, status: 'ready', error: null, byteSize: bytes.length };
    if (!(await settle(tx, begun, outcome))) return true;
    for (let number = 0; number * CHUNK_BYTES < bytes.length; number++)
      await tx.$executeRawUnsafe(
        `insert into image_chunks (workspace_id, image_id, file_token, number, bytes)
          values ($1::bigint, $2::bigint, $3, $4::int, $5::bytea)`,
        ...[workspaceId, id, fileToken, number],
        bytes.subarray(number * CHUNK_BYTES, (number + 1) * CHUNK_BYTES),
      );
    return true;
  });
}

/** The new state of the image. */
interface FileState {
  readonly status: 'ready' | 'failed';
  readonly error: string | null;
  readonly contentType: string | null;
  readonly width: number | null;
  readonly height: number | null;
  readonly byteSize: number | null;
}

const NO_FILE = { contentType: null, width: null, height: null, byteSize: null };

/** Records the outcome, and deletes an earlier file. @returns false if the image no longer waits for this file */
async function settle(
  tx: Executor,
  { workspaceId, id, fileToken }: ImageFetch,
  { status, error, contentType, width, height, byteSize }: FileState,
): Promise<boolean> {
  const settled = await tx.$executeRawUnsafe(
    `update images i set status = $4, error = $5, content_type = $6, width = $7::int, height = $8::int,
      byte_size = $9::int, ${versionColumns('$10', 'i')} where ${THIS_FILE}`,
    ...[workspaceId, id, fileToken, status, error, contentType, width, height, byteSize],
    await timeOf(tx, IMAGES),
  );
  if (settled === 0) return false;
  await tx.$executeRawUnsafe(
    'delete from image_chunks where workspace_id = $1::bigint and image_id = $2::bigint',
    ...[workspaceId, id],
  );
  return true;
}
