/** A stored picture. Its size is that of the square that contains it. */
import { useFileAddress } from './addresses.ts';

interface PictureProps {
  readonly id: string;
  readonly size: number;
  readonly alt: string;
  readonly className: string;
}

export function Picture({ id, size, alt, className }: PictureProps) {
  // Screens with more pixels get a larger picture.
  const address = useFileAddress(id, Math.ceil(size * Math.min(globalThis.devicePixelRatio ?? 1, 2)));
  if (address === undefined) return <span className={`${className} bar`} />;
  return <img className={className} src={address} alt={alt} loading="lazy" />;
}
