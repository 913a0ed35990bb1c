/** All texts in German, by the part of the console that shows them. */
import { app } from './de/app.ts';
import { errors } from './de/errors.ts';
import { exporting } from './de/export.ts';
import { fields } from './de/fields.ts';
import { files } from './de/files.ts';
import { find } from './de/find.ts';
import { grid } from './de/grid.ts';
import { history } from './de/history.ts';
import { importing } from './de/import.ts';
import { overview } from './de/overview.ts';
import { record } from './de/record.ts';
import { settings } from './de/settings.ts';
import { views } from './de/views.ts';

export const de = {
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
