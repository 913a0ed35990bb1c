export const views = {
  layout: 'Layout',
  layouts: { table: 'Table', gallery: 'Gallery' },
} as const;
