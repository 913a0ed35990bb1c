/** All texts in English, by the part of the console that shows them. */
export * from './en/app.ts';
export * from './en/fields.ts';
export * from './en/find.ts';
export * from './en/grid.ts';
export * from './en/history.ts';
export * from './en/import.ts';
export * from './en/record.ts';
export * from './en/settings.ts';
export * from './en/views.ts';
