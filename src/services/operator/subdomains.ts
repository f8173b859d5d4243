// Subdomains of teams and workspaces as the operator changes them.
import type { App } from '../../context.ts';
import * as store from '../../store/accounts/hosted.ts';
import { parseSubdomain } from '../accounts/subdomains.ts';
import type { Ref } from '../reading/refs.ts';
import { withConflicts } from './conflicts.ts';
import { requireId, unknownRef } from './refs.ts';

/**
 * Changes a subdomain at once; the old one becomes free. Also works on a database of an earlier version.
 * @throws AppError `not_found` for the team or workspace, `invalid` for the subdomain, `conflict` for one that is taken
 */
export async function setSubdomain(
  app: App,
  table: store.HostedTable,
  ref: Ref,
  text: string,
): Promise<store.Hosted> {
  const subdomain = parseSubdomain(app, text);
  const id = await requireId(app, table, ref);
  const renamed = await withConflicts(() => store.setSubdomain(app.store, table, id, subdomain));
  if (renamed === undefined) throw unknownRef(table);
  await app.lookups.forget();
  return renamed;
}
