/** docs/settings.md: every setting, from the one table that the program reads. */
import { SERVE_SETTINGS } from '../config.ts';
import { settingsMarkdown } from './describe.ts';

export function settingsPage(): string {
  return `# Settings

A flag wins over the environment, the environment over the settings file, the file over the default. Every mistake is
named when the program starts, all of them at once, before anything is touched. \`catalogue config\` shows the settings in
effect and where each is from; passwords are masked.

The settings file is TOML or JSON: \`catalogue.toml\` or \`catalogue.json\` in the working folder, or the one that
\`--config\` names. Its keys are the flags without the dashes:

\`\`\`toml
port = 8080
host = "0.0.0.0"
database = "sqlite:/var/lib/catalogue/catalogue.db"
log-level = "warn"
backup-every = "1h"
\`\`\`

This page is generated from the program's own table by \`npm run docs:settings\`.

${settingsMarkdown(SERVE_SETTINGS)}

Commands that work on the data (\`import\`, \`export\`, \`query\`, \`backup\`, \`restore\`, \`check\`) take the settings of the
database, and flags of their own that \`--help\` tells.
`;
}
