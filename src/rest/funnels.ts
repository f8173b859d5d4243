import { funnel } from '../resources/funnels.ts';
import * as funnels from '../services/funnels.ts';
import { nounRoutes } from './noun-routes.ts';

export const funnelRoutes = nounRoutes(funnel, funnels, { parent: 'workspace', path: 'funnels' });
