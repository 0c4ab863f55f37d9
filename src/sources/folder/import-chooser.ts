/** A package's module that was resolved. */
export interface PackageUrl {
  /** As Node resolved it. */
  readonly url: string;
  /** As it was imported: with a version, if an earlier import of it failed. */
  readonly imported: string;
}

/** Decides which version of a module an import gets. */
export interface ImportChooser {
  /**
   * @param url what Node resolved the specifier to
   * @returns the URL to import
   */
  choose(specifier: string, parentUrl: string | undefined, url: string): string;
  /** The modules of packages that were resolved since it was last asked. */
  takeResolved(): PackageUrl[];
  /** These failed: the next version that imports them imports them anew. */
  retry(urls: readonly string[]): void;
  /**
   * These were loaded with this version, which their URL does not contain: CommonJS modules import from their file.
   * @param version 0 for none
   */
  assign(urls: readonly string[], version: number): void;
}

/**
 * What is imported by relative path gets the version of its importer. A package stays the one that was loaded, whoever
 * imports it, unless it failed.
 *
 * May run in a thread of its own, from its source text: it uses nothing from outside of itself.
 */
export function createImportChooser(): ImportChooser {
  const versioned = /[?&](toolhost=\d+)/;
  const failed = new Set<string>();
  const chosen = new Map<string, string>();
  const assigned = new Map<string, string>();
  let resolved = new Map<string, string>();
  return {
    choose(specifier, parentUrl, url) {
      if (!url.startsWith("file:") || versioned.test(url)) return url;
      const version = versioned.exec(parentUrl ?? "")?.[1] ?? assigned.get(parentUrl ?? "");
      const isRelative = /^\.\.?\/|^#/.test(specifier);
      const isAbsolute = /^\/|^file:/.test(specifier);
      if (isRelative || isAbsolute) {
        const isOwn = isRelative || !url.includes("/node_modules/");
        return version !== undefined && isOwn ? add(url, version) : url;
      }
      if (version !== undefined && failed.delete(url)) chosen.set(url, add(url, version));
      const imported = chosen.get(url) ?? url;
      resolved.set(url, imported);
      return imported;
    },
    takeResolved() {
      const taken = [...resolved].map(([url, imported]) => ({ url, imported }));
      resolved = new Map();
      return taken;
    },
    retry(urls) {
      for (const url of urls) failed.add(url);
    },
    assign(urls, version) {
      for (const url of urls) {
        if (version === 0) assigned.delete(url);
        else assigned.set(url, `toolhost=${version}`);
      }
    },
  };

  function add(url: string, version: string): string {
    return `${url}${url.includes("?") ? "&" : "?"}${version}`;
  }
}
