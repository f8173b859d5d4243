// The one object of a workspace, such as its site: a field of the workspace, and no list.
import type { Described } from '../resources/nouns.ts';
import { workspace } from '../resources/workspaces.ts';
import type { Single } from '../services/changing/singles.ts';
import type { Service } from '../services/service.ts';
import { builder } from './builder.ts';
import { loadBatched } from './context.ts';
import { defineChanges } from './mutations.ts';
import type { NodeType } from './nodes.ts';
import { nodeOf } from './nouns.ts';

type AnyRow = { readonly id: bigint };

/** Adds the object to the workspace, and its mutations. @param field its name there */
export function defineSingle<Row extends AnyRow>(
  service: Service<Row>,
  single: Single<Row>,
  field: string,
  description: string,
): void {
  const noun: Described = service.noun;
  const { scope, getManyOf } = single as Single<AnyRow>;
  const node = nodeOf(noun) as NodeType<object> as NodeType<AnyRow>;
  const Workspace = nodeOf(workspace);
  defineChanges(node, noun, service as Service, Workspace as NodeType<object> as NodeType<AnyRow>);
  builder.objectField(Workspace.ref, field, (t) =>
    t.field({
      type: node.ref,
      nullable: true,
      scope,
      description,
      columns: ['id'],
      resolve: ({ id }, _args, ctx) =>
        loadBatched(ctx, `${noun.table}.of_workspaces`, id, (ids) => getManyOf(ctx, ids)),
    }),
  );
}
