/** Writes docs/settings.md from the table of settings. A test fails if the two differ. */
import { join } from 'node:path';
import { settingsPage } from '../src/settings/page.ts';

await Bun.write(join(import.meta.dir, '../docs/settings.md'), settingsPage());
