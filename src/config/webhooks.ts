// Parses the variables of webhook deliveries. Pure.
import { BlockList } from 'node:net';
import { parseAddresses } from './values.ts';
import type { Check, WholeNumber } from './variables.ts';

/** Parses the variables of webhooks, except the proxy, whose URL may contain a password. */
export function parseWebhooks(check: Check, wholeNumber: WholeNumber) {
  return {
    /** Networks that webhooks may be sent to, besides public addresses (network-addresses.ts). */
    allowedNetworks: check(
      'WEBHOOK_ALLOWED_NETWORKS',
      new BlockList(),
      parseAddresses,
      'IP addresses or CIDR ranges, separated by commas',
    ),
    /** The prefix of a delivery's header names, without a trailing hyphen. */
    headerPrefix: check(
      'WEBHOOK_HEADER_PREFIX',
      'X-Webhook-ClickFunnels',
      parseHeaderPrefix,
      'the beginning of a header name such as X-Webhook-Example, at most 64 letters, digits and hyphens, other than webhook alone',
    ),
    /** Days that events and deliveries are kept. */
    keepDays: wholeNumber('WEBHOOK_KEEP_DAYS', 1, 3_650),
  };
}

/** The URL of the proxy for webhooks. */
export function parseWebhookProxy(check: Check): string | undefined {
  return check('WEBHOOK_PROXY', undefined, parseProxyUrl, 'an http or https address without path and query');
}

/** Headers named `webhook-...` belong to Standard Webhooks. */
function parseHeaderPrefix(text: string): string | undefined {
  const isPrefix = /^[a-z][a-z0-9-]{0,63}$/i.test(text) && !text.endsWith('-');
  return isPrefix && text.toLowerCase() !== 'webhook' ? text : undefined;
}

function parseProxyUrl(text: string): string | undefined {
  if (!/^https?:\/\/[^/\\]/i.test(text) || !URL.canParse(text)) return undefined;
  const { pathname, search, hash, username, password } = new URL(text);
  const isPlain = pathname === '/' && search === '' && hash === '';
  return isPlain && isPercentEncoded(username + password) ? text : undefined;
}

function isPercentEncoded(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
