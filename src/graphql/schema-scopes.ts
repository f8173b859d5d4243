// Which scopes the fields of the schema need.
import { isInterfaceType, isObjectType } from 'graphql';
import type { Scope } from '../auth/scopes.ts';
import { scopeOf } from './field-options.ts';
import { schema } from './schema.ts';

/** Every scope that a field of the schema needs. */
export function schemaScopes(): readonly Scope[] {
  return Object.values(schema.getTypeMap())
    .filter((type) => isObjectType(type) || isInterfaceType(type))
    .flatMap((type) => Object.values(type.getFields()).map(scopeOf))
    .filter((scope) => scope !== null);
}
