export const views = {
  label: 'Ansichten',
  all: 'Alle Zeilen',
  save: 'Als Ansicht speichern',
  saveText:
    'Eine Ansicht merkt sich Filter, Sortierung, Suche, Darstellung und Spalten. Sie liegt in diesem Browser; teilen Sie ihre Adresse.',
  name: 'Name der Ansicht',
  update: 'Änderungen der Ansicht speichern',
  actions: (name: string) => `Aktionen der Ansicht ${name}`,
  remove: 'Ansicht löschen',
  layout: (name: string) => `Darstellung: ${name}`,
  table: 'Tabelle',
  cards: 'Karten',
  gallery: 'Galerie',
  boardBy: (field: string) => `Tafel nach ${field}`,
  move: (title: string) => `${title} verschieben`,
  moved: (title: string, value: string) => `${title} ist jetzt ${value}.`,
  noValue: 'Ohne Wert',
} as const;
