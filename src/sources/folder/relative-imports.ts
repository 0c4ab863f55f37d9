/** The imports of a module by relative path. */
export interface RelativeImport {
  /** As written in the source, without a query. */
  readonly specifier: string;
  /** By CommonJS's `require`, not by an import. */
  readonly isRequired: boolean;
}

export interface RelativeImports {
  readonly imports: readonly RelativeImport[];
  /** It imports something whose name is only known when it runs. */
  readonly isComputed: boolean;
}

const comments = String.raw`(?:\/\*[^]*?\*\/\s*)?`;
const named = new RegExp(
  String.raw`(?:\bfrom\s*|\bimport\s*\(?\s*${comments}|\b(require)(?:\.resolve)?\s*\(\s*|\bnew\s+URL\s*\(\s*(?=[^)]*import\.meta\.url))` +
    String.raw`(["'\`])(\.{0,2}\/[^"'\`\n]*)\2`,
  "g",
);
const computed = new RegExp(String.raw`\b(?:import|require)\s*\(\s*${comments}(?:[^"'\`)\s/]|\`[^\`]*\$\{)`);
const module = /\.[cm]?[jt]s$/;

/**
 * Finds the relative imports in a module's source by how they are written. What only looks like one, as in a comment,
 * is found too: a file more is looked at when the tool is loaded again.
 */
export function findRelativeImports(source: string): RelativeImports {
  const imports: RelativeImport[] = [];
  for (const [all, required, , given = ""] of source.matchAll(named)) {
    const [specifier = ""] = given.split(/[?#]/);
    const isUrl = all.startsWith("new");
    // The address of a module is imported; that of any other file is data, which the tool reads when it wants to.
    if (given.includes("${") || (isUrl && !module.test(specifier))) continue;
    imports.push({ specifier, isRequired: required !== undefined });
  }
  return { imports, isComputed: computed.test(source) };
}

const esmSyntax =
  /^\s*(?:export\s+(?:default|const|let|var|function|class|async|type)\b|export\s*[{*]|import\s*["'{*]|import\s+\w)/m;

/** Whether a module is an ES module, as far as its name and its source show. */
export function isEsModule(file: string, source: string): boolean {
  if (file.endsWith(".mjs") || file.endsWith(".mts")) return true;
  return /\.[jt]s$/.test(file) && esmSyntax.test(source);
}
