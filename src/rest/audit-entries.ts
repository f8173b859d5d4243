import { auditEntry } from '../resources/audit-entries.ts';
import * as auditEntries from '../services/audit-entries.ts';
import { nounRoutes } from './noun-routes.ts';

export const auditEntryRoutes = nounRoutes(auditEntry, auditEntries, {
  parent: 'workspace',
  path: 'audit_entries',
});
