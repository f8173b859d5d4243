// The addresses of a host name. DNS is asked directly, not by getaddrinfo, whose few threads are the process's: a name whose server is
// slow would hold up all others.
import { lookup, Resolver } from 'node:dns/promises';
import { setTimeout as sleep } from 'node:timers/promises';

/** The addresses of a name, in the order in which they are tried; throws where there is none. */
export type Lookup = (hostname: string) => Promise<readonly string[]>;

/** How long IPv6 addresses are waited for when there are IPv4 addresses. */
const SECOND_FAMILY_MS = 300;

/** Names that the system may be asked for at a time; a thread of four each. */
const MAX_SYSTEM_LOOKUPS = 2;

/**
 * @param asksSystem names that DNS does not know are asked of the system: of its hosts file, for one. Those lead inside, so that only
 *   a gateway that may send inside asks
 */
export function createLookup({ asksSystem }: { asksSystem: boolean }): Lookup {
  const resolver = new Resolver({ timeout: 1_500, tries: 2 });
  let systemLookups = 0;

  async function ofSystem(hostname: string): Promise<readonly string[]> {
    systemLookups++;
    try {
      return (await lookup(hostname, { all: true })).map(({ address }) => address);
    } finally {
      systemLookups--;
    }
  }

  return async (hostname) => {
    // RFC 6761 §6.3: no DNS server is believed about these.
    if (/(^|\.)localhost\.?$/i.test(hostname)) return ['127.0.0.1', '::1'];
    const four = resolver.resolve4(hostname);
    const six = resolver.resolve6(hostname).catch(() => []);
    try {
      const addresses = await four;
      return [...addresses, ...(await Promise.race([six, sleep(SECOND_FAMILY_MS, [], { ref: false })]))];
    } catch (error) {
      const addresses = await six;
      if (addresses.length > 0) return addresses;
      if (asksSystem && systemLookups < MAX_SYSTEM_LOOKUPS) return ofSystem(hostname);
      throw error;
    }
  };
}
