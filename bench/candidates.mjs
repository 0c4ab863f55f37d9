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
 */

const peer = (file) => [process.execPath, fileURLToPath(new URL(`servers/${file}`, import.meta.url))];
const toolsFolder = fileURLToPath(new URL("tools", import.meta.url));

/** @type {Candidate} */
const floor = {
  id: "floor",
  name: "(a) node:http, body read, fixed answer",
  command: peer("floor.mjs"),
  call: invokeCall("bench_weather"),
  resultOf: (answer) => answer.result,
  checksArguments: false,
};

/** @type {Candidate} */
export const limit = {
  id: "limit",
  name: "(b) the limit: node:http, ajv in and out, AbortController time limit",
  command: peer("limit.mjs"),
  call: invokeCall("bench_weather"),
  resultOf: (answer) => answer.result,
};

/** @type {Candidate} */
const fastify = {
  id: "fastify",
  name: "(c) Fastify, body and response schemas",
  command: peer("fastify.mjs"),
  call: invokeCall("bench_weather"),
  resultOf: (answer) => answer.result,
};

/** @type {Candidate} */
const express = {
  id: "express",
  name: "(d) Express 5 + zod",
  command: peer("express-zod.mjs"),
  call: invokeCall("bench_weather"),
  resultOf: (answer) => answer.result,
};

/** @type {Candidate} */
const mcp = {
  id: "mcp",
  name: "(e) MCP SDK, stateless Streamable HTTP, JSON answers",
  command: peer("mcp.mjs"),
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

export const peers = [floor, limit, fastify, express, mcp];

/**
 * Toolhost with its defaults on. Its stderr goes to /dev/null, so `info` pays for writing its lines but not for a disk.
 * @param {{ main: string, dataFolder: string, logLevel?: string, bundled?: boolean, toolsFolders?: string[] }} options
 * @returns {Candidate}
 */
export function toolhost({ main, dataFolder, logLevel = "warn", bundled = false, toolsFolders = [toolsFolder] }) {
  return {
    id: `toolhost-${logLevel}`,
    name: `Toolhost, LOG_LEVEL=${logLevel}`,
    command: [process.execPath, main, "serve"],
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
