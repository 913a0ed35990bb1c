/** An input for a list of texts. Enter, a comma or leaving the input adds a tag. */
import { Autocomplete, TextField } from '@mui/material';
import { useState } from 'react';

interface TagsInputProps {
  readonly label: string;
  readonly tags: readonly string[];
  readonly onChange: (tags: readonly string[]) => void;
  readonly disabled?: boolean;
  readonly required?: boolean;
  readonly problem?: string | undefined;
  readonly help?: string | undefined;
}

export function TagsInput({
  label,
  tags,
  onChange,
  disabled = false,
  required = false,
  problem,
  help,
}: TagsInputProps) {
  const [typed, setTyped] = useState('');
  const add = (words: readonly string[], rest = '') => {
    setTyped(rest);
    const added = words.map((word) => word.trim()).filter((word) => word !== '' && !tags.includes(word));
    if (added.length > 0) onChange([...new Set([...tags, ...added])]);
  };
  return (
    <Autocomplete<string, true, false, true>
      multiple
      freeSolo
      fullWidth
      options={[]}
      disabled={disabled}
      value={[...tags]}
      inputValue={typed}
      onChange={(_event, next) => {
        setTyped('');
        onChange([...new Set(next.map((each) => each.trim()).filter((each) => each !== ''))]);
      }}
      onInputChange={(_event, words, reason) => {
        if (reason !== 'input') return;
        const all = words.split(',');
        add(all.slice(0, -1), all.at(-1));
      }}
      onBlur={() => add([typed])}
      slotProps={{ chip: { size: 'small' } }}
      renderInput={(params) => (
        <TextField
          {...params}
          label={label}
          margin="dense"
          size="small"
          required={required}
          error={problem !== undefined}
          helperText={problem ?? help}
        />
      )}
    />
  );
}
