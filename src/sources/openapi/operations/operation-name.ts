/** The name of an operation in its document: its `operationId`, or method and path segments without braces. */
export function operationName(method: string, path: string): string {
  const segments = path.replace(/[{}]/g, "").split("/").filter(Boolean);
  return [method.toLowerCase(), ...segments].join("_");
}
