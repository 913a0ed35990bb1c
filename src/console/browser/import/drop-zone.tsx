/** The area where a person drops or chooses a file. */
import UploadFile from '@mui/icons-material/UploadFile';
import { Box, Button, Typography } from '@mui/material';
import { type DragEvent, useRef, useState } from 'react';

export function DropZone({ open }: { readonly open: (file: File) => void }) {
  const [isOver, setOver] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    const [file] = event.dataTransfer.files;
    if (file !== undefined) open(file);
  };
  return (
    <Box
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
      sx={{
        border: '2px dashed',
        borderColor: isOver ? 'primary.main' : 'divider',
        borderRadius: 2,
        p: 4,
        textAlign: 'center',
        display: 'grid',
        gap: 1.5,
        justifyItems: 'center',
      }}
    >
      <UploadFile fontSize="large" color="primary" />
      <Typography>
        Drop a file here: CSV, Excel (.xlsx), JSON or NDJSON. It is checked first; nothing is stored until you say so.
      </Typography>
      <Button variant="outlined" onClick={() => input.current?.click()}>
        Choose a file
      </Button>
      <input
        ref={input}
        type="file"
        accept=".csv,.tsv,.txt,.xlsx,.json,.ndjson,.jsonl"
        hidden
        onChange={(event) => {
          const [file] = event.target.files ?? [];
          if (file !== undefined) open(file);
          event.target.value = '';
        }}
      />
    </Box>
  );
}
