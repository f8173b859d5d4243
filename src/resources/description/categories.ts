// The categories of scopes.

/** The category of a scope, such as `contacts` in `contacts:read`. */
export type Category =
  | 'account'
  | 'blogs'
  | 'contacts'
  | 'courses'
  | 'emails'
  | 'forms'
  | 'funnels'
  | 'sales'
  | 'store'
  | 'webhooks';
