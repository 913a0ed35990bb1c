export const history = {
  title: ['History', 'Verlauf'],
  day: ['Day', 'Tag'],
  previousDay: ['Previous day', 'Vorheriger Tag'],
  person: ['Person', 'Person'],
  everybody: ['Everybody', 'Alle'],
  collection: ['Collection', 'Sammlung'],
  allCollections: ['All collections', 'Alle Sammlungen'],
  allFields: ['All fields', 'Alle Felder'],
  unknown: ['Unknown', 'Unbekannt'],
  none: ['No changes yet.', 'Noch keine Änderungen.'],
  noChanges: ['No changes on this day', 'Keine Änderungen an diesem Tag'],
  noChangesText: [
    'Choose another day, or clear the filters.',
    'Wählen Sie einen anderen Tag, oder entfernen Sie die Filter.',
  ],
  more: ['Show more', 'Mehr anzeigen'],
  tooMany: [
    'Only {count} requests are shown. Choose a collection.',
    'Nur {count} Anfragen werden gezeigt. Wählen Sie eine Sammlung.',
  ],
  heads: [
    ['Row', 'Field', 'Old → new'],
    ['Zeile', 'Feld', 'Alt → neu'],
  ],
  kinds: {
    insert: ['created', 'angelegt'],
    update: ['changed', 'geändert'],
    delete: ['deleted', 'gelöscht'],
  },
  willBe: {
    insert: ['comes back', 'kommt zurück'],
    update: ['gets the old values', 'bekommt die alten Werte'],
    delete: ['is deleted', 'wird gelöscht'],
  },
  restoreAll: ['Restore all', 'Alles wiederherstellen'],
  restoreAllTitle: [
    'Restore everything that this request changed?',
    'Alles wiederherstellen, was diese Anfrage geändert hat?',
  ],
  restoreRow: {
    insert: ['Remove the row', 'Zeile entfernen'],
    update: ['Restore the row as before', 'Zeile wie zuvor wiederherstellen'],
    delete: ['Restore the deleted row', 'Gelöschte Zeile wiederherstellen'],
  },
  restoreTitle: ['Restore {title}?', '{title} wiederherstellen?'],
  restoreValue: ['Restore {value}', '{value} wiederherstellen'],
  valueRestored: ['The value was restored.', 'Der Wert wurde wiederhergestellt.'],
  restored: ['Restored: {count|# change|# changes}.', 'Wiederhergestellt: {count|# Änderung|# Änderungen}.'],
  keptRows: [
    '{count|# row stays as it is|# rows stay as they are}.',
    '{count|# Zeile bleibt, wie sie ist|# Zeilen bleiben, wie sie sind}.',
  ],
  willChange: [
    '{count|One change is undone:|# changes are undone:}',
    '{count|Eine Änderung wird rückgängig gemacht:|# Änderungen werden rückgängig gemacht:}',
  ],
  changedSince: [
    '{count|Someone changed one row since. It stays as it is:|Someone changed # rows since. They stay as they are:}',
    '{count|Jemand hat eine Zeile seither geändert. Sie bleibt, wie sie ist:|Jemand hat # Zeilen seither geändert. Sie bleiben, wie sie sind:}',
  ],
  nothingToRestore: ['Nothing can be restored.', 'Nichts lässt sich wiederherstellen.'],
  off: ['The service keeps no log of changes.', 'Der Dienst führt kein Protokoll der Änderungen.'],
} as const;
