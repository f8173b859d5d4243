// Dynamic client registration (RFC 7591): switchable, and bounded for each address and for all, in the store, so that many
// processes count as one.
import type { App } from '../../context.ts';
import { AppError } from '../../errors.ts';
import { countTry } from '../../store/sign-in-failures.ts';
import type { Engine } from './engine.ts';
import type { Visit } from './visit.ts';

const WINDOW_MS = 3_600_000;
/** Registrations within the window: from one address, and from all. */
const MAX_REGISTRATIONS = { address: 20, all: 1_000 };

/** Registers a client. @throws AppError `not_found` where it is switched off, `too_many_requests` */
export async function register(engine: Engine, visit: Visit): Promise<Response> {
  const { app } = engine;
  if (!app.config.oauth.registration)
    throw new AppError('not_found', 'Clients are registered by the operator of this service.');
  await requireFew(app, `registration ${visit.address}`, MAX_REGISTRATIONS.address);
  await requireFew(app, 'registration', MAX_REGISTRATIONS.all);
  return engine.answer(visit);
}

async function requireFew(app: App, key: string, most: number): Promise<void> {
  const now = app.clock();
  const { count, endsAt } = await countTry(app.store, key, now, WINDOW_MS);
  if (count <= most) return;
  const retryAfterSeconds = Math.max(1, Math.ceil((endsAt.getTime() - now.getTime()) / 1_000));
  throw new AppError('too_many_requests', 'Too many clients were registered. Try again later.', {
    retryAfterSeconds,
  });
}
