import { isDeepStrictEqual } from "node:util";
import { isObject, type Json } from "./rules/breach.ts";
import { type Fields, misfits } from "./rules/shape.ts";
import { type ConversationBreach, type ConversationCheck, dig, firstMisfit, objectsIn } from "./conversation.ts";

/** Source: the types of @google/genai 2. */
const contentFields = { role: "string?", parts: "array" };
const partFields = fieldsOf(
  "text thought thoughtSignature inlineData fileData functionCall functionResponse executableCode codeExecutionResult " +
    "toolCall toolResponse videoMetadata mediaResolution partMetadata",
);
const callFields = fieldsOf("id name args partialArgs willContinue");
const responseFields = {
  id: "string?",
  name: "string",
  response: "object",
  parts: "array?",
  scheduling: "string?",
  willContinue: "boolean?",
};

function fieldsOf(names: string): Fields {
  return Object.fromEntries(names.split(" ").map((name) => [name, "any?"]));
}

/** Taken in place of a signature that is lost; documented for replaying other models' turns. */
const anySignature = "skip_thought_signature_validator";

/** generateContent: one content answers all calls of the content before it, and signatures come back in their parts. */
export const checkGeminiConversation: ConversationCheck = (contents, sent) => [
  ...contents.flatMap((content, index) => contentBreaches(content, index)),
  ...contents.flatMap((content, index) => turnBreaches(contents[index - 1], content, contents[index + 1], index)),
  ...signatureBreaches(contents, sent),
];

const partsOf = (content: unknown): Json[] => objectsIn(dig(content, "parts"));
const callsOf = (content: unknown): Json[] => objectsIn(partsOf(content).map((part) => part["functionCall"]));
const answersOf = (content: unknown): Json[] => objectsIn(partsOf(content).map((part) => part["functionResponse"]));

function contentBreaches(content: unknown, index: number): ConversationBreach[] {
  const at = `contents[${index}]`;
  if (!isObject(content)) return [{ path: `/${index}`, rule: "shape", message: `Invalid value at '${at}'` }];
  const say = (place: string) => ({
    unknown: ({ field }: { field: string }) =>
      `Invalid JSON payload received. Unknown name "${field}" at '${place}': Cannot find field.`,
    missing: ({ field }: { field: string }) => `${place}.${field}: required field is not set.`,
    kind: ({ field }: { field: string }) =>
      `Invalid value at '${place}.${field}' (type.googleapis.com/google.protobuf.Struct)`,
  });
  const found = firstMisfit(misfits(content, contentFields), `/${index}`, say(at));
  if (Array.isArray(content["parts"]) && content["parts"].length === 0) {
    const message = `* GenerateContentRequest.${at}.parts: contents.parts must not be empty.`;
    found.push({ path: `/${index}/parts`, rule: "empty", message });
  }
  const role = content["role"] ?? "user";
  if (role !== "user" && role !== "model") {
    found.push({ path: `/${index}/role`, rule: "role", message: "Please use a valid role: user, model." });
  }
  for (const [place, part] of partsOf(content).entries()) {
    const call = isObject(part["functionCall"]) ? part["functionCall"] : {};
    found.push(
      ...firstMisfit(misfits(part, partFields), `/${index}/parts/${place}`, say(`${at}.parts[${place}]`)),
      ...firstMisfit(misfits(call, callFields), `/${index}/parts/${place}`, say(`${at}.parts[${place}].function_call`)),
    );
    const answer = part["functionResponse"];
    if (!isObject(answer)) continue;
    const path = `/${index}/parts/${place}/functionResponse`;
    found.push(
      ...firstMisfit(misfits(answer, responseFields), path, say(`${at}.parts[${place}].function_response`)),
      ...referenceBreaches(answer["response"], `${path}/response`),
    );
  }
  return found;
}

/** A key `$ref`, wherever it is, names a part of the response to be put there. */
function referenceBreaches(response: unknown, path: string): ConversationBreach[] {
  const open: unknown[] = [response];
  while (open.length > 0) {
    const value = open.pop();
    if (isObject(value) && Object.hasOwn(value, "$ref")) {
      const message = `Invalid reference '${String(value["$ref"])}' in function_response.response: no such part.`;
      return [{ path, rule: "reference", message }];
    }
    if (typeof value === "object" && value !== null) open.push(...Object.values(value));
  }
  return [];
}

function turnBreaches(previous: unknown, content: unknown, next: unknown, index: number): ConversationBreach[] {
  const path = `/${index}`;
  const calls = callsOf(content);
  const found: ConversationBreach[] = [];
  if (calls.length > 0 && dig(content, "role") !== "model") {
    found.push({ path: `${path}/role`, rule: "role", message: "Function calls must have the role model." });
  }
  if (calls.length > 0 && (previous === undefined || dig(previous, "role") === "model")) {
    const message =
      "Please ensure that function call turn comes immediately after a user turn or after a function response turn.";
    found.push({ path, rule: "order", message });
  }
  if (calls.length !== answersOf(next).length) {
    const message =
      "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.";
    const orphan = calls.length === 0;
    const after = "Please ensure that function response turn comes immediately after a function call turn.";
    found.push({
      path: orphan ? `/${index + 1}` : path,
      rule: orphan ? "orphan" : "count",
      message: orphan ? after : message,
    });
  }
  return [...found, ...answerBreaches(previous, content, index)];
}

function answerBreaches(previous: unknown, content: unknown, index: number): ConversationBreach[] {
  const answers = answersOf(content);
  if (answers.length === 0) return [];
  const calls = callsOf(previous);
  const found = answers.flatMap((answer, place): ConversationBreach[] => {
    const call = calls[place];
    if (call === undefined || (call["name"] === answer["name"] && call["id"] === answer["id"])) return [];
    const message = `Function response ${place} has the name '${String(answer["name"])}' and the id '${String(answer["id"])}': please ensure that it matches its function call.`;
    return [{ path: `/${index}/parts/${place}`, rule: "match", message }];
  });
  if (index === 0)
    found.push({ path: "/0", rule: "orphan", message: "A function response turn has no function call turn." });
  if (dig(content, "role") !== "user") {
    found.push({ path: `/${index}/role`, rule: "role", message: "Please use a valid role: user, model." });
  }
  if (answers.length !== partsOf(content).length) {
    const message = "Please ensure that a function response turn holds function response parts only.";
    found.push({ path: `/${index}/parts`, rule: "siblings", message });
  }
  return found;
}

/** A turn is known by its calls, which another one may have had as well: it has the signatures of one of them. */
function signatureBreaches(contents: readonly unknown[], sent: readonly unknown[]): ConversationBreach[] {
  const turns = sent.map((reply) => dig(reply, "candidates", 0, "content")).filter((turn) => callsOf(turn).length > 0);
  return contents.flatMap((content, index) => {
    const breaches = turns
      .filter((turn) => isDeepStrictEqual(callsOf(turn), callsOf(content)))
      .map((turn) => signedBreaches(callParts(turn), callParts(content), index));
    return breaches.some(({ length }) => length === 0) ? [] : (breaches.at(-1) ?? []);
  });
}

const callParts = (content: unknown): Json[] => partsOf(content).filter((part) => isObject(part["functionCall"]));

function signedBreaches(sent: readonly Json[], echoed: readonly Json[], index: number): ConversationBreach[] {
  return echoed.flatMap((part, place): ConversationBreach[] => {
    const signature = part["thoughtSignature"];
    const expected = sent[place]?.["thoughtSignature"];
    if (signature === expected || signature === anySignature) return [];
    const name = String(dig(part, "functionCall", "name"));
    const message =
      signature === undefined
        ? `Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call \`default_api:${name}\`, position ${index}.`
        : "Thought signature is not valid.";
    return [{ path: `/${index}/parts/${place}`, rule: "signature", message }];
  });
}
