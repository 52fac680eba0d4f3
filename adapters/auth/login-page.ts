/** What the browser shows when it comes back. No script, nothing loaded from anywhere. */
export type LoginPage = { readonly status: number; readonly title: string; readonly text: string };

export const SIGNED_IN: LoginPage = {
  status: 200,
  title: "You are signed in",
  text: "Close this window and go back to the terminal.",
};

export const notSignedIn = (why: string): LoginPage => ({
  status: 400,
  title: "You are not signed in",
  text: `${why}. The terminal says what to do next.`,
});

export const NOT_FOUND: LoginPage = {
  status: 404,
  title: "Nothing here",
  text: "This is not a page of buddy.",
};

export function pageResponse({ status, title, text }: LoginPage): Response {
  return new Response(htmlOf(title, text), {
    status,
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
      "cache-control": "no-store",
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
      connection: "close",
    },
  });
}

const htmlOf = (title: string, text: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>buddy: ${escaped(title)}</title>
<style>
  :root { color-scheme: light dark; }
  body { font: 1.1rem/1.5 system-ui, sans-serif; display: grid; place-content: center; min-height: 90vh; padding: 1rem; }
  main { max-width: 32rem; }
</style>
</head>
<body><main><h1>${escaped(title)}</h1><p>${escaped(text)}</p></main></body>
</html>
`;

const escaped = (text: string): string => text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);
