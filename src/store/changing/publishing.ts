// The SQL of nouns that are published by a time: what happens when they get it.
import type { ChangeRules } from './rules.ts';

export const PUBLISHING: ChangeRules = {
  events: {
    published: {
      onCreate: 'n.published_at is not null',
      onUpdate: '(o.published_at is null and n.published_at is not null)',
    },
  },
};
