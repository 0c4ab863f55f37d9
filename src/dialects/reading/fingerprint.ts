const nearby = 32;

/**
 * A short text that is equal for values that are equal as JSON, regardless of the order of keys. Different values
 * mostly have different fingerprints, so that few must be written out to compare them.
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
