/** All texts in English, by the part of the console that shows them. */
import { app } from './en/app.ts';
import { errors } from './en/errors.ts';
import { exporting } from './en/export.ts';
import { fields } from './en/fields.ts';
import { files } from './en/files.ts';
import { find } from './en/find.ts';
import { grid } from './en/grid.ts';
import { history } from './en/history.ts';
import { importing } from './en/import.ts';
import { overview } from './en/overview.ts';
import { record } from './en/record.ts';
import { settings } from './en/settings.ts';
import { views } from './en/views.ts';

export const en = {
  app,
  errors,
  fields,
  grid,
  record,
  find,
  views,
  history,
  importing,
  exporting,
  overview,
  settings,
  files,
} as const;
