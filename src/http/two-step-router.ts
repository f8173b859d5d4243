// A router that works at once and becomes faster later. Hono's fastest router builds one regular expression of all routes at its first
// match, which delayed the start by some 20 ms; until it is built, a trie chooses the same handlers.
import type { Router } from 'hono/router';
import { RegExpRouter } from 'hono/router/reg-exp-router';
import { TrieRouter } from 'hono/router/trie-router';

/** Matches with a trie until `prepare` is called. */
export class TwoStepRouter<Handler> implements Router<Handler> {
  readonly name = 'TwoStepRouter';
  #router: Router<Handler> = new TrieRouter<Handler>();
  readonly #routes: [method: string, path: string, handler: Handler][] = [];

  add(...route: [method: string, path: string, handler: Handler]): void {
    this.#routes.push(route);
    this.#router.add(...route);
  }

  match(method: string, path: string): ReturnType<Router<Handler>['match']> {
    return this.#router.match(method, path);
  }

  /** Builds the expression. Then no route can be added. @throws UnsupportedPathError for routes that it does not support */
  prepare(): void {
    if (this.#router instanceof RegExpRouter) return;
    const router = new RegExpRouter<Handler>();
    for (const route of this.#routes) router.add(...route);
    router.match('GET', '/');
    this.#router = router;
    this.#routes.length = 0;
  }
}
