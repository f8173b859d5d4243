// Which subdomains of SERVICE_HOST a team or a workspace may have. The database enforces the same rules (migration service_users). Pure.
import type { App } from '../../context.ts';
import { invalid } from '../../errors.ts';

/** Names that the service may need itself, or that programs trust. The migration has the same list. */
export const RESERVED: readonly string[] = [
  ...'account accounts admin api app auth autoconfig autodiscover ftp imap isatap localhost login mail metrics'.split(
    ' ',
  ),
  ...'mta-sts ns ns1 ns2 oauth pop smtp status wpad www'.split(' '),
];

/**
 * Parses a subdomain into its stored form: a label of a host name (RFC 1035 §2.3.1), in lower case.
 * @throws AppError `invalid` for a text that is no label
 */
export function parseLabel(text: string): string {
  const subdomain = text.trim().toLowerCase();
  if (!/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(subdomain) || /^..--/.test(subdomain))
    throw invalid('subdomain', {
      code: 'invalid_format',
      message:
        'The subdomain must be one label of a host name, such as acme. It has 1 to 63 letters a to z, digits and hyphens, begins and ends with a letter or digit, and has no hyphens in third and fourth place.',
    });
  return subdomain;
}

/** @throws AppError `invalid` for a subdomain that is reserved, or is the host of AUTH_URL */
export function requireUnreserved({ config }: Pick<App, 'config'>, subdomain: string): void {
  if (RESERVED.includes(subdomain) || `${subdomain}.${config.serviceHost}` === config.authHostname)
    throw invalid('subdomain', {
      code: 'taken',
      message: `The subdomain ${subdomain} is reserved for the service. Choose another.`,
    });
}

/** Parses a new subdomain. @throws AppError `invalid`, also for a reserved one */
export function parseSubdomain(app: App, text: string): string {
  const subdomain = parseLabel(text);
  requireUnreserved(app, subdomain);
  return subdomain;
}
