/** The login page. It is shown if the catalogue has roles and the caller has none. */
import {
  Alert,
  Box,
  Button,
  Card,
  CssBaseline,
  createTheme,
  TextField,
  ThemeProvider,
  Typography,
} from '@mui/material';
import { type FormEvent, useState } from 'react';
import { continueWithoutLogin, logIn, loginReason, session } from './shared/api/session.ts';
import { darkTheme, lightTheme } from './theme.ts';

const theme = createTheme(matchMedia('(prefers-color-scheme: dark)').matches ? darkTheme : lightTheme);

export function LoginPage() {
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const [problem, setProblem] = useState(loginReason());
  const [isBusy, setBusy] = useState(false);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setProblem('');
    const wrong = await logIn(name, password).catch(() => 'The service cannot be reached.');
    if (wrong === undefined) return continueWithoutLogin();
    setBusy(false);
    setProblem(wrong);
  };
  return (
    <ThemeProvider theme={theme}>
      <CssBaseline />
      <Box component="main" sx={{ display: 'grid', placeItems: 'center', minHeight: '100vh', p: 2 }}>
        <Card
          component="form"
          onSubmit={(event) => void submit(event)}
          sx={{ p: 4, width: 380, maxWidth: '100%', display: 'grid', gap: 1.5 }}
        >
          <Typography variant="h5" component="h1">
            Product Catalogue
          </Typography>
          <Typography>Log in with your name and password.</Typography>
          {problem !== '' && <Alert severity="error">{problem}</Alert>}
          <TextField
            label="Name"
            name="username"
            autoComplete="username"
            value={name}
            onChange={(event) => setName(event.target.value)}
            required
            autoFocus
          />
          <TextField
            label="Password"
            name="password"
            type="password"
            autoComplete="current-password"
            value={password}
            onChange={(event) => setPassword(event.target.value)}
            required
          />
          <Button type="submit" variant="contained" disabled={isBusy}>
            Log in
          </Button>
          {session?.role != null && <Button onClick={continueWithoutLogin}>Continue without logging in</Button>}
        </Card>
      </Box>
    </ThemeProvider>
  );
}
