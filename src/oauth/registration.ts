// Dynamic client registration (RFC 7591). It can be disabled, and is limited for each network and in total.
import { AppError } from '../errors.ts';
import { admitRegistration } from '../services/sign-in/oauth-admission.ts';
import type { Engine } from './engine.ts';
import type { OauthRequest } from './oauth-request.ts';

/** The limit of a client's metadata, which is stored for weeks. */
const MAX_METADATA_BYTES = 8_192;

/** Registers a client. @throws AppError `not_found` when registration is disabled, `payload_too_large`, `too_many_requests` */
export async function register(engine: Engine, request: OauthRequest): Promise<Response> {
  const { app } = engine;
  if (!app.config.oauth.registration)
    throw new AppError(
      'not_found',
      'Clients cannot register themselves here. The operator of this service registers them.',
    );
  if (((await request.body())?.byteLength ?? 0) > MAX_METADATA_BYTES)
    throw new AppError(
      'payload_too_large',
      `The client metadata is too large. It can have at most ${MAX_METADATA_BYTES} bytes.`,
    );
  await admitRegistration(app, request.address);
  return engine.answer(request);
}
