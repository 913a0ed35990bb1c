/** Search as you type, the filters as chips, and the URL that they make. */
import AddIcon from '@mui/icons-material/FilterList';
import SearchIcon from '@mui/icons-material/Search';
import { Box, Button, InputAdornment, Chip as MuiChip, TextField } from '@mui/material';
import { useEffect, useRef, useState } from 'react';
import { useListContext } from 'react-admin';
import { collectionName, fieldNamed, fieldWith, labelOf } from '../shared/collection.ts';
import { describeCondition } from '../shared/conditions.ts';
import { type Chip, type Filter, filterOf } from '../shared/query.ts';
import { AddFilter } from './add-filter.tsx';
import { RequestLine } from './request-line.tsx';

/** Long enough that a word is not searched letter by letter, short enough to feel at once. */
const PAUSE_MS = 180;

export function FilterBar() {
  const { filterValues, setFilters } = useListContext();
  const { q, where = [] } = filterOf(filterValues);
  const [anchor, setAnchor] = useState<HTMLElement>();
  const change = (next: Filter) => {
    const filter: Filter = { ...(next.q ? { q: next.q } : {}), ...(next.where?.length ? { where: next.where } : {}) };
    setFilters(filter, undefined, false);
  };
  const add = (chip: Chip) => {
    setAnchor(undefined);
    change({ ...(q === undefined ? {} : { q }), where: [...where, chip] });
  };
  const remove = (index: number) =>
    change({ ...(q === undefined ? {} : { q }), where: where.filter((_chip, at) => at !== index) });

  return (
    <Box component="search" sx={{ px: 2, pt: 2, pb: 1, display: 'grid', gap: 1.25 }}>
      <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1, alignItems: 'center' }}>
        {fieldWith('title') && <SearchBox value={q ?? ''} onChange={(words) => change({ q: words, where })} />}
        <Button startIcon={<AddIcon />} onClick={(event) => setAnchor(event.currentTarget)} aria-haspopup="dialog">
          Add filter
        </Button>
        {where.map((chip, index) => (
          <MuiChip
            // biome-ignore lint/suspicious/noArrayIndexKey: chips are told apart by their place
            key={index}
            label={'raw' in chip ? chip.label : describeCondition(fieldNamed(chip.field)!, chip)}
            onDelete={() => remove(index)}
            color="primary"
            variant="outlined"
            sx={{ maxWidth: '100%' }}
          />
        ))}
        {where.length > 0 && (
          <Button onClick={() => change({ ...(q === undefined ? {} : { q }) })}>Clear filters</Button>
        )}
      </Box>
      <RequestLine />
      {anchor !== undefined && <AddFilter anchor={anchor} add={add} close={() => setAnchor(undefined)} />}
    </Box>
  );
}

function SearchBox({ value, onChange }: { readonly value: string; readonly onChange: (words: string) => void }) {
  const [typed, setTyped] = useState(value);
  const sent = useRef(value);
  // What changes from outside (a link, the back button) shows; what was typed here is not overtaken by its own echo.
  useEffect(() => {
    if (value === sent.current) return;
    sent.current = value;
    setTyped(value);
  }, [value]);
  useEffect(() => {
    if (typed === sent.current) return;
    const timer = setTimeout(() => {
      sent.current = typed;
      onChange(typed);
    }, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed, onChange]);
  /** A search that was not made, since unsaved work would have been left, does not stand there as if it had been. */
  const showWhatHolds = () => {
    if (typed !== sent.current || value === sent.current) return;
    sent.current = value;
    setTyped(value);
  };
  const title = fieldWith('title')!;
  return (
    <TextField
      size="small"
      type="search"
      label={`Search ${collectionName.replaceAll('_', ' ')}`}
      placeholder={labelOf(title)}
      value={typed}
      onChange={(event) => setTyped(event.target.value)}
      onBlur={showWhatHolds}
      sx={{ minWidth: { xs: '100%', sm: 280 }, m: 0 }}
      margin="none"
      fullWidth={false}
      slotProps={{
        input: {
          startAdornment: (
            <InputAdornment position="start">
              <SearchIcon fontSize="small" />
            </InputAdornment>
          ),
        },
      }}
    />
  );
}
