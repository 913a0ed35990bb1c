/** Limits of declarations and of the values of fields. */

/** The default of --max-value-kb. */
export const DEFAULT_MAX_VALUE_KB = 1024;
/** The zeros that exponents may expand to in one json value: 1e300 prints 300. */
export const MAX_JSON_PADDING = 10_000;
/** The maximum number of digits of a number cast from text on SQLite. */
export const MAX_NUMERIC_DIGITS = 1_000;
export const MAX_DECLARATION_BYTES = 1024 * 1024;
/** The longest name of a collection, field or constraint in UTF-8, as in PostgreSQL. */
export const MAX_NAME_BYTES = 63;
export const MAX_COLLECTIONS = 1_000;
/** The maximum number of fields: PostgreSQL's 1,600 columns, minus some for the staging table of a load. */
export const MAX_FIELDS = 1_590;
export const MAX_ROLES = 200;
export const MAX_WEBHOOKS = 100;
export const MAX_QUERIES = 1_000;
export const MAX_QUERY_PARAMETERS = 100;
/** The maximum number of values in one default, including nested ones. */
export const MAX_VALUE_NODES = 10_000;
/** The number of invalid rows to report before reading stops. */
export const MAX_BAD_ROWS = 20;
/** The longest expression of a computed field, in characters. It also bounds the digits of a result. */
export const MAX_EXPRESSION_LENGTH = 1_000;
/** The longest computed text in characters, unless its field has a rule. */
export const MAX_COMPUTED_LENGTH = 10_000;
export const INT4_MIN = -2_147_483_648;
export const INT4_MAX = 2_147_483_647;
/** The longest comment on a row, in characters. */
export const MAX_COMMENT_LENGTH = 10_000;
/** The texts of a declared search, and their largest weight. */
export const MAX_SEARCH_FIELDS = 30;
export const MAX_SEARCH_WEIGHT = 100;
