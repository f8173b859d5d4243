// The reference itself, by Scalar. Nothing in it is loaded from elsewhere, and nothing is sent elsewhere.
import '@scalar/api-reference/style.css';
import { createApiReference } from '@scalar/api-reference';
import { sendRequest } from './requests.ts';

/** @param content the OpenAPI document */
export function showReference(content: object): void {
  createApiReference('#reference', {
    content,
    customFetch: sendRequest,
    // Scalar's own fonts, statistics and services are on its own hosts.
    withDefaultFonts: false,
    telemetry: false,
    agent: { disabled: true },
    mcp: { disabled: true },
    showDeveloperTools: 'never',
    hideClientButton: true,
    documentDownloadType: 'none',
    persistAuth: false,
    authentication: { preferredSecurityScheme: 'bearer' },
    featuredClients: ['shell/curl', 'js/fetch', 'php/curl', 'python/requests', 'ruby/native'],
    orderSchemaPropertiesBy: 'preserve',
    schemaKeyboardNav: true,
    setPageTitle: ({ title }) => `${title} · Funnel Gateway`,
  });
}
