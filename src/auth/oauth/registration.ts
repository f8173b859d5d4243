// Dynamic client registration (RFC 7591): switchable, and bounded for each address and for all.
import { AppError } from '../../errors.ts';
import { type Limit, requireFewTries, toNetwork } from '../../services/throttle.ts';
import type { Engine } from './engine.ts';
import type { Visit } from './visit.ts';

const message = 'Too many clients were registered. Try again later.';
const windowMs = 3_600_000;
/** Registrations from one address, and from all. */
const LIMITS = {
  address: { most: 20, windowMs, message },
  all: { most: 1_000, windowMs, message },
} as const satisfies Record<string, Limit>;

/** Registers a client. @throws AppError `not_found` where it is switched off, `too_many_requests` */
export async function register(engine: Engine, visit: Visit): Promise<Response> {
  const { app } = engine;
  if (!app.config.oauth.registration)
    throw new AppError('not_found', 'Clients are registered by the operator of this service.');
  await requireFewTries(app, `registration ${toNetwork(visit.address)}`, LIMITS.address);
  await requireFewTries(app, 'registration', LIMITS.all);
  return engine.answer(visit);
}
