/** The groups of a form: the fields in their declared order, then files, then what only the service writes. */
import { fileKind } from '../../../collection/types/file.ts';
import { type Collection, type Field, translatedBy } from '../api/catalogue.ts';

export interface FieldGroups {
  /** In a new row, values that the service fills in come last. */
  readonly main: readonly Field[];
  /** Translations, by language. */
  readonly languages: readonly (readonly [language: string, fields: readonly Field[]])[];
  readonly files: readonly Field[];
  /** Fields that nobody can change here: the key of a stored row, computed fields, times of the service. */
  readonly fixed: readonly Field[];
}

export function groupFields(collection: Collection, fields: readonly Field[], isNew: boolean): FieldGroups {
  const { key, assigned } = collection;
  const languageOf = (field: Field) => translatedBy(collection, field)?.language;
  const isFixed = (field: Field) => field.readOnly || field.onUpdate !== undefined || (!isNew && key.includes(field));
  const isFile = (field: Field) => fileKind(field.type) !== undefined && !isFixed(field);
  const main = fields.filter((field) => !isFixed(field) && !isFile(field));
  const own = main.filter((field) => languageOf(field) === undefined);
  const isFilled = (field: Field) => isNew && (field === assigned || field.generated !== undefined);
  return {
    main: [...own.filter((field) => !isFilled(field)), ...own.filter(isFilled)],
    languages: [
      ...Map.groupBy(
        main.filter((field) => !own.includes(field)),
        (field) => languageOf(field)!,
      ),
    ],
    files: fields.filter(isFile),
    fixed: fields.filter(isFixed),
  };
}
