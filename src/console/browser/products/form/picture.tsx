/** Previews a picture while its address is typed. It is only requested for http and https addresses. */
import { Box, Typography } from '@mui/material';
import { useState } from 'react';

export const isAddress = (text: unknown): text is string => typeof text === 'string' && /^https?:\/\/\S+$/i.test(text);

export function Preview({ label, address }: { readonly label: string; readonly address: unknown }) {
  const [failed, setFailed] = useState<unknown>();
  if (!isAddress(address)) return null;
  if (failed === address) {
    return (
      <Typography variant="body2" role="status" sx={{ px: 1.75 }}>
        Could not load a picture from this address.
      </Typography>
    );
  }
  return (
    <Box
      component="img"
      src={address}
      alt={`${label}: preview`}
      referrerPolicy="no-referrer"
      onError={() => setFailed(address)}
      sx={{ display: 'block', maxWidth: '100%', maxHeight: 180, mt: 0.5, borderRadius: 1 }}
    />
  );
}
