/** All texts, by the part of the console that shows them, each in English and German. */
export * from './app.ts';
export * from './fields.ts';
export * from './find.ts';
export * from './grid.ts';
export * from './history.ts';
export * from './import.ts';
export * from './record.ts';
export * from './settings.ts';
export * from './views.ts';
