/** The setting that names the declaration file. */
import { setting, text } from './setting.ts';

export const COLLECTIONS = setting({
  flag: '--collections',
  env: 'CATALOGUE_COLLECTIONS',
  argument: 'FILE',
  description:
    'declaration of the collections; default: collections.yaml, .yml or .json in the working folder, if one exists',
  byDefault: '',
  read: text,
});
