import { tag } from '../resources/tags.ts';
import * as tags from '../services/tags.ts';
import { nounRoutes } from './noun-routes.ts';

export const tagRoutes = nounRoutes(tag, tags, { parent: 'workspace', path: 'contacts/tags' });
