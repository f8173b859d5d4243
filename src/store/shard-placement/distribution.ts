// Names that the rooms that change rows still use.
export { inItsWorkspace } from './placement.ts';

export type Placement = 'whole' | 'sharded';
