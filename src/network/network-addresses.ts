// Which IP addresses webhooks may be sent to. One answer for both times it is asked: when a URL is saved, and when a connection is made.
// Pure.
import { type BlockList, isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * Addresses that a network reserves for its inside although the registries call them public. Azure's 168.63.129.16 answers every
 * virtual machine with its settings; the metadata services of the others are in ranges that are refused anyway.
 */
const INSIDE = new Set(['168.63.129.16']);

/**
 * Whether a connection to an address may be made. Refused is all that is not public: private, loopback, link-local (with
 * 169.254.169.254), carrier-grade NAT, multicast, broadcast, documentation, benchmarking and reserved ranges; of IPv6 also unique and
 * site-local addresses, those that carry an IPv4 address (mapped, compatible, NAT64, 6to4, Teredo), and all outside 2000::/3, of which
 * nothing has been given out. An IPv4-mapped address is never taken for the public IPv4 address in it.
 *
 * ipaddr.js keeps up with the special-purpose registries of IANA, so there is no table here.
 * @param address an IP address in its canonical form, as DNS and URL give it
 * @param allowed what the operator allows beyond that; a mapped address counts as its IPv4 address there
 */
export function isAllowedAddress(address: string, allowed: BlockList): boolean {
  const version = isIP(address);
  // A zone leads to an interface of this machine.
  if (version === 0 || address.includes('%')) return false;
  return allowed.check(address, version === 4 ? 'ipv4' : 'ipv6') || isPublic(address);
}

function isPublic(address: string): boolean {
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast' || INSIDE.has(address)) return false;
  return parsed.kind() === 'ipv4' || isGlobalUnicast(parsed.toByteArray());
}

/** 2000::/3 (RFC 4291 §2.4). */
function isGlobalUnicast([first = 0]: readonly number[]): boolean {
  return first >> 5 === 1;
}
