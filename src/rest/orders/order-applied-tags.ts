import type { OwnRoutes } from '../noun-routes.ts';

export const orderAppliedTagRoutes: OwnRoutes = {
  unchanged: 'The order already has the tag. The answer is the existing applied tag, and nothing changes.',
};
