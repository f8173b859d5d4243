// Requests of the OpenAPI document's examples that do not follow from the demo's objects: by operationId, the ids in the path and the body.

interface OwnRequest {
  readonly params?: Readonly<Record<string, number>>;
  readonly body?: unknown;
  /** The query of a request that is sent before, and has another answer. */
  readonly before?: string;
}

/** Those by PATCH are the same as by PUT. */
export const OWN_REQUESTS: Readonly<Record<string, OwnRequest>> = {
  upsertContact: {
    body: { contact: { email_address: 'ann.lee@mail.example', first_name: 'Ann', last_name: 'Lee' } },
  },
  loseOpportunity: { params: { id: 2 } },
  createContactAppliedTag: { params: { contact_id: 2 }, body: { contacts_applied_tag: { tag_id: 5 } } },
  createOrderAppliedTag: { params: { order_id: 5 }, body: { orders_applied_tag: { tag_id: 2 } } },
  createCourseEnrollment: { body: { courses_enrollment: { contact_id: 9 } } },
  createCourseLessonCompletion: { body: { courses_lesson_completion: { enrollment_id: 3, lesson_id: 2 } } },
  createFunnel: { body: { funnel: { name: 'Spring Sale', current_path: '/spring-sale' } } },
  createProduct: { body: { product: { name: 'Merino Socks', visible_in_store: true } } },
  createPage: {
    body: { page: { name: 'Spring Sale', current_path: '/spring', seo_title: 'All of spring, a third off' } },
  },
  createExternalPage: {
    body: { page: { name: 'Spring quiz', url: 'https://quiz.acme.example/spring' } },
  },
  createCustomHtmlPage: {
    body: { page: { name: 'Thank you', markup: '<h1>Thank you</h1>' } },
  },
  rescheduleAppointment: {
    body: { start_on: '2026-05-04T09:00:00.000Z', end_on: '2026-05-04T09:30:00.000Z' },
  },
  createOrder: {
    body: {
      order: {
        order_type: 'one-time-order',
        live_mode: true,
        contact_id: 1,
        shipping_address_city: 'Innsbruck',
        shipping_address_country: 'AT',
        line_items_attributes: [{ variant_id: 1, products_price_id: 1, quantity: 1 }],
      },
    },
  },
  cancelOrder: { params: { id: 12 }, body: { order: { cancel_reason: 'unused' } } },
  previewOrderLineItemChange: {
    params: { line_item_id: 5 },
    body: { orders_line_items_change: { products_price_id: '5' } },
  },
  performOrderLineItemChange: {
    params: { line_item_id: 5 },
    body: { orders_line_items_change: { products_price_id: '5', effective_time: 'now' } },
  },
  createTransaction: {
    params: { order_id: 11 },
    body: { orders_transaction: { invoice_id: 11, amount: '200.00', external_id: 'ch_3QWERTY' } },
  },
  refundTransaction: { params: { id: 1 }, body: { orders_transaction: { partial: true, amount: '20.00' } } },
  abandonInvoice: { params: { id: 9 } },
  createRestock: {
    params: { invoice_id: 1 },
    body: {
      orders_invoices_restock: {
        included_invoices_line_items_attributes: [{ invoices_line_item_id: 1, quantity: 1 }],
      },
    },
  },
  createFulfillment: {
    body: {
      fulfillment: {
        contact_id: 4,
        location_id: 1,
        tracking_code: 'RR 481 516 234 AT',
        included_orders_invoices_line_items_attributes: [{ invoices_line_item_id: 5, quantity: 1 }],
      },
    },
  },
  createSplitTestStep: {
    body: { split_test_step: { variants: [{ page_id: 1, weight: 70 }, { page_id: 41 }] } },
  },
  updateSplitTestStep: { body: { split_test_step: { variants: [{ weight: 60 }, { weight: 40 }] } } },
  removeConditionalSplitStep: { before: 'dry_run=true' },
  removeConditionalSplitStepWithoutPrefix: { params: { funnel_id: 3, id: 18 }, before: 'dry_run=true' },
  removeSplitTestStep: { before: 'dry_run=true' },
  removePageProducts: { params: { id: 8 }, body: { product_ids: [1] } },
  recordVisits: {
    params: { page_id: 1 },
    body: {
      visit: {
        uuid: '0b1e3c9a-6b0f-4f6e-9d5a-6a2a4b0c7e11',
        landing_page: 'https://shop.acme.example/winter-jacket',
        visitor_id: 'b1946ac92492d234',
        utm_source: 'newsletter',
      },
    },
  },
  createPriceOfProduct: { body: { products_price: { name: 'Outlet', amount: '199.00', currency: 'EUR' } } },
  removeTagFromContact: { params: { contact_id: 1, tag_id: 1 } },
  activateWebhookEndpoint: { body: { send_missed: false } },
  rotateWebhookEndpointSecret: { body: { overlap_seconds: 3600 } },
  redeliverFailedWebhookDeliveries: { body: { since: '2026-01-01T00:00:00.000Z' } },
  createApiKey: { body: { api_key: { name: 'Reporting', scopes: ['contacts:read', 'store:read'] } } },
  createTeamOauthClient: {
    body: {
      oauth_client: {
        name: 'Nightly export',
        scopes: ['contacts:read'],
        grant_types: ['client_credentials'],
      },
    },
  },
  updateTeamOauthClient: { body: { oauth_client: { name: 'Weekly export' } } },
};
