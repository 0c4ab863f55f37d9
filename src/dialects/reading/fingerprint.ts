const nearby = 32;

/**
 * A short text that is the same for values that are equal as JSON, whatever the order of their keys is. Values that differ
 * mostly have different ones, so that few must be written out to be compared.
 */
export function fingerprint(value: unknown): string {
  if (typeof value !== "object" || value === null) return fingerprintOfScalar(value);
  if (Array.isArray(value)) return `[${value.length}]${fingerprintOfScalar(value[0])}`;
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return members
    .map(([key, member]) => `${fingerprintOfScalar(key)}:${fingerprintOfScalar(member)}`)
    .sort()
    .join(",");
}

function fingerprintOfScalar(value: unknown): string {
  if (typeof value === "string") return `"${value.length}"${value.slice(0, nearby)}${value.slice(-nearby)}`;
  return typeof value === "object" ? "{}" : JSON.stringify(value);
}
