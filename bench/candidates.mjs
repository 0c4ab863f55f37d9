import { fileURLToPath } from "node:url";

/**
 * @typedef {object} Candidate
 * @property {string} id
 * @property {string} name
 * @property {string[]} command
 * @property {Record<string, string>} [env]
 * @property {(args: object) => { method: string, path: string, headers: Record<string, string>, body: string }} call
 * @property {(answer: any) => unknown} resultOf the tool's result inside an answer
 * @property {boolean} [checksArguments] false for the floor alone
 *
 * @typedef {Omit<Candidate, 'command'> & { file: string }} Peer a candidate that is one file of `servers/`
 */

const serverFile = (file) => fileURLToPath(new URL(`servers/${file}`, import.meta.url));
const toolsFolder = fileURLToPath(new URL("tools", import.meta.url));

/** @type {Peer} */
const floor = {
  id: "floor",
  name: "(a) node:http, body read, fixed answer",
  file: "floor.mjs",
  call: invokeCall("bench_weather"),
  resultOf: (answer) => answer.result,
  checksArguments: false,
};

/** @type {Peer} */
const limit = {
  id: "limit",
  name: "(b) node:http, ajv for arguments and result, AbortController time limit",
  file: "limit.mjs",
  call: invokeCall("bench_weather"),
  resultOf: (answer) => answer.result,
};

/** @type {Peer} */
const fastify = {
  id: "fastify",
  name: "(c) Fastify, body and response schemas",
  file: "fastify.mjs",
  call: invokeCall("bench_weather"),
  resultOf: (answer) => answer.result,
};

/** @type {Peer} */
const express = {
  id: "express",
  name: "(d) Express 5 + zod",
  file: "express-zod.mjs",
  call: invokeCall("bench_weather"),
  resultOf: (answer) => answer.result,
};

/** @type {Peer} */
const mcp = {
  id: "mcp",
  name: "(e) MCP SDK, stateless Streamable HTTP, JSON answers",
  file: "mcp.mjs",
  call: (args) => ({
    method: "POST",
    path: "/mcp",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2025-06-18",
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "bench_weather", arguments: args },
    }),
  }),
  resultOf: (answer) => answer.result?.structuredContent,
};

/**
 * What Toolhost is measured against.
 * @param {string} node the Node binary that runs them
 * @returns {Candidate[]}
 */
export function createPeers(node) {
  return [floor, limit, fastify, express, mcp].map(({ file, ...peer }) => ({
    ...peer,
    command: [node, serverFile(file)],
  }));
}

/**
 * Toolhost with its defaults on. Its stderr goes to /dev/null, so `info` pays for writing its lines but not for a disk.
 * @param {{ node: string, main: string, dataFolder: string, logLevel?: string, isBefore?: boolean, bundled?: boolean, toolsFolders?: string[] }} options
 *   `isBefore`: another build, against which a change is measured
 * @returns {Candidate}
 */
export function toolhost({
  node,
  main,
  dataFolder,
  logLevel = "warn",
  isBefore = false,
  bundled = false,
  toolsFolders = [toolsFolder],
}) {
  return {
    id: isBefore ? `before-${logLevel}` : `toolhost-${logLevel}`,
    name: `Toolhost${isBefore ? " before the change" : ""}, LOG_LEVEL=${logLevel}`,
    command: [node, main, "serve"],
    env: {
      TOOLHOST_TOOLS: toolsFolders.join(":"),
      TOOLHOST_DATA: dataFolder,
      LOG_LEVEL: logLevel,
      ...(bundled ? {} : { TOOLHOST_BUNDLED: "off" }),
    },
    call: invokeCall("bench_weather"),
    resultOf: (answer) => (answer.status === "ok" ? answer.result : undefined),
  };
}

/** A call in Toolhost's form, which all but MCP share. */
export function invokeCall(tool) {
  return (args) => ({
    method: "POST",
    path: `/tools/${tool}/invoke`,
    headers: { "content-type": "application/json" },
    body: JSON.stringify(args),
  });
}
