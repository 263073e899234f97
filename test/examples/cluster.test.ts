import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { z } from "zod";
import { repository, runCliHere } from "../support/run-cli.ts";

// What Compose and Kubernetes read of the files, as far as they use it: an unknown field is a misspelt one.

const text = (name: string) => readFileSync(join(repository, "examples/cluster", name), "utf8");
const command = z.array(z.string()).min(2);
const secret = z.strictObject({
  name: z.string(),
  valueFrom: z.strictObject({ secretKeyRef: z.strictObject({ name: z.string(), key: z.string() }) }),
});
const labels = z.strictObject({ app: z.string() });
const deployment = z.strictObject({
  apiVersion: z.literal("apps/v1"),
  kind: z.literal("Deployment"),
  metadata: z.strictObject({ name: z.string(), labels }),
  spec: z.strictObject({
    replicas: z.int().positive(),
    selector: z.strictObject({ matchLabels: labels }),
    strategy: z
      .strictObject({
        type: z.literal("RollingUpdate"),
        rollingUpdate: z.strictObject({ maxUnavailable: z.int(), maxSurge: z.int() }),
      })
      .optional(),
    template: z.strictObject({
      metadata: z.strictObject({ labels }),
      spec: z.strictObject({
        terminationGracePeriodSeconds: z.int(),
        securityContext: z.strictObject({
          runAsNonRoot: z.literal(true),
          seccompProfile: z.strictObject({ type: z.literal("RuntimeDefault") }),
        }),
        containers: z.array(
          z.strictObject({
            name: z.string(),
            image: z.string(),
            command,
            env: z.array(z.union([secret, z.strictObject({ name: z.string(), value: z.string() })])),
            ports: z.array(z.strictObject({ name: z.string(), containerPort: z.int() })).optional(),
            resources: z.strictObject({
              requests: z.strictObject({ cpu: z.string(), memory: z.string() }),
              limits: z.strictObject({ memory: z.string() }),
            }),
            securityContext: z.strictObject({
              allowPrivilegeEscalation: z.literal(false),
              readOnlyRootFilesystem: z.literal(true),
            }),
            volumeMounts: z.array(z.strictObject({ name: z.string(), mountPath: z.string() })),
          }),
        ),
        volumes: z.array(z.strictObject({ name: z.string(), emptyDir: z.strictObject({}) })),
      }),
    }),
  }),
});
const service = z.strictObject({
  apiVersion: z.literal("v1"),
  kind: z.literal("Service"),
  metadata: z.strictObject({ name: z.string() }),
  spec: z.strictObject({
    selector: labels,
    ports: z.array(z.strictObject({ name: z.string(), port: z.int(), targetPort: z.string() })),
  }),
});

/** Every option of a command in a file is one that the command line has. */
async function checkCommand([program, name, ...words]: readonly string[]): Promise<void> {
  expect(program).toBe("planloom");
  const { stdout } = await runCliHere([name!, "--help"], {});
  for (const word of words.filter((each) => each.startsWith("--"))) expect(stdout).toContain(`${word} `);
}

/** The time to end is longer than what `--drain` gives by default. */
const drainSeconds = 20;

test("the Kubernetes manifests have what Kubernetes knows, and commands that there are", async () => {
  const documents = parseAllDocuments(text("kubernetes.yaml")).map((document) => document.toJS() as { kind?: string });
  const deployments = documents.filter(({ kind }) => kind === "Deployment").map((each) => deployment.parse(each));
  const services = documents.filter(({ kind }) => kind === "Service").map((each) => service.parse(each));
  expect([deployments.length, services.length, documents.length]).toEqual([2, 1, 3]);
  for (const { metadata, spec } of deployments) {
    expect(spec.selector.matchLabels).toEqual(spec.template.metadata.labels);
    expect(metadata.labels).toEqual(spec.selector.matchLabels);
    expect(spec.template.spec.terminationGracePeriodSeconds).toBeGreaterThan(drainSeconds);
    const volumes = spec.template.spec.volumes.map(({ name }) => name);
    for (const { command: words, volumeMounts } of spec.template.spec.containers) {
      await checkCommand(words);
      for (const { name } of volumeMounts) expect(volumes).toContain(name);
    }
  }
  const [served] = services;
  const target = deployments.find(({ spec }) => spec.template.metadata.labels.app === served?.spec.selector.app);
  const ports = target?.spec.template.spec.containers.flatMap((container) => container.ports ?? []);
  expect(ports?.map(({ name }) => name)).toContain(served?.spec.ports[0]?.targetPort);
});

test("the Compose file has services that Compose knows, and commands that there are", async () => {
  const any = z.strictObject({
    image: z.string(),
    command: command.optional(),
    environment: z.record(z.string(), z.string()),
    depends_on: z.record(z.string(), z.strictObject({ condition: z.literal("service_healthy") })).optional(),
    healthcheck: z.strictObject({ test: z.array(z.string()), interval: z.string(), retries: z.int() }).optional(),
    volumes: z.array(z.string()).optional(),
    ports: z.array(z.string()).optional(),
    stop_grace_period: z
      .string()
      .regex(/^\d+s$/)
      .optional(),
    restart: z.literal("always").optional(),
  });
  const file = z.strictObject({
    services: z.record(z.string(), any),
    volumes: z.record(z.string(), z.strictObject({})),
  });
  const { services, volumes } = file.parse(parse(text("compose.yaml")));
  expect(Object.keys(services)).toEqual(["postgres", "worker", "server"]);
  for (const { command: words, depends_on = {}, stop_grace_period, volumes: mounted = [] } of Object.values(services)) {
    for (const name of Object.keys(depends_on)) expect(services[name]?.healthcheck).toBeDefined();
    for (const each of mounted) expect(Object.keys(volumes)).toContain(each.split(":")[0]);
    if (words === undefined) continue;
    await checkCommand(words);
    expect(Number.parseInt(stop_grace_period ?? "0", 10)).toBeGreaterThan(drainSeconds);
  }
});
