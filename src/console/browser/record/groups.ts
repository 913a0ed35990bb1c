/** The groups of a form: sections of fields in their declared order, then files, then what only the service writes. */
import { fileKind } from '../../../collection/types/file.ts';
import { type Collection, type Field, isNumeric, isYesNo, referenceOf, translatedBy } from '../api/catalogue.ts';

const SECTIONS = ['general', 'numbers', 'references'] as const;
type Section = (typeof SECTIONS)[number];
/** A form with fewer fields fits a glance. */
const MIN_FIELDS = 7;

function sectionOf(collection: Collection, field: Field): Section {
  if (referenceOf(collection, field) !== undefined) return 'references';
  return isNumeric(field) && !isYesNo(field) && !collection.key.includes(field) ? 'numbers' : 'general';
}

/** A short form has one section without a name. */
function sectionsOf(
  collection: Collection,
  fields: readonly Field[],
): readonly (readonly [name: Section | '', fields: readonly Field[]])[] {
  const of = Map.groupBy(fields, (field) => sectionOf(collection, field));
  if (fields.length < MIN_FIELDS || of.size < 2) return [['', fields]];
  return SECTIONS.filter((name) => of.has(name)).map((name) => [name, of.get(name)!] as const);
}

export function groupFields(collection: Collection, fields: readonly Field[], isNew: boolean) {
  const { key, assigned } = collection;
  const languageOf = (field: Field) => translatedBy(collection, field)?.language;
  const isFixed = (field: Field) => field.readOnly || field.onUpdate !== undefined || (!isNew && key.includes(field));
  const isFile = (field: Field) => fileKind(field.type) !== undefined && !isFixed(field);
  const main = fields.filter((field) => !isFixed(field) && !isFile(field));
  const own = main.filter((field) => languageOf(field) === undefined);
  const translations = main.filter((field) => !own.includes(field));
  const isFilled = (field: Field) => isNew && (field === assigned || field.generated !== undefined);
  return {
    /** In a new row, values that the service fills in come last. */
    sections: sectionsOf(collection, [...own.filter((field) => !isFilled(field)), ...own.filter(isFilled)]),
    /** Translations, by language. */
    languages: [...Map.groupBy(translations, (field) => languageOf(field)!)],
    files: fields.filter(isFile),
    /** Fields that nobody can change here: the key of a stored row, computed fields, times of the service. */
    fixed: fields.filter(isFixed),
  };
}
