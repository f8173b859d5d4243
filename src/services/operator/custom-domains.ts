// Custom domains as the operator manages them: which host names lead to a workspace (spec §5 rule 7), and which names are allowed.
import { domainToASCII } from 'node:url';
import type { App } from '../../context.ts';
import { AppError, invalid } from '../../errors.ts';
import {
  type CustomDomainRow,
  deleteCustomDomain,
  findCustomDomains,
  insertCustomDomain,
} from '../../store/accounts/custom-domains.ts';
import type { Ref } from '../reading/refs.ts';
import { withConflicts } from './conflicts.ts';
import { requireId } from './refs.ts';

export type { CustomDomainRow };

const MAX_INPUT = 1_000;

/**
 * Makes a host name lead to a workspace.
 * @throws AppError `not_found` for the workspace, `invalid` for a name that cannot be a custom domain, `conflict` for one that already
 *   leads to a workspace
 */
export async function add(app: App, workspace: Ref, domain: string): Promise<CustomDomainRow> {
  const host = parseDomain(domain);
  const { serviceHost, authHostname } = app.config;
  if (host === serviceHost || host.endsWith(`.${serviceHost}`) || host === authHostname)
    throw invalid('domain', {
      code: 'not_allowed',
      message: `The domain ${host} belongs to the service (SERVICE_HOST, AUTH_URL). Give the workspace a subdomain of it instead.`,
    });
  const workspaceId = await requireId(app, 'workspaces', workspace);
  return withConflicts(() => insertCustomDomain(app.store, { workspaceId, host, createdAt: app.clock() }));
}

/** The domains of one workspace or of all workspaces. @throws AppError `not_found` for the workspace */
export async function list(app: App, workspace?: Ref): Promise<CustomDomainRow[]> {
  const workspaceId = workspace === undefined ? null : await requireId(app, 'workspaces', workspace);
  return findCustomDomains(app.store, workspaceId);
}

/**
 * Removes a host name from its workspace.
 * @throws AppError `not_found`; `conflict` while funnels use it; `invalid` for a text that is no host name
 */
export async function remove(app: App, domain: string): Promise<CustomDomainRow> {
  const host = parseDomain(domain);
  const removed = await deleteCustomDomain(app.store, host);
  if (removed === null)
    throw new AppError(
      'not_found',
      'Domain not found. "npx funnel-gateway workspace domain list" shows the domains.',
    );
  if (!('id' in removed))
    throw new AppError(
      'conflict',
      `The domain ${host} is used by the funnels ${removed.join(', ')}. Change these first.`,
    );
  await app.lookups.forget();
  return removed;
}

/** A host name in the form that requests have: lower case, international names in ASCII (RFC 5891), no dot at the end. */
function parseDomain(text: string): string {
  const written = text.trim().replace(/\.$/, '');
  const host = written.length <= MAX_INPUT && !/[/:@?#\s]/.test(written) ? domainToASCII(written) : '';
  const labels = host.split('.');
  const isName =
    host.length <= 253 &&
    labels.length > 1 &&
    labels.every((label) => /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(label));
  const isAddress = /^(\d+|0x[0-9a-f]*)$/.test(labels.at(-1) ?? '');
  if (!isName || isAddress || labels.at(-1) === 'localhost')
    throw invalid('domain', {
      code: 'invalid_format',
      message: 'The domain must be a host name such as shop.example.com. Leave out https://, port and path.',
    });
  return host;
}
