// Where a new page gets its step: a place in the workflow of a funnel.
import { page as pageNoun } from '../../resources/pages.ts';
import type { PagePlace } from '../../services/funnels/pages.ts';
import { TOP_LEVEL } from '../../services/funnels/workflow.ts';
import { builder } from '../builder.ts';
import { parseGlobalId } from '../global-ids.ts';
import { setItemForm } from '../item-forms.ts';
import {
  atIndex,
  BranchPlaceInput,
  type PlaceInput,
  parseBranchPlace,
  parseStepId,
  positionField,
} from './step-places.ts';

const FunnelPlaceInput = builder.inputType('FunnelPlaceInput', {
  description: 'A place on the top level of a funnel.',
  fields: (t) => ({
    funnelId: t.id({ required: true, description: 'The global id of the funnel.' }),
    position: positionField(t),
  }),
});

const { itemType } = pageNoun.inputs.place;

const PagePlaceInput = builder.inputType(`${itemType}Input`, {
  description: 'A place in the workflow of a funnel.',
  isOneOf: true,
  fields: (t) => ({
    after: t.id({ description: 'The global id of a step: the place directly after it, on the same branch.' }),
    before: t.id({
      description: 'The global id of a step: the place directly before it, on the same branch.',
    }),
    onBranch: t.field({ type: BranchPlaceInput, description: 'A place on a branch of a split.' }),
    inFunnel: t.field({ type: FunnelPlaceInput, description: 'A place on the top level of a funnel.' }),
  }),
});

interface Given extends Omit<PlaceInput, 'onTopLevel'> {
  readonly inFunnel?: { readonly funnelId: string; readonly position?: number | null };
}

/** @param path its name in the input @throws AppError `invalid` */
function toPlace({ after, before, onBranch, inFunnel }: Given, path: string): PagePlace {
  if (inFunnel !== undefined) {
    const name = `${path}.inFunnel.funnelId`;
    const funnelId = parseGlobalId({ name: 'Funnel' }, inFunnel.funnelId, name);
    return { name, funnelId, stepId: null, at: { in: TOP_LEVEL, ...atIndex(inFunnel.position) } };
  }
  if (onBranch != null) {
    const name = `${path}.onBranch`;
    const { parentId, place } = parseBranchPlace(onBranch, name);
    return { name, funnelId: null, stepId: parentId, at: place };
  }
  const side = after == null ? 'before' : 'after';
  const name = `${path}.${side}`;
  const stepId = parseStepId(after ?? before ?? '', name);
  return { name, funnelId: null, stepId, at: side === 'after' ? { after: stepId } : { before: stepId } };
}

setItemForm(itemType, {
  type: PagePlaceInput,
  toItem: (given, path) => ({ ...toPlace(given, path) }),
});
