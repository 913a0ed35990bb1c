/** `catalogue config`: shows the effective settings and the source of each. Secrets are masked. */

import { findDeclaration } from '../declare/declaration-file.ts';
import { SERVE_SETTINGS } from '../settings/by-command.ts';
import { maskSecret, settingsMarkdown } from '../settings/describe.ts';
import { fileKey, option } from '../settings/setting.ts';
import { defineCommand, JSON_OPTION } from './shared/command.ts';

const OPTIONS = {
  markdown: option('--markdown: print the table of all settings, as in docs/reference/settings.md'),
  ...JSON_OPTION,
  ...SERVE_SETTINGS,
} as const;

export const command = defineCommand({
  options: OPTIONS,
  usage: `Usage: catalogue config [flags]

Reads the settings as serve would, from the same flags, environment and file, and shows each with its origin. A flag
wins over the environment, the environment over the file. Secrets are masked.`,
  async run({ values: given, origins: named }) {
    if (given.markdown) return console.log(settingsMarkdown(SERVE_SETTINGS));
    const declarationFile = given.collections === '' ? findDeclaration('') : undefined;
    const values = declarationFile === undefined ? given : { ...given, collections: declarationFile };
    const origins = declarationFile === undefined ? named : { ...named, collections: 'found here' };
    const rows = Object.entries(SERVE_SETTINGS).map(([name, each]) => ({
      name: fileKey(each),
      value: maskSecret(each, values[name as keyof typeof SERVE_SETTINGS]) ?? null,
      origin: origins[name as keyof typeof SERVE_SETTINGS],
    }));
    if (values.json) return console.log(JSON.stringify(rows));
    const width = (texts: readonly string[]) => Math.max(...texts.map((text) => text.length));
    const names = width(rows.map((row) => row.name));
    const texts = width(rows.map((row) => String(row.value ?? '')));
    for (const { name, value, origin } of rows) {
      console.log(`${name.padEnd(names)}  ${String(value ?? '').padEnd(texts)}  ${origin}`);
    }
  },
});
