/** Prints settings: in the --help of a command, in docs/reference/settings.md, and with secrets masked. */
import { CONFIG_FILE } from './resolve.ts';
import type { Setting, Table } from './setting.ts';

const MASK = '***';

/** The settings of a command, for its --help. */
export function describeSettings(table: Table): string {
  const listed = [...Object.values(table), CONFIG_FILE].filter(({ isHidden }) => isHidden !== true);
  const rows = listed.map((each) => ({
    usage: usageOf(each),
    text: `${each.description}${remarks(each)}`,
  }));
  const width = Math.max(...rows.map((row) => row.usage.length));
  return rows.map((row) => `  ${row.usage.padEnd(width)}  ${row.text}`).join('\n');
}

function remarks(each: Setting<unknown>): string {
  const byDefault = each.byDefault === false ? '' : defaultText(each);
  const parts = [each.env ?? '', byDefault === '' ? '' : `default ${byDefault}`].filter((part) => part !== '');
  return parts.length === 0 ? '' : ` (${parts.join(', ')})`;
}

function defaultText({ byDefault, argument }: Setting<unknown>): string {
  if (argument === 'TIME' && Number(byDefault) > 0) return `${byDefault}s`;
  // Lists are printed; a record has no default but the empty one.
  const isText = typeof byDefault !== 'object' || Array.isArray(byDefault);
  return byDefault === undefined || !isText ? '' : String(byDefault);
}

/** The list of docs/reference/settings.md: one item per setting, its description on a line of its own. */
export function settingsMarkdown(table: Table): string {
  return [...Object.values(table), CONFIG_FILE].map(settingItem).join('\n');
}

function settingItem(each: Setting<unknown>): string {
  const byDefault = defaultText(each) === '' ? '' : `, default \`${defaultText(each)}\``;
  return `- \`${usageOf(each)}\` (\`${each.env}\`${byDefault})<br>\n  ${each.description}`;
}

function usageOf({ flag, argument }: Setting<unknown>): string {
  return argument === undefined ? flag : `${flag} ${argument}`;
}

export function maskSecret({ secret }: Pick<Setting<unknown>, 'secret'>, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((each) => maskSecret({ ...(secret && { secret }) }, each));
  if (typeof value !== 'string' || value === '') return value;
  if (secret === 'whole') return MASK;
  return secret === 'url' ? withoutPassword(value) : value;
}

/** A password precedes the host or is a parameter of that name, also in a mistyped URL. */
function withoutPassword(url: string): string {
  return url
    .replace(/^((?:[a-z][a-z0-9+.-]*:)?\/*[^:@]*):.*@(?=[^@]*$)/i, `$1:${MASK}@`)
    .replace(/([?&](?:password|sslpassword)=)[^&]*/gi, `$1${MASK}`);
}
