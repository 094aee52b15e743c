// Where the data is that is not part of the repository: beside it, or where TOOLSURE_SHARED says.

import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const folder = process.env.TOOLSURE_SHARED ?? fileURLToPath(new URL('../../../../shared', import.meta.url));

/** A path in that folder, and the reason to skip a test if it is not there. */
export function shared(path) {
  const full = `${folder}/${path}`;
  return { path: full, skip: existsSync(full) ? false : `there is no ${full}` };
}
