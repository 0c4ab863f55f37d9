import { readFileSync } from "node:fs";

export const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
const reference = readFileSync(new URL("../docs/http.md", import.meta.url), "utf8");

/** The curl lines of the README and docs/http.md, each with what the page says that it prints. */
export const curlExamples = [readme, reference].flatMap((page) =>
  [...page.matchAll(/^\$ (curl .*)\n((?:(?!```).+\n)+)/gm)].map(([, command = "", answer = ""]) => ({
    command,
    answer,
  })),
);
