// Parses the variables of webhook deliveries. Pure.
import { BlockList } from 'node:net';
import { addressList, form, wholeNumber } from './values.ts';
import type { Read } from './variables.ts';

/** Parses the variables of webhooks, except the proxy, whose URL may contain a password. */
export function parseWebhooks({ value, optional }: Read) {
  return {
    /** Networks that webhooks may be sent to, in addition to public addresses (network-addresses.ts). */
    allowedNetworks: optional('WEBHOOK_ALLOWED_NETWORKS', addressList, new BlockList()),
    /** The prefix of a delivery's header names, without a trailing hyphen. */
    headerPrefix: value('WEBHOOK_HEADER_PREFIX', headerPrefix),
    /** Days that events and deliveries are kept. */
    keepDays: value('WEBHOOK_KEEP_DAYS', wholeNumber(1, 3_650)),
  };
}

/** Headers named `webhook-...` belong to Standard Webhooks. */
const headerPrefix = form(
  'the beginning of a header name such as X-Webhook-Example, at most 64 letters, digits and hyphens, other than webhook alone',
  (text) => {
    const isPrefix = /^[a-z][a-z0-9-]{0,63}$/i.test(text) && !text.endsWith('-');
    return isPrefix && text.toLowerCase() !== 'webhook' ? text : undefined;
  },
);

/** The URL of the proxy for webhooks. */
export const proxyUrl = form('an http or https address without path and query', (text) => {
  if (!/^https?:\/\/[^/\\]/i.test(text) || !URL.canParse(text)) return undefined;
  const { pathname, search, hash, username, password } = new URL(text);
  const isPlain = pathname === '/' && search === '' && hash === '';
  return isPlain && isPercentEncoded(username + password) ? text : undefined;
});

function isPercentEncoded(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
