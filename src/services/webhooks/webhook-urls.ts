// Which URLs a webhook endpoint may have. Host names are not resolved here: their addresses are checked when a connection is made
// (jobs/delivery/sender.ts). Pure.
import { type BlockList, isIP } from 'node:net';
import { type Fault, invalid, mustBe, tooLong } from '../../errors.ts';
import { isAllowedAddress } from '../../network/network-addresses.ts';

const MAX_LENGTH = 2_000;

/**
 * The URL as written.
 * @param field the client's name for it
 * @param allowed addresses that the operator allows although they are not public
 * @throws AppError `invalid` saying what is wrong with it
 */
export function parseWebhookUrl(text: string, field: string, allowed: BlockList): string {
  const fault = faultOf(text, allowed);
  if (fault !== null) throw invalid(field, fault);
  return text;
}

function faultOf(text: string, allowed: BlockList): Fault | null {
  if (text.length > MAX_LENGTH) return tooLong(MAX_LENGTH);
  // The URL parser would silently repair such texts: it removes line breaks, converts backslashes, and finds a host in http:example.com.
  if (!text.isWellFormed() || /[\s\p{Cc}\\]/u.test(text))
    return malformed('must not contain spaces or backslashes');
  if (!/^https?:\/\/[^/?#]/i.test(text) || !URL.canParse(text)) return mustBe('an http or https URL');
  const { hostname, port, username, password } = new URL(text);
  if (username !== '' || password !== '' || /^[^/]+\/\/[^/?#]*@/.test(text))
    return malformed('must not contain a user name or password');
  if (text.includes('#')) return malformed('must not contain a fragment');
  if (port === '0') return malformed('must not have port 0');
  return isAllowedHost(hostname, allowed)
    ? null
    : { code: 'not_allowed', message: 'must not lead to a private or local address' };
}

function malformed(message: string): Fault {
  return { code: 'invalid_format', message };
}

/** @param hostname as URL normalizes it: lower case, every spelling of an IPv4 address as four numbers, an IPv6 address in brackets */
function isAllowedHost(hostname: string, allowed: BlockList): boolean {
  const address = hostname.replace(/^\[(.*)\]$/, '$1');
  if (isIP(address) !== 0) return isAllowedAddress(address, allowed);
  // RFC 6761 §6.3.
  if (/(^|\.)localhost\.?$/.test(hostname))
    return isAllowedAddress('127.0.0.1', allowed) || isAllowedAddress('::1', allowed);
  return true;
}
