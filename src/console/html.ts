/** The two pages' HTML: a shell that loads scripts of our own and nothing else, and the policy that holds it to that. */

export interface Shell {
  readonly title: string;
  /** From the page to the root of the service, which need not be that of the host. */
  readonly root: string;
  readonly scripts: readonly string[];
  /** What the page knows when it starts, as data that no browser runs. */
  readonly data?: Readonly<Record<string, unknown>>;
}

/** Scripts and requests of our own origin only; styles that the scripts make carry the page's nonce. */
export function securityHeaders(nonce: string, looseStyles: boolean): Record<string, string> {
  const styles = looseStyles ? "'unsafe-inline'" : `'nonce-${nonce}'`;
  return {
    'content-security-policy': [
      "default-src 'none'",
      "script-src 'self'",
      `style-src 'self' ${styles}`,
      "img-src 'self' data: blob:",
      "font-src 'self' data:",
      "connect-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ].join('; '),
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
  };
}

export function pageHtml({ title, root, scripts, data }: Shell, nonce: string): string {
  const loaded = scripts.map((src) => `<script type="module" src="${root}${src}"></script>`).join('\n');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta property="csp-nonce" content="${nonce}">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="data:image/svg+xml,${encodeURIComponent(ICON)}">
<style nonce="${nonce}">${STYLE}</style>
${data === undefined ? '' : `<script type="application/json" id="data">${jsonForHtml(data)}</script>`}
${loaded}
</head>
<body>
<div id="root"><div class="starting"><p>${escapeHtml(title)}</p><p role="status">Loading…</p></div></div>
<noscript>This page needs JavaScript. The API itself does not: see <a href="${root}/openapi.json">its description</a>.</noscript>
</body>
</html>
`;
}

/** What is shown until the scripts have run, in the console's colours, and what only screen readers are told. */
const STYLE = `body{margin:0;font-family:system-ui,sans-serif}html{background:#f6f7f8;color:#17212b}.starting p{margin:2rem}
.starting p:first-child{margin:0;padding:0 1rem;font-weight:600;line-height:48px;background:#115e59;color:#fff}
.visually-hidden{position:absolute;width:1px;height:1px;margin:-1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
@media(prefers-color-scheme:dark){html{background:#0f1317;color:#e6e9ec}.starting p:first-child{background:#171c21}}`;

const ICON =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#0f766e"/><path d="M8 11l8-4 8 4v10l-8 4-8-4zM8 11l8 4 8-4M16 15v10" fill="none" stroke="#fff" stroke-width="2" stroke-linejoin="round"/></svg>';

/** No text of the data may end the element it stands in. */
function jsonForHtml(data: unknown): string {
  return JSON.stringify(data).replaceAll('<', '\\u003c');
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
