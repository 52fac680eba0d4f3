import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { calls, says } from "../fakes/endpoint.ts";
import { png } from "../fakes/png.ts";
import { configFor, newEndpoint, newPlace, runBuddy } from "./run-buddy.ts";
import { resultsSent } from "./sent-results.ts";

async function look(model: string, bytes: Uint8Array) {
  const read = calls({ name: "read_file", arguments: { path: "shot.png" } });
  await using endpoint = newEndpoint([read, says("seen")]);
  using place = newPlace(configFor(endpoint.url));
  writeFileSync(join(place.cwd, "shot.png"), bytes);
  const { stdout } = await runBuddy(place, ["exec", "-m", model, "look"]);
  return {
    stdout,
    told: resultsSent(endpoint.requests)[0],
    sent: JSON.stringify(endpoint.requests[1]?.body),
  };
}

describe.concurrent("buddy exec and images that a model asks to read", () => {
  test("shows one to a model that can see, small enough", async () => {
    const small = png(40, 30);
    const { stdout, told, sent } = await look("gpt-4o", small);
    expect([stdout, sent.includes(Buffer.from(small).toString("base64"))]).toEqual(["seen\n", true]);
    expect(told).toContain('"image":"image/png","width":40,"height":30');
    expect((await look("gpt-4o", png(4000, 100))).told).toContain('"resized_from":"4000x100"');
  });

  test("describes one to a model that cannot, and says what is broken", async () => {
    const blind = await look("some-text-model", png(40, 30));
    expect([blind.stdout, blind.sent.includes("base64")]).toEqual(["seen\n", false]);
    expect(blind.told).toContain("It is an image (image/png), and this model cannot see images");
    expect((await look("gpt-4o", png(40, 30).subarray(0, 60))).told).toContain("Cannot show the image");
  });
});
