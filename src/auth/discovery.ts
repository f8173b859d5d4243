// The discovery documents (spec §5 rule 5): RFC 9728 and RFC 8414, as far as API keys reach.
import type { Config } from '../config.ts';
import { SCOPES } from './scopes.ts';

/** OAuth 2.0 Protected Resource Metadata (RFC 9728 §2). The scopes are those that services check. */
export function protectedResourceMetadata(config: Config) {
  return {
    resource: config.authUrl,
    resource_name: 'Service API v2',
    scopes_supported: SCOPES,
    bearer_methods_supported: ['header'],
  };
}

/** OAuth 2.0 Authorization Server Metadata (RFC 8414 §2). No grant is offered: keys are made by the operator. */
export function authorizationServerMetadata(config: Config) {
  return {
    issuer: config.authUrl,
    scopes_supported: SCOPES,
    response_types_supported: [],
    grant_types_supported: [],
  };
}
