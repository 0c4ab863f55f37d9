export interface Filter {
  /** `operationId`s, or a method and a glob of paths: `GET /pets/*`. @default all */
  readonly include?: readonly string[];
  readonly exclude?: readonly string[];
}

/** Whether an operation is wanted. `*` is anything within a segment, `**` across segments. */
export function createFilter({ include, exclude = [] }: Filter) {
  const included = include?.map(toTest);
  const excluded = exclude.map(toTest);
  return (operationId: string | undefined, method: string, path: string): boolean => {
    const fits = (test: Test): boolean => test(operationId, `${method} ${path}`);
    return (included?.some(fits) ?? true) && !excluded.some(fits);
  };
}

type Test = (operationId: string | undefined, place: string) => boolean;

function toTest(pattern: string): Test {
  const [, method, path] = /^(\S+)\s+(\/.*)$/.exec(pattern.trim()) ?? [];
  if (method === undefined || path === undefined) return (operationId) => operationId === pattern;
  const glob = path.replace(/\*{1,}|[.+?^${}()|[\]\\]/g, (found) =>
    found.startsWith("**") ? ".*" : found === "*" ? "[^/]*" : `\\${found}`,
  );
  const verb = method === "*" ? "\\S+" : method.toUpperCase().replace(/[^A-Z]/g, "");
  const test = new RegExp(`^${verb} ${glob}$`);
  return (_operationId, place) => test.test(place);
}
