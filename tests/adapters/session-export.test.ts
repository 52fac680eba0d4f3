import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { escapeHtml, unescapeHtml } from "../../adapters/output/escape-html.ts";
import { exportHtml } from "../../adapters/output/export-html.ts";
import { exportJsonl } from "../../adapters/output/export-jsonl.ts";
import { exportMarkdown } from "../../adapters/output/export-md.ts";
import { highlight } from "../../adapters/output/highlight.ts";
import { markdownHtml } from "../../adapters/output/markdown-html.ts";
import { plain } from "../../adapters/output/paint.ts";
import { sessionText } from "../../adapters/output/show-session.ts";
import { redactor } from "../../core/redact.ts";
import { sessionView } from "../../core/session-view.ts";
import { chain, fileOf, reply, toolResult, treeOf, user } from "../core/session-lines.ts";

const SECRET = "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789";
const DIFF = "--- a/x\n+++ b/x\n@@ -1,1 +1,1 @@\n-old\n+new\n";

const TREE = treeOf(
  fileOf(
    chain([
      user(`look\nat <b>this</b> ${SECRET}`),
      { ...reply("", ["c1", "c2"], { reasoning: "hm", model: "m", profile: "p" }) },
      toolResult("c2", DIFF),
      toolResult("c1", "one\n```\ntwo\n"),
      { type: "compaction", summary: "**short**", first_kept_id: null, tokens_before: 9, tokens_after: 1 },
      { type: "model_change", profile: "q", model: "n" },
      {
        type: "approval",
        call_id: "c3",
        tool: "run_shell",
        subject: "rm x",
        decision: { type: "denied", by: "user", reason: "no" },
      },
      reply("# Done\n\n```ts\nconst a = 1; // x\n```\n", ["c3"]),
    ]),
  ),
);
const VIEW = sessionView(TREE, redactor([]));

describe("sessionView()", () => {
  test("puts every call beside its result, masks and makes visible", () => {
    expect(VIEW.items).toEqual([
      { type: "user", text: "look\nat <b>this</b> ***", images: [] },
      { type: "assistant", text: "", reasoning: "hm" },
      {
        type: "call",
        name: "echo",
        arguments: "{}",
        result: { type: "done", text: "one\n```\ntwo\n", images: [] },
      },
      { type: "call", name: "echo", arguments: "{}", result: { type: "done", text: DIFF, images: [] } },
      { type: "summary", text: "**short**" },
      { type: "model_change", text: "n" },
      { type: "denied", text: "rm x: no" },
      { type: "assistant", text: "# Done\n\n```ts\nconst a = 1; // x\n```\n", reasoning: "" },
      { type: "call", name: "echo", arguments: "{}", result: { type: "none" } },
    ]);
  });

  test("tells two calls of one id apart", () => {
    const again = [reply("", ["c"]), toolResult("c", "first"), reply("", ["c"]), toolResult("c", "second")];
    const { items } = sessionView(treeOf(fileOf(chain(again))), (text) => text);
    const results = items.flatMap((item) =>
      item.type === "call" && item.result.type !== "none" ? [item.result.text] : [],
    );
    expect(results).toEqual(["first", "second"]);
  });
});

test("exportMarkdown() writes a document whose fences hold", () => {
  expect(exportMarkdown(VIEW)).toMatchSnapshot();
});

test("sessionText() shows a conversation on a terminal", () => {
  expect(sessionText(VIEW, plain)).toMatchSnapshot();
});

describe("exportJsonl()", () => {
  const redact = { anything: redactor([]), known: (text: string) => text };

  test("is a session again, masked", () => {
    const text = exportJsonl(TREE, redact);
    expect(text).not.toContain(SECRET);
    const again = treeOf(text);
    expect(again.warnings).toEqual([]);
    expect(again.nodes.length).toBe(TREE.nodes.length);
    expect(exportJsonl(again, redact)).toBe(text);
  });

  test("keeps entries it does not know, and spells what could steer a terminal", () => {
    const odd = { type: "dream", of: "\u202e\u009b31m" };
    const text = exportJsonl(treeOf(fileOf(chain([odd]))), redact);
    expect(text).toContain("\\u202e\\u009b31m");
    expect(JSON.parse(text.split("\n")[1] ?? "")).toMatchObject(odd);
  });
});

describe("exportHtml()", () => {
  const page = exportHtml(VIEW);

  test("is one page without scripts that fetches nothing", async () => {
    const tags = await elementsOf(page);
    expect(tags.filter(({ name }) => !ALLOWED.has(name))).toEqual([]);
    const policy = tags.find(({ attributes }) => attributes["http-equiv"] === "Content-Security-Policy");
    expect(policy?.attributes.content).toMatch(
      /^default-src 'none'; style-src 'sha256-[A-Za-z0-9+/=]+'; img-src data:; base-uri 'none'; form-action 'none'$/,
    );
    expect(/url\(|@import|src="(?!data:)/.test(page)).toBe(false);
  });

  test("has a policy that lets its own style through", () => {
    const style = /<style>([\s\S]*?)<\/style>/.exec(page)?.[1] ?? "";
    const hash = new Bun.CryptoHasher("sha256").update(style).digest("base64");
    expect(page).toContain(`style-src 'sha256-${hash}'`);
  });

  test("escapes, masks, folds calls and colours code and diffs", () => {
    expect(page).toContain("at &lt;b&gt;this&lt;/b&gt; ***");
    expect(page.match(/<details>/g)?.length).toBe(3);
    expect(page).toContain('<span class="del">-old</span>\n<span class="add">+new</span>');
    expect(page).toContain(
      '<span class="k">const</span> a = <span class="n">1</span>; <span class="c">// x</span>',
    );
  });

  test("shows pictures of the conversation only as what they are", () => {
    const picture = (media_type: string, data: string) => ({ type: "image", media_type, data });
    const content = [
      picture("image/png", "AAAA"),
      picture("image/svg+xml", "AAAA"),
      picture('image/png" onerror="x', "AAAA"),
      picture("image/png", '"><script>'),
    ];
    const view = sessionView(treeOf(fileOf(chain([{ ...user("x"), content }]))), (text) => text);
    expect(exportHtml(view).match(/<img[^>]*>/g)).toEqual(['<img alt="" src="data:image/png;base64,AAAA">']);
  });

  test("lets no text of anybody become an element or an attribute", async () => {
    const hostile = fc.oneof(
      fc.string(),
      fc
        .array(
          fc.constantFrom(
            "<script>alert(1)</script>",
            "<img src=x onerror=alert(1)>",
            "[a](javascript:alert(1))",
            "[a](data:text/html,x)",
            "<a href='//evil'>",
            "```html\n<script>\n```",
            "![x](http://evil/x.png)",
            '"><svg onload=x>',
            "&lt;script&gt;",
            "&#60;script&#62;",
            "<!-- -->",
            "| a |\n|---|\n| <b> |",
            "> # <i>",
            "\n",
            "\n\n",
            "`",
            "```",
            '<https://evil" onclick="x>',
            "[x]: javascript:x\n",
            "[x]",
            "- [x] <u>",
            "</details>",
            "</style><script>",
            "\u0000",
            "<![CDATA[",
            "@@ -1 +1 @@\n+<b>",
          ),
          { maxLength: 12 },
        )
        .map((pieces) => pieces.join("")),
    );
    await fc.assert(
      fc.asyncProperty(hostile, hostile, async (one, two) => {
        const bodies = [user(one), reply(two, ["c"], { reasoning: one }), toolResult("c", two)];
        const view = sessionView(treeOf(fileOf(chain(bodies))), (text) => text);
        for (const { name, attributes } of await elementsOf(exportHtml(view))) {
          expect(ALLOWED.has(name)).toBe(true);
          expect(Object.keys(attributes).filter((key) => !ATTRIBUTES.has(key))).toEqual([]);
          if (attributes.href !== undefined) expect(attributes.href).toMatch(/^(?:https?:\/\/|mailto:)/i);
        }
      }),
      { numRuns: 200 },
    );
  });
});

const ALLOWED = new Set(
  (
    "html head meta title style body main header footer section h1 h2 h3 h4 h5 h6 p pre code span details summary " +
    "div b i em strong s a ul ol li table thead tbody tr th td blockquote hr img"
  ).split(" "),
);
const ATTRIBUTES = new Set("lang charset http-equiv content name class href rel start alt src".split(" "));

type Tag = { readonly name: string; readonly attributes: Readonly<Record<string, string>> };

async function elementsOf(html: string): Promise<readonly Tag[]> {
  const tags: Tag[] = [];
  const rewriter = new HTMLRewriter().on("*", {
    element: (element) => {
      const attributes = Object.fromEntries(
        [...element.attributes].map(([key, value]) => [key ?? "", value ?? ""]),
      );
      tags.push({ name: element.tagName, attributes });
    },
  });
  await rewriter.transform(new Response(html)).text();
  return tags;
}

test("highlight() colours without changing a character", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: "grapheme" }),
      fc.constantFrom("ts", "sh", "python", "diff", "json", ""),
      (code, language) => {
        expect(unescapeHtml(highlight(code, language).replace(/<\/?span[^>]*>/g, ""))).toBe(code);
      },
    ),
  );
});

test("the cost of an export is in proportion to its text", () => {
  for (const piece of ["/*", "<!--", "```\n", '"', "`", "'", "# ", "\\", "1", "> ", "- [", "| "]) {
    const text = piece.repeat(Math.floor(190_000 / piece.length));
    for (const language of ["ts", "sh"]) expect(highlight(text, language).length).toBeGreaterThan(0);
    const view = sessionView(
      treeOf(fileOf(chain([reply(text, ["c"]), toolResult("c", text)]))),
      (raw) => raw,
    );
    expect(exportMarkdown(view).length).toBeGreaterThan(text.length);
    expect(exportHtml(view).length).toBeGreaterThan(0);
  }
});

test("escapeHtml() is undone by unescapeHtml()", () => {
  fc.assert(fc.property(fc.string(), (text) => expect(unescapeHtml(escapeHtml(text))).toBe(text)));
});

describe("markdownHtml()", () => {
  test.each([
    ["keeps line breaks", "a\nb", "<p>a\nb</p>"],
    ["shows tags as text", "<b>x</b>", "<p>&lt;b&gt;x&lt;/b&gt;</p>"],
    [
      "links only to the web",
      "[a](javascript:x) [b](https://e.com?a=1&b=2)",
      '<p>a <a href="https://e.com?a=1&amp;b=2" rel="noopener noreferrer nofollow">b</a></p>',
    ],
    [
      "links to pictures instead of loading them",
      "![alt](https://e.com/x.png)",
      '<p><a href="https://e.com/x.png" rel="noopener noreferrer nofollow">alt</a></p>',
    ],
    ["begins below the page's own headings", "# a", "<h3>a</h3>"],
    ["marks tasks", "- [x] a\n- [ ] b", '<ul><li class="task">☑ a</li><li class="task">☐ b</li></ul>'],
  ])("%s", (_fact, markdown, html) => {
    expect(markdownHtml(markdown)).toBe(html);
  });
});
