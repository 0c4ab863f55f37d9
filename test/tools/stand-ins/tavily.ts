import { jsonAnswer, startStandIn, type Answer, type RecordedRequest, type StandIn } from "./stand-in.ts";

/** The one key that the stand-in takes. */
export const tavilyKey = "tvly-test-4f1c9a7e";

/** Starts a stand-in for Tavily's `POST /search`. A query that holds "nothing" finds nothing. */
export function startTavily(): Promise<StandIn> {
  return startStandIn({
    refuse(request) {
      if (request.path !== "/search") return jsonAnswer({ detail: "Not Found" }, 404);
      if (request.method !== "POST") return jsonAnswer({ detail: "Method Not Allowed" }, 405);
      if (request.headers.authorization !== `Bearer ${tavilyKey}`) return tavilyAnswers.wrongKey;
      return refuseBody(request);
    },
    answer(request) {
      const { query, max_results: maxResults } = JSON.parse(request.body) as Body;
      return jsonAnswer(found(query, query.includes("nothing") ? 0 : maxResults));
    },
  });
}

interface Body {
  readonly query: string;
  readonly max_results: number;
}

function refuseBody(request: RecordedRequest): Answer | undefined {
  if (!request.headers["content-type"]?.startsWith("application/json")) {
    return invalid([], "Input should be a valid dictionary");
  }
  const body = JSON.parse(request.body) as Record<string, unknown>;
  const { query, max_results: maxResults, search_depth: depth = "basic", ...others } = body;
  if (typeof query !== "string") return invalid(["query"], "Input should be a valid string");
  if (query.trim() === "") return badRequest("Query is missing.");
  if ([...query].length > 400) {
    return badRequest("Query is too long. Max query length is 400 characters.");
  }
  if (!Number.isInteger(maxResults)) {
    return invalid(["max_results"], "Input should be a valid integer");
  }
  if (Number(maxResults) < 0 || Number(maxResults) > 20) {
    return badRequest("Invalid max results. Must be between 0 and 20.");
  }
  if (!["basic", "advanced", "fast", "ultra-fast"].includes(String(depth))) {
    return badRequest("Invalid search depth.");
  }
  if (Object.keys(others).length > 0) return badRequest("Unexpected field.");
  return undefined;
}

export function found(query: string, count: number) {
  return {
    query,
    follow_up_questions: null,
    answer: null,
    images: [],
    results: Array.from({ length: count }, (_, index) => ({
      url: `https://pages.example/${index + 1}`,
      title: `Page ${index + 1}`,
      content: `What page ${index + 1} says about it.`,
      score: 0.9 - index / 100,
      raw_content: null,
    })),
    response_time: 0.84,
    request_id: "5a1f0c1e-0000-4000-8000-000000000000",
  };
}

function refusal(status: number, error: string): Answer {
  return jsonAnswer({ detail: { error } }, status);
}

function badRequest(error: string): Answer {
  return refusal(400, error);
}

function invalid(path: readonly string[], msg: string): Answer {
  return jsonAnswer({ detail: [{ type: "value_error", loc: ["body", ...path], msg }] }, 422);
}

/** The original's refusals, in its shape and in other words. */
export const tavilyAnswers = {
  wrongKey: refusal(401, "Unauthorized: the API key is missing or wrong."),
  forbidden: refusal(403, "Forbidden for this key."),
  badRequest: refusal(400, "Query is too long."),
  invalid: invalid(["query"], "Input should be a valid string"),
  rateLimited: { ...refusal(429, "Too many requests."), headers: { "retry-after": "7" } },
  planUsedUp: refusal(432, "The set limit of the plan is exceeded."),
  payAsYouGoUsedUp: refusal(433, "The set limit of pay-as-you-go is exceeded."),
  unavailable: refusal(503, "Service unavailable."),
  html: { headers: { "content-type": "text/html" }, body: "<html>maintenance</html>" },
  cutOff: { ...jsonAnswer(found("kites", 5)), cutOff: true },
} as const satisfies Record<string, Answer>;
