import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { readConfig } from "../../src/config/read-config.ts";
import { createRegistry } from "../../src/core/registry/registry.ts";
import { createMetrics } from "../../src/telemetry/metrics.ts";
import { createServiceMetrics } from "../../src/telemetry/service-metrics.ts";

const root = new URL("../../", import.meta.url);
const docs = readFileSync(new URL("docs/deploy.md", root), "utf8");
const blocks = [...docs.matchAll(/^```yaml\n([^]+?)^```/gm)].map(([, block = ""]) => block);

describe("docs/deploy.md", () => {
  test("contains YAML that can be read", () => {
    expect(blocks.length).toBeGreaterThan(6);
    for (const block of blocks) {
      for (const document of parseAllDocuments(block)) expect([block, document.errors]).toEqual([block, []]);
    }
  });

  test("contains configurations that Toolhost accepts", async () => {
    const configured = blocks.filter((block) => /^# \S*toolhost\.yaml\n/.test(block));
    const inside = blocks.flatMap((block) => {
      const documents = parseAllDocuments(block).map(
        (document) => document.toJS() as { data?: Record<string, string> },
      );
      return documents.flatMap(({ data }) => data?.["toolhost.yaml"] ?? []);
    });
    expect([configured.length, inside.length]).toEqual([3, 1]);
    for (const content of [...configured, ...inside]) {
      const folder = mkdtempSync(join(tmpdir(), "toolhost-docs-"));
      onTestFinished(() => rmSync(folder, { recursive: true }));
      writeFileSync(join(folder, "toolhost.yaml"), content);
      await expect(readConfig([], {}, folder)).resolves.toBeDefined();
    }
  });

  test("runs the health check where the image has it", () => {
    const image = readFileSync(new URL("Dockerfile", root), "utf8");
    const probe = /CMD (\["[^\n]+"health"\])/.exec(image)?.[1] ?? "";
    const command = `command: [${(JSON.parse(probe) as string[]).join(", ")}]`;
    expect(docs.split(command)).toHaveLength(3);
    expect(image).toContain("WORKDIR /app");
    expect(image).toContain("USER 65532:65532");
  });

  test("alerts by metrics that there are", () => {
    const service = createServiceMetrics({
      version: "",
      registry: createRegistry(),
      sources: () => [],
      openBreakers: () => 0,
    });
    const metrics = [createMetrics(() => 0).text(), ...service.lines()].join("\n");
    const named = new Set([...docs.matchAll(/\btoolhost_\w+/g)].map(([name]) => name.replace(/_bucket$/, "")));
    expect(named.size).toBeGreaterThan(2);
    for (const name of named) expect(metrics).toContain(`# TYPE ${name} `);
    // What fails in silence until somebody looks.
    expect([...named]).toEqual(
      expect.arrayContaining(["toolhost_config_last_reload_successful", "toolhost_source_tools_skipped"]),
    );
  });
});
