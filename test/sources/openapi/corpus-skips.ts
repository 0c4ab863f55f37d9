/** The operations of the corpora that give no tool: the reason, and the number and text of the line that forces it. */
export const corpusSkips = [
  {
    document: "github-3.0.json",
    operation: "POST /repos/{owner}/{repo}/releases/{release_id}/assets",
    reason: "its server has another origin than the base URL",
    line: 75447,
    text: '"url": "https://uploads.github.com"',
  },
  {
    document: "stripe-3.0.json",
    operation: "POST /v1/files",
    reason: "its server has another origin than the base URL",
    line: 46791,
    text: '"url": "https://files.stripe.com/"',
  },
] as const;
