// The handlers of the authorization server's routes, by name. Loaded together with the library.
import { handleAccount } from './account.ts';
import type { Engine } from './engine.ts';
import { handleInteraction } from './interactions.ts';
import { jwks, metadata } from './metadata.ts';
import type { OauthRequest } from './oauth-request.ts';
import { register } from './registration.ts';
import { introspect, revoke } from './revoke-introspect.ts';
import { token } from './token-json.ts';

type Handler = (engine: Engine, request: OauthRequest) => Promise<Response>;

export const HANDLERS = {
  answer: (engine, request) => engine.answer(request),
  interaction: handleInteraction,
  account: handleAccount,
  token,
  revoke,
  introspect,
  register,
  jwks,
  metadata,
} satisfies Record<string, Handler>;

export type HandlerName = keyof typeof HANDLERS;
