// Settings of earlier versions that are refused now, each with a message that says what to do. Pure.

/** Why `serve --workers` and WORKERS above 1 are refused. */
export const ONE_PROCESS =
  'A gateway is one process: start one for each core on an inherited socket (docs/scaling.md)';

/** For each variable, the values that match the gateway's only behaviour now, and the message for other values. */
const RETIRED = {
  WORKERS: { means: ['1'], why: `${ONE_PROCESS}, and remove WORKERS` },
  TENANT_ROLE: {
    means: ['on'],
    why: 'The tenant role is always used: remove TENANT_ROLE, and run "npx funnel-gateway migrate", which prints what an administrator has to run if the role is missing',
  },
} as const satisfies Readonly<Record<string, { readonly means: readonly string[]; readonly why: string }>>;

export type RetiredVariable = keyof typeof RETIRED;

interface Refused {
  readonly variable: RetiredVariable;
  readonly message: string;
}

/** The variables in `env` that are refused. */
export function retiredVariables(env: Readonly<Record<string, string | undefined>>): Refused[] {
  return (Object.keys(RETIRED) as RetiredVariable[]).flatMap((variable) => {
    const { means, why } = RETIRED[variable];
    const value = env[variable]?.trim() ?? '';
    return value === '' || (means as readonly string[]).includes(value) ? [] : [{ variable, message: why }];
  });
}
