import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Config } from "../../src/config/config.ts";
import { ConfigError } from "../../src/config/config-error.ts";
import type { Env } from "../../src/config/environment.ts";
import { checkFile } from "../../src/config/check-file.ts";
import { fileSchema } from "../../src/config/file-schema.ts";
import { keysAsWords } from "../../src/config/entry-kinds.ts";
import { readConfig, readConfigWithOrigins, rereadConfig } from "../../src/config/read-config.ts";
import { readToolConfig } from "../../src/config/read-tools.ts";
import { parseYaml, type YamlDocument, type YamlProblem } from "../../src/yaml/document.ts";
import { temporaryFolder } from "../cli/toolhost.ts";
import { cpuMs } from "../cpu-time.ts";
import { sizeOf } from "../runs.ts";

const hash = "ab".repeat(32);

/** Reads a `toolhost.yaml` in a folder of its own. */
function read(content: string | Buffer, env: Env = {}, args: readonly string[] = []): Promise<Config> {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "toolhost.yaml"), content);
  return readConfig(args, env, folder);
}

/** What is wrong, a line a problem. */
async function problemsOf(content: string | Buffer, env: Env = {}, args: readonly string[] = []): Promise<string[]> {
  try {
    await read(content, env, args);
  } catch (error) {
    if (error instanceof ConfigError) return error.message.split("\n");
    throw error;
  }
  return [];
}

describe("toolhost.yaml", () => {
  test("says what the service offers, and to whom", async () => {
    const docs = readFileSync(new URL("../../docs/configuration.md", import.meta.url), "utf8");
    const example = /```yaml\n([^]*?)```/.exec(docs)?.[1] ?? "";
    const config = await read(example);
    expect(config).toMatchObject({
      overrides: {
        get_weather: { timeoutMs: 2000, concurrency: 8, retries: 2 },
        web_search: { enabled: false },
        show_effect: { repair: true, response: "warn" },
      },
      limits: {
        bodyBytes: 1_048_576,
        replyBytes: 16_777_216,
        bytesInFlight: 268_435_456,
        callsInFlight: 10_000,
        queueMs: 1000,
        timeoutMs: 10_000,
      },
      auth: {
        keys: [{ name: "agent-a", tools: ["get_weather", "search_*"], readOnly: true, callsPerMinute: 600 }],
        jwt: { issuer: "https://login.example", audience: "toolhost", toolsClaim: "tools" },
      },
      egress: { allow: ["10.1.0.0/16", "internal.example:443", "[fd00::7]:8080"], origins: [] },
      hosts: ["toolhost.internal"],
      publicUrl: "https://tools.example/api",
      origins: ["https://app.example:8443"],
    });
    expect(config.sources).toEqual([
      { folder: expect.stringMatching(/^\/.*\/my-tools$/) as string },
      { folder: "/srv/more-tools" },
    ]);
  });

  test.each(["", "# nothing yet\n", "---\n...\n", "{}", "\ufeff{}"])("may be as good as empty: %j", async (content) => {
    const config = await read(content);
    expect(config).toEqual({ ...(await readConfig([], {})), configFile: config.configFile });
    expect(config.configFile).toMatch(/toolhost\.yaml$/);
  });

  test("gives folders relative to itself, behind those of flags and environment", async () => {
    const [here, there] = [temporaryFolder(), temporaryFolder()];
    const file = join(there, "other.yaml");
    for (const path of [join(here, "env"), join(there, "mine")]) mkdirSync(path);
    writeFileSync(file, "tools: [{ folder: mine }, { folder: ./mine/ }, { folder: / }]");
    const env = { TOOLHOST_CONFIG: file, TOOLHOST_TOOLS: "env", TOOLHOST_EGRESS_ALLOW: "::1" };
    const { sources, configFile } = await readConfig(["--tools=flag"], env, here);
    const folders = [join(here, "flag"), join(here, "env"), join(there, "mine"), "/"];
    expect(sources).toEqual(folders.map((folder) => ({ folder })));
    expect(configFile).toBe(file);
    expect((await readToolConfig({}, env, here)).sources).toEqual(sources.slice(1));
  });

  test("is another where a flag or a variable names it, the flag first", async () => {
    const folder = temporaryFolder();
    for (const name of ["toolhost", "env", "flag"]) {
      writeFileSync(join(folder, `${name}.yaml`), `hosts: [${name}.example]`);
    }
    const env = { TOOLHOST_CONFIG: "env.yaml" };
    expect((await readConfig([], {}, folder)).hosts).toEqual(["toolhost.example"]);
    expect((await readConfig([], env, folder)).hosts).toEqual(["env.example"]);
    expect((await readConfig(["--config=flag.yaml"], env, folder)).hosts).toEqual(["flag.example"]);
  });

  test("adds its egress rules to those of the environment", async () => {
    const { egress } = await read("egress: { allow: [10.0.0.1] }", { TOOLHOST_EGRESS_ALLOW: "b.example,::1" });
    expect(egress.allow).toEqual(["b.example", "::1", "10.0.0.1"]);
  });

  test("finds in overrides what was configured, and nothing inherited", async () => {
    const { overrides } = await read("overrides: { __proto__: { enabled: false }, toString: { timeoutMs: 1 } }");
    expect(overrides["__proto__"]).toEqual({ enabled: false });
    expect(overrides["toString"]).toEqual({ timeoutMs: 1 });
    expect(overrides["constructor"]).toBeUndefined();
    expect((await readConfig([], {})).overrides["constructor"]).toBeUndefined();
  });

  test.each(["auth: { keys: [{ name: a, sha256: HASH }] }", "auth: { jwt: JWT }"])(
    "opens an address beyond loopback with %s",
    async (content) => {
      const jwt = "{ issuer: i, audience: a, jwksUrl: https://i.example/k }";
      const filled = content.replace("HASH", hash).replace("JWT", jwt);
      expect(await problemsOf(filled, { HOST: "0.0.0.0" })).toEqual([]);
      expect(await problemsOf("limits: {}", { HOST: "0.0.0.0" })).toHaveLength(1);
    },
  );
});

describe("what is wrong in toolhost.yaml", () => {
  test("is told all at once, by line and place, with what is wrong elsewhere", async () => {
    const content = [
      "tools:",
      "  - folder: 7",
      "  - { folder: x, name: y }",
      "  - folder: ''",
      "  - { folder: x, fodler: y }",
      "  - folder: []",
      "  - just-a-word",
      "overrides:",
      "  get weather: { timeoutMs: 5 }",
      "  get_weather: { timeoutMs: 0, concurency: 1, enabled: yes, response: loud }",
      "limits:",
      "  bodybytes: 1",
      "  queueMs: 1.5",
      "auth:",
      "  keys:",
      `    - { name: a, sha256: ${hash}, tools: [get.x], readOnly: 1, callsPerMinute: 0 }`,
      `    - { name: a, sha256: ${hash} }`,
      "    - name: ''",
      "      sha256: ABC",
      "  jwt: { issuer: i, jwksUrl: 'http://keys.example' }",
      "egress: { alow: [] }",
      "hosts: ['a b', 'http://x', 'x:80', '1.2.3']",
      "origins: ['*', 'https://a.example/', 'HTTPS://b.example', 'https://c.example:443', 'null']",
      "port: 80",
      "nonsense: 1",
      "publicUrl: https://me:s3cr3t@tools.example",
      "",
    ].join("\n");
    expect(await problemsOf(content, { PORT: "x" }, ["--log-level=loud"])).toEqual([
      "toolhost.yaml:2: tools[0].folder must be the path of a folder, not a number",
      'toolhost.yaml:3: tools[1].name is unknown; the only known key is "folder"',
      "toolhost.yaml:4: tools[2].folder must be the path of a folder",
      'toolhost.yaml:5: tools[3].fodler is unknown; the only known key is "folder"',
      "toolhost.yaml:6: tools[4].folder must be the path of a folder, not a list",
      `toolhost.yaml:7: tools[5] must be an object with ${keysAsWords(fileSchema.kinds.schemas)}, not a string`,
      'toolhost.yaml:9: overrides["get weather"] must be the name of a tool, or the beginning of names, followed by *',
      'toolhost.yaml:10: overrides.get_weather.concurency is unknown; did you mean "concurrency"?',
      "toolhost.yaml:10: overrides.get_weather.timeoutMs must be a whole number from 1 to 900000",
      "toolhost.yaml:10: overrides.get_weather.enabled must be true or false, not a string",
      "toolhost.yaml:10: overrides.get_weather.response must be one of enforce, warn, off",
      'toolhost.yaml:12: limits.bodybytes is unknown; did you mean "bodyBytes"?',
      "toolhost.yaml:13: limits.queueMs must be a whole number from 0 to 900000",
      "toolhost.yaml:16: auth.keys[0].tools[0] must be a tool's name, in which * matches any characters",
      "toolhost.yaml:16: auth.keys[0].readOnly must be true or false, not a number",
      "toolhost.yaml:16: auth.keys[0].callsPerMinute must be a whole number from 1 to 1000000000",
      "toolhost.yaml:17: auth.keys[1].name is the same as auth.keys[0].name",
      "toolhost.yaml:17: auth.keys[1].sha256 is the same as auth.keys[0].sha256",
      "toolhost.yaml:18: auth.keys[2].name must be a text that is not empty",
      'toolhost.yaml:19: auth.keys[2].sha256 must be 64 lower-case hexadecimal digits, as "toolhost key" prints them',
      "toolhost.yaml:20: auth.jwt.jwksUrl must be an https URL without a password in it (http only for this machine)",
      "toolhost.yaml:20: auth.jwt.audience is required",
      'toolhost.yaml:21: egress.alow is unknown; did you mean "allow"?',
      ...[0, 1, 2, 3].map(
        (index) => `toolhost.yaml:22: hosts[${index}] must be a host name or an address, without scheme and port`,
      ),
      ...[0, 1, 2, 3, 4].map(
        (index) =>
          `toolhost.yaml:23: origins[${index}] must be an origin as a browser sends it, such as https://app.example:8443`,
      ),
      "toolhost.yaml:24: port is unknown; set PORT or --port",
      'toolhost.yaml:25: nonsense is unknown; the known keys are "tools", "overrides", "limits", "auth", "egress", "hosts", "publicUrl", "origins"',
      "toolhost.yaml:26: publicUrl must be an absolute http or https URL without a query, a fragment or a password, such as https://tools.example/api",
      "PORT must be a whole number from 0 to 65535",
      "--log-level must be one of trace, debug, info, warn, error, fatal, silent",
    ]);
  });

  test("is counted where it is more than anybody reads", async () => {
    const length = sizeOf(900, 100);
    const keys = Array.from({ length }, (_, index) => `    - { name: n${index}, sha25: x }`);
    const problems = await problemsOf(["auth:", "  keys:", ...keys].join("\n"));
    expect(problems).toHaveLength(101);
    expect(problems[0]).toBe('toolhost.yaml:3: auth.keys[0].sha25 is unknown; did you mean "sha256"?');
    expect(problems[100]).toBe(`toolhost.yaml: and ${2 * length - 100} more problems`);
  });

  test.each([
    ["auth:", 'auth must be an object that contains "keys", "jwt" or both, not empty'],
    ["auth: {}", 'auth must be an object that contains "keys", "jwt" or both'],
    ["auth: { keys: [] }", "auth.keys must be a list of at least one key"],
    ["auth: { keys: { a: b } }", "auth.keys must be a list of at least one key, not an object"],
    [
      "- auth",
      'the file must be an object with one or more of the keys "tools", "overrides", "limits", "auth", "egress", "hosts", "publicUrl", "origins", not a list',
    ],
    [
      "constructor: 1",
      'constructor is unknown; the known keys are "tools", "overrides", "limits", "auth", "egress", "hosts", "publicUrl", "origins"',
    ],
    [
      "limits: { __proto__: 1 }",
      'limits.__proto__ is unknown; the known keys are "bodyBytes", "replyBytes", "bytesInFlight", "callsInFlight", "queueMs", "timeoutMs"',
    ],
    [
      "<<: { limits: {} }",
      '<< is unknown; the known keys are "tools", "overrides", "limits", "auth", "egress", "hosts", "publicUrl", "origins"',
    ],
    ["limits: { timeoutMs: 1_000 }", "limits.timeoutMs must be a whole number from 1 to 900000, not a string"],
    ["limits: { timeoutMs: .inf }", "limits.timeoutMs must be a whole number from 1 to 900000"],
    ["limits: { timeoutMs: 900001 }", "limits.timeoutMs must be a whole number from 1 to 900000"],
    [
      "tools: [{ openapi: a.yaml, forward: [Accept-Language] }]",
      "tools[0].forward[0] must be the name of a header that may be forwarded, which excludes Authorization, Cookie, Host, Accept, Idempotency-Key, headers of the connection, and names that begin with Accept-, Content-, Proxy-, Mcp- or Toolhost-",
    ],
  ])("is no reason to guess: %s", async (content, problem) => {
    expect(await problemsOf(content)).toEqual([`toolhost.yaml:1: ${problem.replace(/^<</, '["<<"]')}`]);
  });

  test.each([
    ["a key twice", "hosts: []\nhosts: []", "2: has a key twice"],
    ["two documents", "hosts: []\n---\nhosts: []", "2: begins a second document; only one is allowed"],
    ["another version of YAML", "%YAML 1.1\n---\nhosts: []", "1: must be YAML 1.2"],
    ["a tab", "limits:\n\tqueueMs: 1", "2: is indented with a tab; YAML needs spaces"],
    ["a bracket that is not closed", "hosts: [a, b\n", "2: is indented wrongly, or has a bracket that is not closed"],
    [
      "an unknown tag",
      "hosts: !secret [s3cr3t]",
      "1: contains a tag (!…) that is not supported, or a value that does not match its tag",
    ],
    ["a key that is no text", "[1, 2]: x", "1: has a key that is not text"],
    ["a quote that is not closed", 'hosts: "s3cr3t', "1: is missing a character: a colon, comma, quote or bracket"],
    ["an alias without an anchor", "hosts: *s3cr3t", "1: has an alias without an anchor before it"],
    ["an alias inside what it stands for", "hosts: &s3cr3t [*s3cr3t]", "1: has an alias without an anchor before it"],
  ])("may be %s", async (_name, content, problem) => {
    const problems = await problemsOf(content);
    expect(problems).toContain(`toolhost.yaml:${problem}`);
    expect(problems.join()).not.toContain("s3cr3t");
  });

  test("may be aliases that would grow to billions, or brackets without end", async () => {
    const levels = Array.from(
      { length: 20 },
      (_, index) => `l${index + 1}: &l${index + 1} [${`*l${index}, `.repeat(9)}]`,
    );
    const bomb = ["l0: &l0 [x]", ...levels].join("\n");
    expect(await problemsOf(bomb)).toContain("toolhost.yaml:5: has too many aliases");
    const repeated = `x: &x [${"1,".repeat(200)}]\ny: [${"*x, ".repeat(60)}]`;
    expect(await problemsOf(repeated)).toEqual(["toolhost.yaml:2: has too many aliases"]);
    const deep = ["a", "b"].map(
      (name, index) => `${name}: &${name} ${"[".repeat(40)}${index ? "*a" : ""}${"]".repeat(40)}`,
    );
    expect(await problemsOf(deep.join("\n"))).toEqual(["toolhost.yaml:2: is nested too deeply"]);
    expect(await problemsOf(`hosts: ${"[".repeat(100_000)}`)).toEqual(["toolhost.yaml:1: is nested too deeply"]);
  });

  test("may be more than 64 levels", async () => {
    const nested = (levels: number): string => `${"- ".repeat(levels)}a`;
    expect(await problemsOf(nested(64))).toEqual([expect.stringContaining("the file must be an object")]);
    expect(await problemsOf(nested(65))).toEqual(["toolhost.yaml:1: is nested too deeply"]);
  });

  test.each([
    ["unknown keys", Array.from({ length: 7000 }, (_, index) => `x${index}: 1\n`).join("")],
    ["keys that stand there twice", "x: 1\n".repeat(7000)],
    ["overrides of one field", `overrides:\n${Array.from({ length: 2000 }, (_, i) => `  t${i}: { a: 5 }\n`).join("")}`],
    ["what is no YAML", "a:\n  }".repeat(5000)],
    ["values", "- a\n".repeat(60_000)],
  ])("may be thousands of %s, which hold nothing up", async (_name, content) => {
    const start = cpuMs();
    const problems = await problemsOf(content);
    // A tenth of that where nothing else runs; it was minutes.
    expect(cpuMs() - start).toBeLessThan(9000);
    expect(problems.length).toBeLessThanOrEqual(101);
  });

  test("may be a pipe or a device, which have no end", async () => {
    const pipe = join(temporaryFolder(), "pipe.yaml");
    execFileSync("mkfifo", [pipe]);
    for (const file of [pipe, "/dev/zero"]) {
      await expect(readConfig([`--config=${file}`], {})).rejects.toThrow(`${file} is not a regular file`);
    }
  });

  test("may be the file itself", async () => {
    expect(await problemsOf(Buffer.from([0x68, 0xff, 0xfe]))).toEqual(["toolhost.yaml is not UTF-8"]);
    expect(await problemsOf(`#${"x".repeat(262_144)}`)).toEqual(["toolhost.yaml is larger than 256 KiB"]);
    const folder = temporaryFolder();
    symlinkSync("nowhere", join(folder, "toolhost.yaml"));
    await expect(readConfig([], {}, folder)).rejects.toThrow("toolhost.yaml does not exist");
    await expect(readConfig(["--config=."], {}, folder)).rejects.toThrow("is not a regular file");
  });
});

describe("${NAME} in toolhost.yaml", () => {
  const s3cr3t = "s3cr3t: [x] # ${HOST_NAME}";

  test("takes a value from the environment, as it is", async () => {
    const content = 'overrides: {}\nauth: { jwt: { issuer: "a ${S} b", audience: "$${S}", jwksUrl: "${U}/k" } }';
    const { auth } = await read(content, { S: s3cr3t, U: "http://[::1]:9" });
    expect(auth.jwt).toEqual({ issuer: `a ${s3cr3t} b`, audience: "${S}", jwksUrl: "http://[::1]:9/k" });
  });

  test("is not set where its value is empty", async () => {
    const content = `auth: { keys: [{ name: "\${E}", sha256: ${hash} }] }`;
    expect(await problemsOf(content, { E: "" })).toEqual([
      "toolhost.yaml:1: auth.keys[0].name uses the environment variable E, which is not set",
    ]);
  });

  test("is not looked at in keys, and must be set and well written", async () => {
    const content =
      "hosts: ['${NOT_SET}.${EITHER}', '${', '${A-B}', '$NAME']\n'${KEY}': x\nlimits: { queueMs: '${N}' }";
    expect(await problemsOf(content, { KEY: "origins", N: "5" })).toEqual([
      "toolhost.yaml:1: hosts[0] uses the environment variable NOT_SET, which is not set",
      'toolhost.yaml:1: hosts[1] contains "${" that does not begin a variable such as "${NAME}"; to write the characters "${", use "$${"',
      'toolhost.yaml:1: hosts[2] contains "${" that does not begin a variable such as "${NAME}"; to write the characters "${", use "$${"',
      "toolhost.yaml:1: hosts[3] must be a host name or an address, without scheme and port",
      'toolhost.yaml:2: ["${KEY}"] is unknown; the known keys are "tools", "overrides", "limits", "auth", "egress", "hosts", "publicUrl", "origins"',
      "toolhost.yaml:3: limits.queueMs must be a whole number from 0 to 900000, not a string",
    ]);
  });

  test("takes no value that the environment merely inherits", async () => {
    expect(await problemsOf("hosts: ['${constructor}']")).toHaveLength(1);
  });

  test("is never repeated where its value is wrong", async () => {
    const content = [
      "hosts: ['${S}']",
      "origins: ['${S}']",
      "egress: { allow: ['${S}'] }",
      "overrides: { a: { response: '${S}', timeoutMs: '${S}' } }",
      "auth: { keys: [{ name: '${S}', sha256: '${S}', tools: ['${S}'] }], jwt: { jwksUrl: '${S}' } }",
    ];
    const problems = await problemsOf(content.join("\n"), { S: s3cr3t });
    expect(problems.length).toBeGreaterThan(8);
    expect(problems.join()).not.toContain("s3cr3t");
  });
});

describe("egress.allow", () => {
  const good = [
    "10.1.0.0/16",
    "0.0.0.0/0",
    "::/0",
    "fd00::/8",
    "10.1.2.3",
    "10.1.2.3:80",
    "::1",
    "fd00::7",
    "[fd00::7]",
  ];
  test.each([
    ...good,
    "[fd00::7]:8080",
    "internal",
    "my_service:65535",
    "Internal.example.:443",
    "xn--bcher-kva.example",
  ])("takes %s", async (rule) => {
    const { egress } = await read(`egress: { allow: ["${rule}"] }`);
    expect(egress.allow).toEqual([rule]);
    expect((await readConfig([], { TOOLHOST_EGRESS_ALLOW: rule })).egress.allow).toEqual([rule]);
  });

  const spellings = ["0x7f.1", "127.1", "2130706433", "017700000001", "127.0.0.1.", "fe80::1%eth0", "fe80::1%eth0/64"];
  test.each([...spellings, "http://x", "*", "*.internal", "x:0", "x:65536", "x:", ":80", "10.0.0.0/33", "10.0.0/8"])(
    "refuses %s",
    async (rule) => {
      expect(await problemsOf(`egress: { allow: ["${rule}"] }`)).toHaveLength(1);
      await expect(readConfig([], { TOOLHOST_EGRESS_ALLOW: rule })).rejects.toThrow(ConfigError);
    },
  );

  test.each(["::/129", "x/8", "[x]:80", "[::1", "a b", "-x.example", "x..y", "", "a?b", "a#b", "a@b", "%61", "a\\\\b"])(
    "refuses %j",
    async (rule) => {
      expect(await problemsOf(`egress: { allow: ["${rule}"] }`)).toHaveLength(1);
    },
  );
});

describe("names and origins", () => {
  test.each(["toolhost.internal", "10.1.2.3", "fd00::7", "[fd00::7]", "localhost", "my_host"])(
    "hosts takes %s",
    async (host) => expect((await read(`hosts: ["${host}"]`)).hosts).toEqual([host]),
  );

  test.each(["http://localhost:5173", "https://a.example", "chrome-extension://abcdefgh"])(
    "origins takes %s",
    async (origin) => expect((await read(`origins: ["${origin}"]`)).origins).toEqual([origin]),
  );

  test.each([
    "https://a.example:443",
    "https://*.example",
    "https://u@a.example",
    "file://",
    "https://a.example?x",
    "a",
  ])("origins refuses %s", async (origin) => expect(await problemsOf(`origins: ["${origin}"]`)).toHaveLength(1));

  test.each(["http://i.example/k", "https://u:p@i.example/k", "ftp://i.example", "i.example/k"])(
    "jwksUrl refuses %s",
    async (url) => {
      const content = `auth: { jwt: { issuer: i, audience: a, jwksUrl: "${url}" } }`;
      expect(await problemsOf(content)).toEqual([expect.stringMatching(/auth\.jwt\.jwksUrl must be an https URL/)]);
    },
  );
});

describe("reading it again", () => {
  test("gives what the file says now", async () => {
    const folder = temporaryFolder();
    const file = join(folder, "toolhost.yaml");
    writeFileSync(file, "hosts: [a.example]");
    const before = await readConfigWithOrigins([], {}, folder);
    writeFileSync(file, "hosts: [b.example]");
    expect((await rereadConfig(before, [], {}, folder)).config.hosts).toEqual(["b.example"]);
  });

  test("fails where the file is gone: who may call must not be forgotten", async () => {
    const folder = temporaryFolder();
    const file = join(folder, "toolhost.yaml");
    writeFileSync(file, `auth: { keys: [{ name: a, sha256: ${hash} }] }`);
    const before = await readConfigWithOrigins([], {}, folder);
    const gone = { ...before, config: { ...before.config, configFile: `${file}.gone` } };
    await expect(rereadConfig(gone, [], {}, folder)).rejects.toThrow(ConfigError);
    const without = await readConfigWithOrigins([], {}, "/");
    expect((await rereadConfig(without, [], {}, folder)).config.auth.keys).toHaveLength(1);
  });
});

test("no text and no value makes the reader throw, or tell a value", () => {
  const marked = fc.string().map((text) => `s3cr3t${text}`);
  const key = fc.constantFrom("tools", "folder", "overrides", "auth", "keys", "jwt", "limits", "egress", "allow", "x");
  const value = fc.letrec((tie) => ({
    any: fc.oneof({ maxDepth: 5 }, marked, fc.double(), fc.boolean(), fc.constant(null), tie("list"), tie("object")),
    list: fc.array(tie("any"), { maxLength: 4 }),
    object: fc.dictionary(key, tie("any"), { maxKeys: 5 }),
  })).any;
  const check = (text: string): void => {
    const document = parseYaml(text);
    const told = "lineOf" in document ? tellAll(document) : document;
    expect(JSON.stringify(told)).not.toContain("s3cr3t");
  };
  fc.assert(fc.property(value, (any) => check(JSON.stringify(any))));
  fc.assert(fc.property(fc.string({ unit: fc.constantFrom(..."{}[]:,-&*!|>'\"%@#? \n\ta1$") }), check));
});

function tellAll({ value, lineOf }: YamlDocument): YamlProblem[] {
  const told: YamlProblem[] = [];
  checkFile(value ?? {}, (path, problem) =>
    told.push({ line: lineOf(path), text: typeof problem === "string" ? problem : problem() }),
  );
  return told;
}
