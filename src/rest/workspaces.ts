import { workspace } from '../resources/workspaces.ts';
import * as workspaces from '../services/workspaces.ts';
import { nounRoutes } from './noun-routes.ts';

export const workspaceRoutes = nounRoutes(workspace, workspaces, { parent: 'team', path: 'workspaces' });
