/** Every row of the list of faults and threats that this suite answers for: a letter for the group and a number. */
export const rows = [
  ...numbered("J", 11), // JSON bodies
  ...numbered("R", 8), // what tools return
  ...numbered("T", 10), // what tools do
  ...numbered("H", 15), // HTTP
  ...numbered("N", 4), // names
  ...numbered("S", 8), // schemas from elsewhere
  ...numbered("F", 6), // outbound requests
  ...numbered("A", 7), // access
  ...numbered("L", 3), // leaks
  ...numbered("O", 4), // load
  ...numbered("D", 8), // shutdown and durability
  ...numbered("M", 7), // MCP
];

/** Rows without a test, each with its reason. They come with the parts that they are about. */
export const leftOut: Readonly<Record<string, string>> = {
  F5: "there is no OpenAPI source yet",
  F6: "there is no OpenAPI source yet",
  A5: "there are no jobs and no MCP sessions yet",
  D3: "there are no jobs yet",
  D4: "there are no idempotency keys yet",
  D6: "nothing is written to disk yet",
  D7: "there is no broker yet",
  M1: "there is no MCP source yet",
  M2: "there is no MCP source yet",
  M3: "there is no MCP source yet",
  M4: "there is no MCP source yet",
  M5: "there is no MCP source yet",
  M6: "there is no MCP source yet",
  M7: "there is no MCP endpoint yet",
};

function numbered(letter: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${letter}${index + 1}`);
}
