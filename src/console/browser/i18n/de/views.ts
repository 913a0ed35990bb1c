export const views = {
  layout: 'Darstellung',
  layouts: { table: 'Tabelle', gallery: 'Galerie' },
} as const;
