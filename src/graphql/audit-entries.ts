// The audit trail of a workspace.
import { auditEntry } from '../resources/audit-entries.ts';
import * as auditEntries from '../services/audit-entries.ts';
import { builder } from './builder.ts';
import { defineConnection } from './connection.ts';
import { defineNode } from './nodes.ts';
import { Workspace } from './workspaces.ts';

const AuditEntry = defineNode(auditEntry, {
  ...auditEntries,
  fields: (t) => ({ workspace: Workspace.field(t, 'workspaceId', 'The workspace that it was changed in.') }),
});

const AuditEntryConnection = defineConnection(AuditEntry, auditEntry, auditEntries);

builder.objectField(Workspace.ref, 'auditEntries', (t) =>
  AuditEntryConnection.field(t, 'What was changed in the workspace, and by whom.'),
);
