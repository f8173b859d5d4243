// Zod tries out whether it may compile validators with `Function`. The page's policy forbids that, and browsers report each attempt.
(globalThis as { __zod_globalConfig?: object }).__zod_globalConfig = { jitless: true };
