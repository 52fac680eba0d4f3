import { expect, test } from "bun:test";
import { COMMANDS, GLOBAL_FLAGS } from "../cmd/commands.ts";
import { MAN_PAGE, manPage } from "../scripts/man-page.ts";

test("docs/buddy.1 is what `make docs` writes", async () => {
  expect(await Bun.file(MAN_PAGE).text()).toBe(manPage());
});

test("the manual page has every command and every flag", () => {
  const text = manPage().replaceAll("\\-", "-");
  for (const { name, flags } of COMMANDS) {
    expect(text).toContain(`buddy ${name}`);
    for (const flag of [...flags, ...GLOBAL_FLAGS]) expect(text).toContain(`--${flag.name}`);
  }
});
