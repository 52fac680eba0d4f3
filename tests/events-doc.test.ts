import { expect, test } from "bun:test";
import { EVENTS_DOC, eventsDocument } from "../scripts/events-doc.ts";

test("docs/events.md is what `make docs` writes", async () => {
  expect(await Bun.file(EVENTS_DOC).text()).toBe(eventsDocument());
});
