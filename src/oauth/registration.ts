// Dynamic client registration (RFC 7591): switchable, and bounded for each address and for all.
import { AppError } from '../errors.ts';
import { type Limit, networkKey, requireFewTries } from '../services/throttle.ts';
import type { Engine } from './engine.ts';
import type { Visit } from './oauth-request.ts';

const message = 'Too many clients were registered. Try again later.';
const windowMs = 3_600_000;
/** What a client may say of itself: it is kept for weeks. */
const MAX_METADATA_BYTES = 8_192;
/** Registrations from one address, and from all. */
const LIMITS = {
  address: { most: 20, windowMs, message },
  all: { most: 1_000, windowMs, message },
} as const satisfies Record<string, Limit>;

/** Registers a client. @throws AppError `not_found` where it is switched off, `payload_too_large`, `too_many_requests` */
export async function register(engine: Engine, visit: Visit): Promise<Response> {
  const { app } = engine;
  if (!app.config.oauth.registration)
    throw new AppError('not_found', 'Clients are registered by the operator of this service.');
  if (((await visit.body())?.byteLength ?? 0) > MAX_METADATA_BYTES)
    throw new AppError(
      'payload_too_large',
      `The client metadata is larger than ${MAX_METADATA_BYTES} bytes.`,
    );
  await requireFewTries(app, networkKey(app, 'registration', visit.address), LIMITS.address);
  await requireFewTries(app, 'registration', LIMITS.all);
  return engine.answer(visit);
}
