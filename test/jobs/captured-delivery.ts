/** A delivery of the public service, as an integrator captured it in June 2025; personal data replaced, of `data` a part. */
export const capturedDelivery = {
  data: {
    id: 592504162,
    tags: [],
    uuid: '8001c5a4-0000-4000-8000-000000000000',
    email_address: 'ann@example.com',
    workspace_id: 365069,
  },
  page: { id: 19448806, name: 'Opt in', public_id: 'PLxnGE' },
  funnel: { id: 753114, name: 'Launch', public_id: 'jgPKGv' },
  event_id: '86dd8628-03b8-41b0-a382-8b3a31d6e525',
  created_at: '2025-06-03T03:38:34.042Z',
  event_type: 'contact.identified',
  subject_id: 592504162,
  api_version: 2,
  subject_type: 'Contact',
  workspace_id: 365069,
} as const;
