// Ids of signing keys on the command line. They are base64url: in older stores they may begin with a hyphen, like options. Pure.

/** A thumbprint that looks like an option (RFC 7638, SHA-256: 43 characters). No real option is that long. */
const KEY_ID = /^-[\w-]{42}$/;

/** The arguments, with a key's id that looks like an option moved after `--`, so that it is not parsed as an option. */
export function separateKeyId(args: readonly string[]): readonly string[] {
  const isSigningKey = args.find((arg) => !arg.startsWith('-')) === 'signing-key';
  if (!isSigningKey || args.includes('--')) return args;
  const ids = args.filter((arg) => KEY_ID.test(arg));
  return ids.length === 0 ? args : [...args.filter((arg) => !ids.includes(arg)), '--', ...ids];
}
