// The parts of App (context.ts) that authentication needs.
import type { Config } from '../config/config.ts';
import type { Logger } from '../output/log.ts';
import type { Store } from '../store/store.ts';
import type { IssuerKeys } from './issuer-keys.ts';
import type { Keyring } from './keyring.ts';
import type { Lookups } from './lookups.ts';
import type { SigningKeyCache } from './signing-key-cache.ts';

export interface AuthApp {
  readonly config: Config;
  readonly store: Store;
  readonly lookups: Lookups;
  /** Encrypts and signs with the secret keys. */
  readonly keyring: Keyring;
  readonly signingKeyCache: SigningKeyCache;
  /** The keys of the outside issuer; null if the gateway issues the tokens itself. */
  readonly issuerKeys: IssuerKeys | null;
  readonly log: Logger;
  /** The current time; tests set it. */
  readonly clock: () => Date;
}
