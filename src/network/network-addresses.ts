// Decides which IP addresses webhooks may be sent to, by the same rule for saving a URL and for connecting to it, and which network an
// address belongs to. Pure.
import { type BlockList, isIP, isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * Addresses that a network uses internally although the registries list them as public. Azure's 168.63.129.16 gives every virtual machine
 * its settings. The metadata services of other clouds are in ranges that are refused anyway.
 */
const INSIDE = new Set(['168.63.129.16']);

/**
 * Whether a connection to an address is allowed. All non-public addresses are refused: private, loopback, link-local (with
 * 169.254.169.254), carrier-grade NAT, multicast, broadcast, documentation, benchmarking and reserved ranges. For IPv6 also unique local
 * and site-local addresses, those that contain an IPv4 address (mapped, compatible, NAT64, 6to4, Teredo), and everything outside 2000::/3,
 * where nothing is assigned. An IPv4-mapped address is never treated as the public IPv4 address in it.
 *
 * ipaddr.js follows IANA's special-purpose registries, so there is no table here.
 * @param address an IP address in its canonical form, as DNS and URL give it
 * @param allowed the addresses that the operator allows in addition; a mapped address counts as its IPv4 address there
 */
export function isAllowedAddress(address: string, allowed: BlockList): boolean {
  const version = isIP(address);
  // A zone identifies an interface of this machine.
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

/** The network of an address. For IPv6 it is the first 64 bits, because one user usually controls a whole /64. */
export function toNetwork(address = 'unknown'): string {
  if (!isIPv6(address)) return address;
  const parsed = ipaddr.IPv6.parse(address);
  if (parsed.isIPv4MappedAddress()) return parsed.toIPv4Address().toString();
  return parsed.parts
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':');
}
