/** Why a file that somebody named could not be read or written, in words: `plan.json does not exist`. */
export function fileFault(path: string, error: unknown, verb: 'read' | 'written'): string {
  const code = (error as { readonly code?: unknown }).code;
  if (code === 'ENOENT' && verb === 'read') return `${path} does not exist`;
  const reason = typeof code === 'string' && Object.hasOwn(REASONS, code) ? REASONS[code] : undefined;
  const words = reason ?? (error instanceof Error ? error.message : String(error));
  return `${path} cannot be ${verb}: ${words}`;
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'no permission',
  EISDIR: 'it is a directory',
  ELOOP: 'its symbolic links lead round in a circle',
  ENOENT: 'its directory does not exist',
  ENOSPC: 'no space left on the disk',
  ENOTDIR: 'a part of its path is a file, not a directory',
  EPERM: 'no permission',
  EROFS: 'the file system is read-only',
};
