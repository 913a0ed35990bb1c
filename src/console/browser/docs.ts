/**
 * The API reference at `/docs`: Swagger UI with the document of the caller. Writes are dry runs until the user
 * switches that off.
 */
import SwaggerUI from 'swagger-ui-dist/swagger-ui-es-bundle.js';

interface Sent {
  readonly url: string;
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body?: unknown;
}

const root = location.pathname.replace(/\/docs$/, '');
const place = document.getElementById('root')!;
place.innerHTML = `<header class="bar"><label><input type="checkbox" id="dry-run" checked> Dry run: writes are checked and not stored</label>
<a href="${root}/docs/guide">Guide</a><a href="${root}/console">Console</a></header><div id="reference"></div>`;
const dryRun = document.getElementById('dry-run') as HTMLInputElement;

/** Names the inputs that the viewer leaves without a label. */
new MutationObserver(() => {
  for (const input of place.querySelectorAll('select:not([aria-label]), textarea:not([aria-label])')) {
    const name = input.closest('[data-param-name]')?.getAttribute('data-param-name');
    input.setAttribute('aria-label', input.id === 'servers' ? 'Server' : (name ?? 'Body'));
  }
}).observe(place, { childList: true, subtree: true });

/** The request as a program in JavaScript. */
function javaScript(request: { toJS(): Sent }): string {
  const { url, method, headers, body } = request.toJS();
  const options = { method, headers, ...(body === undefined ? {} : { body }) };
  return `const response = await fetch(${JSON.stringify(url)}, ${JSON.stringify(options, null, 2)});\nconsole.log(await response.text());`;
}

const response = await fetch(`${root}/openapi.json`);
if (response.ok) {
  const spec = (await response.json()) as { servers: { url: string }[] };
  // A proxy may serve the page below a path that the service does not know.
  spec.servers = ['', '/rest/v1'].map((path) => ({ url: root + path || '/' }));
  SwaggerUI({
    spec,
    domNode: document.getElementById('reference'),
    docExpansion: 'none',
    defaultModelsExpandDepth: 0,
    filter: true,
    validatorUrl: null,
    syntaxHighlight: { activated: false },
    requestSnippetsEnabled: true,
    requestSnippets: {
      generators: {
        curl_bash: { title: 'curl', syntax: 'bash' },
        curl_powershell: { title: 'PowerShell', syntax: 'powershell' },
        javascript: { title: 'JavaScript', syntax: 'javascript' },
      },
    },
    plugins: [{ fn: { requestSnippetGenerator_javascript: javaScript } }],
    requestInterceptor: (request: Sent) => {
      if (dryRun.checked && !['GET', 'HEAD'].includes(request.method)) {
        request.headers.Prefer = [request.headers.Prefer, 'tx=rollback'].filter(Boolean).join(', ');
      }
      return request;
    },
  });
} else {
  document.getElementById('reference')!.textContent = `The service did not send its description: ${response.status}.`;
}
