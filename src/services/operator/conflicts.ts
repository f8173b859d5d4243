// Error messages for the operator when a row violates a unique constraint: one sentence for each constraint.
import { blaming } from '../../errors.ts';
import { violatedUniqueness } from '../../store/connections/failures.ts';

const SUBDOMAIN = [
  'subdomain',
  'This subdomain is already used by a team or workspace. Choose another.',
] as const;

/** By the name of a constraint, index or trigger: the field to blame, and the sentence. */
const SENTENCES: Readonly<Record<string, readonly [field: string, message: string]>> = {
  users_email_key: ['email', 'Another person already has this e-mail address.'],
  api_keys_one_default: [
    'default',
    'The team already has a default API key. Rotate that one, or revoke it first.',
  ],
  oauth_clients_pkey: ['id', 'There is already a client with this id. A removed client keeps its id.'],
  teams_subdomain_key: SUBDOMAIN,
  workspaces_subdomain_key: SUBDOMAIN,
  subdomain_is_free: SUBDOMAIN,
  custom_domains_host_key: ['domain', 'This domain already leads to a workspace.'],
};

/** Runs `work`. @throws AppError `conflict` when another row has the same unique value; other errors of `work` as they are */
export async function withConflicts<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const [field, message] = SENTENCES[violatedUniqueness(error) ?? ''] ?? [];
    if (field === undefined || message === undefined) throw error;
    throw blaming('conflict', field, { code: 'taken', message }, { cause: error });
  }
}
