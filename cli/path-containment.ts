import { realpathSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';

/** True if a path is that folder or in it, following the links that exist. */
export const isWithin = (folder: string, path: string): boolean => {
  const rest = relative(realPathOf(resolve(folder)), realPathOf(resolve(path)));
  return rest !== '..' && !rest.startsWith(`..${sep}`) && !isAbsolute(rest);
};

const realPathOf = (path: string): string => {
  try {
    return realpathSync(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(realPathOf(parent), basename(path));
  }
};
