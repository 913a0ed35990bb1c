/** The API reference starts here: Scalar, over the service's own description, with nothing from elsewhere. */
import { base } from './shared/base.ts';

interface ScalarReference {
  createApiReference(target: string, configuration: Readonly<Record<string, unknown>>): unknown;
}

const { Scalar } = globalThis as unknown as { readonly Scalar: ScalarReference };

document.querySelector('.starting')?.remove();

Scalar.createApiReference('#root', {
  url: `${base}/openapi.json`,
  theme: 'default',
  withDefaultFonts: false,
  telemetry: false,
  showDeveloperTools: 'never',
  hideClientButton: true,
  agent: { disabled: true },
  mcp: { disabled: true },
  // Requests go straight to this service, never through anyone's proxy.
  proxyUrl: '',
  servers: [{ url: `${location.origin}${base}` }],
});
