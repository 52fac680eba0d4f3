/** The small project that the demo works on: a script that adds wrongly, for a reason that is easy to miss. */
export const DEMO_FILES: Readonly<Record<string, string>> = {
  "total.sh": `#!/bin/sh
# Adds up the second column of prices.txt
total=0
while read -r name price; do
  total=$((total + price))
done < prices.txt
echo "total: $total"
`,
  "prices.txt": "coffee 4\nbread 7\nhoney 20\ntea 11",
};

export const DEMO_PROMPT = "total.sh prints 31, but the prices add up to 42. Find the mistake and fix it.";

export const DEMO_MODEL = "recorded";
