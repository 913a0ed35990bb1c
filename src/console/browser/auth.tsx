/** The page that asks for a token after the service has rejected a request with 401. */
import { Alert, Box, Button, Card, TextField, Typography } from '@mui/material';
import { type FormEvent, useState } from 'react';
import { token } from './shared/api/token.ts';

export function TokenPage() {
  const [given, setGiven] = useState('');
  const refusal = token.refusal();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    token.set(given.trim());
    location.reload();
  };
  return (
    <Box sx={{ display: 'grid', placeItems: 'center', minHeight: '100vh', p: 2 }}>
      <Card component="form" onSubmit={submit} sx={{ p: 4, maxWidth: 420, display: 'grid', gap: 2 }}>
        <Typography variant="h5" component="h1">
          Product Catalogue
        </Typography>
        <Typography>The service asks for credentials. Paste your token. It is kept for this tab only.</Typography>
        {refusal !== null && <Alert severity="error">The token was refused: {refusal}</Alert>}
        <TextField
          label="Token"
          type="password"
          autoComplete="off"
          value={given}
          onChange={(event) => setGiven(event.target.value)}
          required
          autoFocus
        />
        <Button type="submit" variant="contained">
          Sign in
        </Button>
      </Card>
    </Box>
  );
}
