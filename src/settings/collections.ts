/** Which file declares the collections. */
import { setting, text } from './setting.ts';

export const COLLECTIONS = setting({
  flag: '--collections',
  env: 'CATALOGUE_COLLECTIONS',
  argument: 'FILE',
  description: 'declaration of the collections; collections.yaml, .yml or .json here is found by itself',
  byDefault: '',
  read: text,
});
