import { isJsonObject, type JsonObject } from "../../json/object.ts";
import { geminiText } from "./conversation.ts";
import { type Accumulator, StreamError } from "../streaming/accumulator.ts";
import { createGeminiParts, type PartsAccumulator } from "./stream-parts.ts";
import { streamError } from "../streaming/stream-error.ts";
import { writeKnown } from "../streaming/assign.ts";

interface Candidate {
  /** All fields except its content. The last value of each wins. */
  readonly head: JsonObject;
  /** All fields except its parts. */
  content?: JsonObject;
  readonly parts: PartsAccumulator;
}

/** Source: streamGenerateContent of ai.google.dev/api/generate-content, and the types of @google/genai 2. */
export function createGeminiAccumulator(): Accumulator {
  const candidates = new Map<number, Candidate>();
  const response: JsonObject = {};
  return { add, end };

  function add(chunk: unknown): string {
    if (!isJsonObject(chunk)) return "";
    const { candidates: given, error, ...rest } = plainResponse(chunk);
    if (isJsonObject(error)) throw streamError(error);
    writeKnown(response, rest);
    const list: unknown[] = Array.isArray(given) ? given : [];
    return list.map((candidate) => (isJsonObject(candidate) ? addCandidate(candidate) : "")).join("");
  }

  /** @returns the text of the first candidate: the others are for callers that requested them */
  function addCandidate({ content, ...head }: JsonObject): string {
    const index = Number(head["index"] ?? 0);
    const candidate: Candidate = candidates.get(index) ?? { head: {}, parts: createGeminiParts() };
    candidates.set(index, candidate);
    writeKnown(candidate.head, head);
    if (!isJsonObject(content)) return "";
    const { parts, ...author } = content;
    writeKnown((candidate.content ??= {}), author);
    for (const part of Array.isArray(parts) ? (parts as unknown[]) : []) {
      if (isJsonObject(part)) candidate.parts.add(part);
    }
    return index === 0 ? geminiText(parts) : "";
  }

  function end(): JsonObject {
    const inOrder = [...candidates].sort(([a], [b]) => a - b).map(([, candidate]) => candidate);
    const hasEnded =
      inOrder.length === 0
        ? isJsonObject(response["promptFeedback"] ?? response["prompt_feedback"])
        : isOver(inOrder[0]?.head);
    if (!hasEnded) throw new StreamError("The stream ended before the reply was complete.");
    return inOrder.length === 0 ? response : { ...response, candidates: inOrder.map(finish) };
  }
}

/** The API's response without the fields that the SDK adds. */
export function plainResponse(response: JsonObject): JsonObject {
  const { sdkHttpResponse: _, automaticFunctionCallingHistory: __, ...plain } = response;
  return plain;
}

function reasonOf(head: JsonObject): unknown {
  return head["finishReason"] ?? head["finish_reason"];
}

function isStopped(head: JsonObject): boolean {
  return reasonOf(head) === "STOP";
}

function isOver(head: JsonObject = {}): boolean {
  const reason = reasonOf(head);
  return typeof reason === "string" && reason !== "FINISH_REASON_UNSPECIFIED";
}

function finish({ head, content, parts }: Candidate): JsonObject {
  if (content === undefined) return head;
  const { parts: whole, isMalformed } = parts.end();
  return {
    ...head,
    content: { ...content, ...(whole.length > 0 && { parts: whole }) },
    // The provider reports this reason for pieces that do not fit, if it assembles them itself.
    ...(isMalformed && isStopped(head) && malformed),
  };
}

const malformed = {
  finishReason: "MALFORMED_FUNCTION_CALL",
  finishMessage: "The streamed arguments of a call are incomplete or contradict each other.",
};
