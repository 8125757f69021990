/** The oldest Node that runs the published command; `engines` of package.json says the same. */
export const OLDEST_NODE = '22.22';

/**
 * Returns one line that says that this version of Node, such as `20.19.2`, is too old. null means that it is new
 * enough.
 */
export function nodeFault(version: string): string | null {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [leastMajor = 0, leastMinor = 0] = OLDEST_NODE.split('.').map(Number);
  if (major > leastMajor || (major === leastMajor && minor >= leastMinor)) return null;
  return `fwdsync needs Node ${OLDEST_NODE} or later; this is Node ${version}`;
}
