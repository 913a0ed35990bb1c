/** All texts in German, by the part of the console that shows them. */
export * from './de/app.ts';
export * from './de/fields.ts';
export * from './de/find.ts';
export * from './de/grid.ts';
export * from './de/history.ts';
export * from './de/import.ts';
export * from './de/record.ts';
export * from './de/settings.ts';
export * from './de/views.ts';
