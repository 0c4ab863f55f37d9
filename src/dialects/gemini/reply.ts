import { isJsonObject } from "../../json/object.ts";
import { type JsonSource } from "../../json/parse.ts";
import { type OkOutcome, resultJson } from "../../core/outcome.ts";
import { blocksOf } from "../../core/result-blocks.ts";
import type { CallResult } from "../dialect.ts";
import { type Finish, NotAReply, type Reply, type ReplyCall } from "../reply.ts";
import { isOfType, type Media, mediaOf, type Piece, piecesOf, textsOf } from "../media.ts";
import { readableText, withMember } from "../results.ts";
import { cutOff, type FoundCall, toReply } from "../reading/found-calls.ts";
import { JsonNode } from "../reading/json-place.ts";

/**
 * Reasons with which the model failed to write its reply and is asked again. Calls in such a reply cannot be trusted.
 */
const badEnds = new Set<unknown>([
  "MALFORMED_FUNCTION_CALL",
  "UNEXPECTED_TOOL_CALL",
  "TOO_MANY_TOOL_CALLS",
  "MISSING_THOUGHT_SIGNATURE",
  "MALFORMED_RESPONSE",
]);
/** `CONTINUATION` is the limit of one request. */
const cutOffs = new Set<unknown>(["MAX_TOKENS", "CONTINUATION"]);
/** `FUNCTION_CALL` comes from Gemini-compatible services. */
const goodEnds = new Set<unknown>([undefined, null, "STOP", ...cutOffs, "FINISH_REASON_UNSPECIFIED", "FUNCTION_CALL"]);

/** A whole generateContent response, or its content from the model. @throws NotAReply */
export function readGeminiReply(source: JsonSource): Reply {
  const root = JsonNode.rootOf(source);
  const candidates = root.member("candidates");
  const isWhole = ["candidates", "promptFeedback", "prompt_feedback", "usageMetadata", "usage_metadata"].some(
    (key) => root.member(key) !== undefined,
  );
  const count = Array.isArray(candidates?.value) ? candidates.value.length : 0;
  const candidate = candidates?.at(0);
  const content = isWhole ? presentMember(candidate, "content") : root;
  if (isWhole ? [candidate, content].some(isNoObject) : !isContent(root)) {
    throw new NotAReply("It must be a response of Gemini's generateContent, or the content of its candidate.");
  }
  const reason = memberOf(candidate, "finishReason", "finish_reason")?.value;
  const isBadEnd = badEnds.has(reason);
  return toReply({
    source,
    calls: isBadEnd || content === undefined ? [] : findCalls(content, isOfOlderModel(root)),
    needsIds: false,
    finish: finishOf(reason, isWhole && count === 0),
    isPaused: isBadEnd,
    remarks: remarksOn(isWhole, count, reason),
    // A reply that ended badly is not part of the conversation: its calls get no answer.
    echo: () => (isBadEnd ? "" : (content?.text() ?? "")),
  });
}

/** ONE content, with as many parts as there were calls. */
export function writeGeminiResults(results: readonly CallResult[]): string[] {
  if (results.length === 0) return [];
  const parts = results.map((result) => {
    const { call, outcome, tool } = result;
    const found = blocksOf(outcome, tool);
    const pieces = found === undefined ? undefined : piecesOf(result, (media) => showsInGemini(media, call));
    const text = outcome.status === "error" ? JSON.stringify(outcome.error) : writeOutput(outcome, pieces);
    const key = outcome.status === "error" ? "error" : "output";
    const response = `{"${key}":${hasReference(text) ? JSON.stringify(text) : text}}`;
    const media = mediaOf(pieces ?? []).map(({ mimeType, data }) => ({ inlineData: { mimeType, data } }));
    const head = media.length === 0 ? call.resultFields : { ...call.resultFields, parts: media };
    return `{"functionResponse":${withMember(head, "response", response)}}`;
  });
  return [`{"role":"user","parts":[${parts.join(",")}]}`];
}

/** A result with only media beside it remains JSON. */
function writeOutput(outcome: OkOutcome, pieces: readonly Piece[] | undefined): string {
  const text = pieces && textsOf(pieces).join("\n");
  return text === undefined || text === readableText(outcome) ? resultJson(outcome) : JSON.stringify(text);
}

/**
 * The media that a function response may contain, if the model of the call accepts media: models before Gemini 3 do
 * not.
 */
export function showsInGemini(media: Media, { refusesMedia = false }: ReplyCall): boolean {
  return !refusesMedia && isOfType(media, /^(?:image\/(?:jpeg|png|webp)|application\/pdf)$/);
}

/** Gemini reads a key `$ref` at any depth as a reference to media, and refuses the request. */
function hasReference(text: string): boolean {
  return text.includes('"$ref":');
}

function presentMember(place: JsonNode | undefined, key: string): JsonNode | undefined {
  const member = place?.member(key);
  return member?.value === null ? undefined : member;
}

function isNoObject(place: JsonNode | undefined): boolean {
  return place !== undefined && !isJsonObject(place.value);
}

function isContent(root: JsonNode): boolean {
  const role = root.member("role")?.value;
  return Array.isArray(root.member("parts")?.value) && (role == null || role === "model");
}

/** The client's calls. The server ran `toolCall` and `executableCode` itself. */
function* findCalls(content: JsonNode, refusesMedia: boolean): Generator<FoundCall> {
  for (const part of content.member("parts")?.elements() ?? []) {
    const call = memberOf(part, "functionCall", "function_call");
    if (call === undefined || !isJsonObject(call.value)) continue;
    yield {
      id: call.member("id")?.value,
      name: call.member("name")?.value,
      input: call.member("args"),
      refusal: isPart(call) ? cutOff() : undefined,
      head: (id, name) => ({ ...(id !== undefined && { id }), name }),
      refusesMedia,
    };
  }
}

/** Whether it is one event of a call that was streamed: the others contain the rest of its arguments. */
function isPart(call: JsonNode): boolean {
  if (memberOf(call, "willContinue", "will_continue")?.value === true) return true;
  const pieces = memberOf(call, "partialArgs", "partial_args")?.value;
  return call.member("args") === undefined && Array.isArray(pieces) && pieces.length > 0;
}

function isOfOlderModel(root: JsonNode): boolean {
  const version = memberOf(root, "modelVersion", "model_version")?.value;
  return typeof version === "string" && /gemini-[12]\b/.test(version);
}

function finishOf(reason: unknown, isBlocked: boolean): Finish {
  if (cutOffs.has(reason)) return "length";
  return isBlocked || !goodEnds.has(reason) ? "error" : "stop";
}

/** Gemini accepts two spellings of its fields, as protobuf does. The SDK for Python prints the one with underscores. */
function memberOf(place: JsonNode | undefined, name: string, protoName: string): JsonNode | undefined {
  return place?.member(name) ?? place?.member(protoName);
}

function remarksOn(isWhole: boolean, count: number, reason: unknown): string[] {
  if (!isWhole) return [];
  if (count === 0)
    return ["The response contains no candidate: the prompt was blocked, or the model returned nothing."];
  const remarks = count > 1 ? [`The response contains ${count} candidates. The first one is used.`] : [];
  if (badEnds.has(reason)) {
    remarks.push(`The model ended with ${String(reason)}. Send the same conversation again, at most twice in a row.`);
  } else if (!goodEnds.has(reason)) {
    remarks.push(`The model was stopped: ${String(reason).slice(0, 100)}.`);
  }
  return remarks;
}
