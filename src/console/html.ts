/** The HTML shell of the console, and the Content-Security-Policy of our pages. */
import { escapeHtml } from '../base/html.ts';
import { fontStyle } from './fonts.ts';

interface Shell {
  readonly title: string;
  /** The relative path from the page to the root of the service. A proxy may add a prefix. */
  readonly root: string;
  /** Scripts, style sheets and fonts. */
  readonly assets: readonly string[];
  /** Data for the scripts, in an element that browsers do not run. An escape keeps it from ending the element. */
  readonly data?: Readonly<Record<string, unknown>>;
}

/**
 * Security headers: scripts, styles and requests from our origin only. The style of the page needs the nonce. Pictures
 * may come from anywhere if rows name them.
 */
export function securityHeaders(nonce?: string, pictures: 'own' | 'any' = 'own'): Record<string, string> {
  return {
    'content-security-policy': [
      "default-src 'none'",
      "script-src 'self'",
      `style-src 'self'${nonce === undefined ? '' : ` 'nonce-${nonce}'`}`,
      `img-src 'self' data: blob:${pictures === 'any' ? ' https: http:' : ''}`,
      "font-src 'self' data:",
      "connect-src 'self'",
      "base-uri 'none'",
      "form-action 'self'",
      "frame-ancestors 'none'",
    ].join('; '),
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
  };
}

export function pageHtml({ title, root, assets, data }: Shell, nonce: string): string {
  const fonts = assets.filter((path) => path.endsWith('.woff2')).map((path) => root + path);
  const loaded = assets
    .filter((path) => !path.endsWith('.woff2'))
    .map((path) =>
      path.endsWith('.css')
        ? `<link rel="stylesheet" href="${root}${path}">`
        : `<script type="module" src="${root}${path}"></script>`,
    );
  // The first one has the letters of most pages. The texts would change if it were loaded after the style.
  const first = fonts
    .slice(0, 1)
    .map((path) => `<link rel="preload" href="${path}" as="font" type="font/woff2" crossorigin>`);
  return documentHtml(
    title,
    `<style nonce="${nonce}">${STYLE}${fonts.length === 0 ? '' : fontStyle(fonts)}</style>
${first.join('')}
${data === undefined ? '' : `<script type="application/json" id="data">${JSON.stringify(data).replaceAll('<', '\\u003c')}</script>`}
${loaded.join('\n')}`,
    `<div id="root"><div class="starting"><p>${escapeHtml(title)}</p><p role="status">Loading…</p></div></div>
<noscript>This page needs JavaScript. The API does not: see <a href="${root}/openapi.json">its description</a>.</noscript>`,
  );
}

/** A page of the service. `head` and `body` are HTML. */
export function documentHtml(title: string, head: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="${ICON}">
${head}
</head>
<body>
${body}
</body>
</html>
`;
}

/** The page of the console or of the API reference if it is not installed. `root` leads to the root of the service. */
export function notInstalled(name: string, root: string): string {
  return documentHtml(
    `The ${name} is not installed`,
    '',
    `<h1>The ${name} is not installed</h1>
<p><code>npm install --omit=dev</code> leaves out the packages that it needs. Run <code>npm install</code>, then restart the service.</p>
<p>The API works without it: see <a href="${root}/openapi.json">its description</a> and <a href="${root}/docs/guide">the guide</a>.</p>`,
  );
}

/** Styles until the scripts have run, and for text that only screen readers announce. */
const STYLE = `body{margin:0;font-family:Inter,"Inter until loaded",system-ui,sans-serif}html{background:#f6f7f8;color:#17212b}.starting p{margin:2rem}
.starting p:first-child{margin:0;padding:0 1rem;font-weight:600;line-height:48px;border-bottom:1px solid #8884}
.visually-hidden{position:absolute;width:1px;height:1px;margin:-1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
@media(prefers-reduced-motion:reduce){*,::before,::after{animation-duration:.01ms!important;animation-iteration-count:1!important;transition:none!important;scroll-behavior:auto!important}}
@media(prefers-color-scheme:dark){html{background:#0f1317;color:#e6e9ec}}`;

const ICON_SVG =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#0f766e"/><path d="M8 11l8-4 8 4v10l-8 4-8-4zM8 11l8 4 8-4M16 15v10" fill="none" stroke="#fff" stroke-width="2" stroke-linejoin="round"/></svg>';

const ICON = `data:image/svg+xml,${encodeURIComponent(ICON_SVG)}`;
