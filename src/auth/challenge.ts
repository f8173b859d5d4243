// The WWW-Authenticate challenge, byte for byte as in spec §5 rules 6-7, and as in RFC 6750 §3 for cases that the specification leaves
// open.
import type { Config } from '../config/config.ts';
import type { AppError } from '../errors.ts';
import { PROTECTED_RESOURCE_PATH } from './discovery.ts';
import type { Host } from './hosts.ts';

/**
 * The challenge for a 401 or 403. As the specification prints it, missing and insufficient credentials are both `insufficient_scope`; an
 * invalid credential is `invalid_token`. On a custom domain the `resource_metadata` parameter is left out.
 */
export function challenge(config: Config, host: Host, error: AppError): string {
  const parameters = [
    'realm="Service API v2"',
    `error="${error.invalidToken ? 'invalid_token' : 'insufficient_scope'}"`,
    ...(error.scope === undefined ? [] : [`scope="${error.scope}"`]),
    ...(host.kind === 'custom_domain'
      ? []
      : [`resource_metadata="${config.authUrl}${PROTECTED_RESOURCE_PATH}"`]),
  ];
  return `Bearer ${parameters.join(', ')}`;
}
